"""
    Tides

Heights of the tide from the harmonic constants of a harbour.
"""
module Tides

using LinearAlgebra, Statistics
using Dates: DateTime, Hour
import Base: show
import ..Harbours.Harbour

include("constants.jl")

export Constituent, height, highest

const SPEED_OF_MOON = 14.492
# Metres below which a harbour counts as having no tide.
const LEAST_RANGE = 0.1

@enum Phase springs neaps

"""
One wave of the tide: amplitude in metres, speed in degrees an hour.
"""
struct Constituent{T<:Real}
    name::Symbol
    amplitude::T
    speed::T
    phase::T
end

Base.@kwdef mutable struct Station
    harbour::Harbour
    waves::Vector{Constituent} = Constituent[]
end

abstract type Prediction end

Constituent(name::Symbol, amplitude) = Constituent(name, amplitude, SPEED_OF_MOON, 0.0)

"""
    height(waves, hours)

Return the height above the mean level after some hours.

Waves are added up in the order of their amplitude, so that the sum does not depend on how the table of
constants happens to be sorted.
"""
function height(waves::Vector{Constituent{T}}, hours::Real) where {T}
    total = zero(T)
    for wave in sort(waves; by = w -> w.amplitude)
        angle = wave.speed * hours - wave.phase
        total += wave.amplitude * cosd(angle)
    end
    return total
end

height(station::Station, hours) = height(station.waves, hours)

@inline function range_of(station::Station)
    return 2 * sum(w -> w.amplitude, station.waves; init = 0.0)
end

# Looks at every ten minutes, which misses no high water by more than a centimetre.
function highest(station::Station, from::DateTime, until::DateTime)
    best, at = -Inf, from
    for moment in from:Minute(10):until
        level = height(station, Hour(moment - from).value)
        if level > best
            best, at = level, moment
        end
    end
    return (level = best, at = at)
end

Base.show(io::IO, wave::Constituent) = print(io, wave.name, " ", wave.amplitude, " m")
Base.:+(a::Constituent, b::Constituent) = [a, b]

macro metres(x)
    return :($(esc(x)) * 1.0)
end

module Tables
    using ..Tides

    """
    Write one line for every hour of a day.
    """
    function write_day(io::IO, station)
        for hour in 0:23
            level = round(Tides.height(station, hour); digits = 2)
            println(io, lpad(hour, 2, '0'), ":00  ", level, " m above the mean level")
        end
    end

    header() = "hour  level"
end

end
