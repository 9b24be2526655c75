using System;
using System.Collections.Generic;
using Json = System.Text.Json;

namespace Weather.Stations;

/// <summary>Collects readings and says when one looks wrong.</summary>
[Serializable]
public sealed class Station : IDisposable
{
    private readonly List<Reading> readings = new();
    public string Name { get; init; } = "";

    public Station(string name, TimeSpan interval)
    {
        Name = name ?? throw new ArgumentNullException(nameof(name));
        timer = new Timer(_ => Poll(), null, TimeSpan.Zero, interval);
    }

    /// <summary>A reading far from the mean of the last day is suspicious.</summary>
    public bool IsSuspicious(Reading reading)
    {
        var recent = readings.FindAll(r => r.Time > reading.Time.AddDays(-1));
        if (recent.Count < 10) return false;
        var mean = recent.Average(r => r.Celsius);
        return Math.Abs(reading.Celsius - mean) > 15;
    }

    public double this[int hour] => readings[hour].Celsius;

    public static Station operator +(Station station, Reading reading)
    {
        station.readings.Add(reading);
        station.OnChanged?.Invoke(station, new ReadingEventArgs(reading));
        return station;
    }

    public void Dispose() => timer.Dispose();
}

public record Reading(DateTime Time, double Celsius);

public enum Sky { Clear, Cloudy, Rain }
