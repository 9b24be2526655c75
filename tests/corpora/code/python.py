"""Parcels on their way: states, distances and the depot that moves them.

Nothing here talks to a carrier.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

EARTH_RADIUS_KM = 6371.0
STATES = ("booked", "moving", "delivered")


def distance_km(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return the great-circle distance between two points in degrees."""
    lat1, lon1, lat2, lon2 = map(math.radians, (*a, *b))
    half = math.sin((lat2 - lat1) / 2) ** 2
    half += math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(half))


# A parcel never changes once it has been handed over.
@dataclass(frozen=True)
class Parcel:
    number: str
    weight_kg: float
    home: tuple[float, float]


class Depot:
    """Keeps parcels until a van takes them."""

    limit = 500

    def __init__(self, place: tuple[float, float]) -> None:
        self.place = place
        self.parcels: dict[str, Parcel] = {}

    # Vans leave with the heaviest parcels first.
    def load(self, capacity_kg: float) -> Iterator[Parcel]:
        """Yield parcels for one van until it is full, heaviest first."""
        for parcel in sorted(self.parcels.values(), key=lambda p: -p.weight_kg):
            if parcel.weight_kg <= capacity_kg:
                capacity_kg -= parcel.weight_kg
                yield self.parcels.pop(parcel.number)

    def accept(self, parcel: Parcel) -> None:
        if len(self.parcels) >= self.limit:
            raise OverflowError("this depot is full, send the parcel to the next one")
        self.parcels[parcel.number] = parcel

    @property
    def count(self) -> int:
        return len(self.parcels)

    def clear(self) -> None:
        self.parcels = {}


if __name__ == "__main__":
    print(distance_km((52.5, 13.4), (48.1, 11.6)))
