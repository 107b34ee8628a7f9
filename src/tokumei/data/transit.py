"""Synthetic rides of the holders of train cards on an invented network, of any size.

The network is a loop line, two lines across it and eight branch lines. A day out is a tour: from
home to one or more places and home again. Cards are drawn block after block, each block from its
own random stream, so that memory stays flat and the first blocks do not depend on how many follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt
import polars as pl

BLOCK = 5_000  # cards generated at once

NETWORK_STREAM, CARD_STREAM = 0, 1

DAYS = np.arange(np.datetime64("2016-04-01"), np.datetime64("2016-07-01"))
HOLIDAYS = np.array(["2016-04-29", "2016-05-03", "2016-05-04", "2016-05-05"], "datetime64[D]")
WORKING_DAYS = np.is_busday(DAYS, holidays=HOLIDAYS)

NAME_STARTS = "北南東西新上下中大小青白花月霧"
NAME_ENDS = ["鳴沢", "桐丘", "汐橋", "榎坂", "鶴浜", "萩野", "椿台", "葦原"]
LOOP, CROSSINGS, CROSSING, BRANCHES, BRANCH = 24, 2, 4, 8, 11  # stations of each line
STATIONS = LOOP + CROSSINGS * CROSSING + BRANCHES * BRANCH

FARE_UP_TO_KM = [3, 6, 10, 15, 20, 25, 30, 40]
FARES = np.array([140, 160, 200, 240, 320, 400, 480, 570, 690])  # yen

COMMUTERS, STUDENTS, TRAVELING_SALES = 0.35, 0.10, 0.03  # shares of the cards; the rest: occasional
FAVORITE_PLACES = 3

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Network:
    names: pl.Series
    fare: Integers  # STATIONS x STATIONS
    ride_minutes: Integers  # STATIONS x STATIONS
    homes: Floats  # share of the people who live at each station
    places: Floats  # share of the people who go to each station


@dataclass(frozen=True)
class _Tours:
    """Days out, one element per tour."""

    card: Integers
    day: Integers
    first_stop: Integers
    stops: Integers
    arrival: Floats  # minutes after midnight, at the first stop
    departure: Floats  # from the last stop


def transit_blocks(cards: int, *, seed: int) -> Iterator[pl.DataFrame]:
    """Yield the rides of `cards` cards in three months, `BLOCK` cards per frame.

    A row is one ride; its time is that of the exit. Rows of a frame are ordered by time, then
    card. The frame depends only on the seed, its position, and its number of cards.
    """
    network = _network(_stream(seed, NETWORK_STREAM))
    for block, first in enumerate(range(0, cards, BLOCK)):
        rng = _stream(seed, CARD_STREAM, block)
        yield _block(rng, network, first, min(BLOCK, cards - first))


def _stream(seed: int, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def _lines() -> list[list[int]]:
    """Lay the stations of each line, in order; the loop has the numbers from 0."""
    inner = iter(range(LOOP, STATIONS))
    loop = [*range(LOOP), 0]
    across = [
        [start, *(next(inner) for _ in range(CROSSING)), start + LOOP // 2]
        for start in range(0, LOOP // 2, LOOP // 2 // CROSSINGS)
    ]
    branches = [
        [start, *(next(inner) for _ in range(BRANCH))] for start in range(0, LOOP, LOOP // BRANCHES)
    ]
    return [loop, *across, *branches]


def _network(rng: np.random.Generator) -> _Network:
    km = np.full((STATIONS, STATIONS), np.inf)
    np.fill_diagonal(km, 0)
    for line in _lines():
        for here, there in pairwise(line):
            km[here, there] = km[there, here] = rng.uniform(0.8, 2.5)
    for via in range(STATIONS):  # Floyd and Warshall's shortest paths
        km = np.minimum(km, km[:, via, np.newaxis] + km[via])

    center = np.arange(STATIONS) < LOOP + CROSSINGS * CROSSING
    homes = rng.lognormal(0, 0.6, STATIONS) * np.where(center, 0.5, 1)
    places = rng.lognormal(0, 1.0, STATIONS) * np.where(center, 6, 1)
    names = [start + end for start, end in product(NAME_STARTS, NAME_ENDS)]
    return _Network(
        names=pl.Series(names).gather(rng.permutation(len(names))[:STATIONS]),
        fare=FARES[np.searchsorted(FARE_UP_TO_KM, km)],
        ride_minutes=np.ceil(3 + km * 1.7).astype(np.int64),
        homes=homes / homes.sum(),
        places=places / places.sum(),
    )


def _block(rng: np.random.Generator, network: _Network, first: int, cards: int) -> pl.DataFrame:
    home = rng.choice(STATIONS, cards, p=network.homes)
    tours = _tours(rng, network, home)
    rides = tours.stops + 1
    tour = np.repeat(np.arange(len(rides)), rides)
    leg = np.arange(len(tour)) - np.repeat(np.cumsum(rides) - rides, rides)
    way_home = leg == tours.stops[tour]
    card = tours.card[tour]

    exits = _elsewhere(rng.choice(STATIONS, len(tour), p=network.places), home[card])
    exits = np.where(leg == 0, tours.first_stop[tour], exits)
    exits = np.where(way_home, home[card], exits)
    entries = np.where(leg == 0, home[card], np.roll(exits, 1))

    between = leg / tours.stops[tour]
    minute = tours.arrival[tour] + between * (tours.departure - tours.arrival)[tour]
    minute += np.where(way_home, network.ride_minutes[entries, exits], 0)
    minute = np.minimum(minute.astype(np.int64), 24 * 60 - 1)
    time = DAYS[tours.day[tour]].astype("datetime64[m]") + minute

    order = np.lexsort((leg, card, time))
    order = order[entries[order] != exits[order]]  # two visits at one station need no train
    frame = pl.DataFrame(
        {
            "card": first + card[order],
            "time": time[order].astype("datetime64[us]"),
            "entry": network.names.gather(entries[order]),
            "exit": network.names.gather(exits[order]),
            "fare": network.fare[entries[order], exits[order]],
        }
    )
    number = pl.col("card").cast(pl.String).str.zfill(7)
    return frame.with_columns(pl.format("T{}", number).alias("card"))


def _tours(rng: np.random.Generator, network: _Network, home: Integers) -> _Tours:
    cards = len(home)
    # One card from each of `cards` equal slices, so that small data sets have all kinds of riders.
    kind = (rng.permutation(cards) + 0.5) / cards
    commuter = kind < COMMUTERS
    student = (kind >= COMMUTERS) & (kind < COMMUTERS + STUDENTS)
    regular = kind < COMMUTERS + STUDENTS + TRAVELING_SALES
    sales = regular & ~commuter & ~student

    leisure = np.minimum(rng.lognormal(np.log(0.12), 1.0, cards), 0.9)
    diligence = np.where(regular, rng.beta(6, 1.2, cards), leisure)
    chance = np.where(WORKING_DAYS, diligence[:, np.newaxis], leisure[:, np.newaxis])
    out = rng.random((cards, len(DAYS))) < chance
    out[np.arange(cards), rng.integers(len(DAYS), size=cards)] = True  # nobody never travels
    card, day = np.nonzero(out)

    at_work = regular[card] & WORKING_DAYS[day]
    work = rng.choice(STATIONS, cards, p=network.places)
    favorites = rng.choice(STATIONS, (cards, FAVORITE_PLACES), p=network.places)
    favorite = favorites[card, rng.integers(FAVORITE_PLACES, size=len(card))]
    anywhere = rng.choice(STATIONS, len(card), p=network.places)
    leisure_stop = np.where(rng.random(len(card)) < 0.6, favorite, anywhere)
    first_stop = _elsewhere(np.where(at_work, work[card], leisure_stop), home[card])

    more_stops = np.where(sales[card] & at_work, 4.0, 0.12)
    work_starts = rng.normal(np.where(student, 8.4, 8.8) * 60, np.where(student, 15, 35))
    work_hours = rng.normal(np.where(student, 7.5, 9.5), 0.8)
    arrival = np.where(
        at_work,
        work_starts[card] + rng.normal(0, 5, len(card)),
        rng.uniform(9 * 60, 16 * 60, len(card)),
    )
    stay = np.where(
        at_work,
        np.maximum(60 * work_hours[card] + rng.normal(0, 35, len(card)), 240),
        rng.uniform(90, 360, len(card)),
    )
    return _Tours(
        card, day, first_stop, 1 + rng.poisson(more_stops), arrival, departure=arrival + stay
    )


def _elsewhere(place: Integers, home: Integers) -> Integers:
    """Replace the places that are at home by the next station."""
    return np.where(place == home, (place + 1) % STATIONS, place)
