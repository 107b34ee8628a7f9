"""Attackers of files that were named and ordered by hand: pseudonyms, basket names, row order."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable

import numpy as np
from histograms import Fits
from marking import assigned
from views import Rows, View

HASHES = ("md5", "sha1", "sha224", "sha256", "sha512", "blake2b")
SHORTEST = 6
"""So many signs of a hash must be there to believe it."""
SHORTEST_ID = 3


def same_names(view: View) -> Fits:
    """Pseudonyms that are the customer's id, hold it, or are held by it."""
    fits = np.zeros(view.shape)
    for row, pseudonym in enumerate(view.public.names):
        for column, person in enumerate(view.known.names):
            if len(person) > 1 and (person in pseudonym or pseudonym in person):
                fits[row, column] = len(person)
    return fits if fits.any() else None


def names_of_attributes(view: View) -> Fits:
    """Pseudonyms that hold an attribute of the customer, such as a birth date, by its digits."""
    fits = np.zeros(view.shape)
    for cells in view.known.attributes.values():
        for column, values in enumerate(cells):
            digits = "".join(sign for value in values for sign in value if sign.isdigit())
            for row, pseudonym in enumerate(view.public.names):
                if len(digits) >= SHORTEST and (digits in pseudonym or digits[2:] in pseudonym):
                    fits[row, column] = 1
    return fits if fits.any() else None


def hashed_names(view: View) -> Fits:
    """Pseudonyms that are the customer's id written otherwise, a common hash, or part of one."""
    fits = np.zeros(view.shape)
    shown = [name.lower() for name in view.public.names]
    for column, person in enumerate(view.known.names):
        text = person.encode()
        written = [hashlib.new(kind, text).hexdigest() for kind in HASHES]
        written += [f"{zlib.crc32(text):08x}", base64.b64encode(text).decode(), text.hex()]
        for row, pseudonym in enumerate(shown):
            if any(_same(pseudonym, other.lower()) for other in (*written, person[::-1])):
                fits[row, column] = 1
    return fits if fits.any() else None


def _same(pseudonym: str, other: str) -> bool:
    starts = len(pseudonym) >= SHORTEST and other.startswith(pseudonym)
    return starts or (len(other) >= SHORTEST_ID and pseudonym.endswith(other))


def _by_rank(shown: np.ndarray, known: np.ndarray) -> np.ndarray:
    first, second = (np.argsort(np.argsort(part)) / len(part) for part in (shown, known))
    return -np.abs(first[:, None] - second[None, :])


def name_order(view: View) -> Fits:
    return _by_rank(np.arange(view.shape[0]), np.arange(view.shape[1]))


def reversed_name_order(view: View) -> Fits:
    return _by_rank(-np.arange(view.shape[0]), np.arange(view.shape[1]))


def _places(owner: np.ndarray, people: int) -> np.ndarray:
    """Return the mean place of each owner's rows, from 0 to 1."""
    counts = np.maximum(np.bincount(owner, minlength=people), 1)
    return np.bincount(owner, np.arange(len(owner)) / len(owner), people) / counts


def row_order(view: View) -> Fits:
    places = [_places(rows.owner, len(rows.names)) for rows in (view.public, view.known)]
    return -np.abs(places[0][:, None] - places[1][None, :])


def reversed_row_order(view: View) -> Fits:
    places = [_places(rows.owner, len(rows.names)) for rows in (view.public, view.known)]
    return -np.abs(1 - places[0][:, None] - places[1][None, :])


def _firsts(rows: Rows) -> np.ndarray:
    first = np.full(len(rows.names), len(rows.owner))
    np.minimum.at(first, rows.owner, np.arange(len(rows.owner)))
    return first


def first_rows(view: View) -> Fits:
    """The customers in the order in which they first occur."""
    return _by_rank(_firsts(view.public), _firsts(view.known))


def rows_by_name(view: View) -> Fits:
    """A file sorted by customer before the pseudonyms were given."""
    return _by_rank(_firsts(view.public), np.arange(view.shape[1]))


def _listed(rows: Rows) -> np.ndarray:
    """Return the place of each owner in the customers table."""
    places = np.full(len(rows.names), len(rows.listed))
    np.minimum.at(places, rows.listed, np.arange(len(rows.listed)))
    return places


def listed_order(view: View) -> Fits:
    """A customers table in the order of the ids."""
    if not len(view.public.listed):
        return None
    return _by_rank(_listed(view.public), np.arange(view.shape[1]))


def aligned_rows(view: View) -> Fits:
    """The order of rows, by the pseudonym's rows between those that fit a customer's in turn."""
    fits = np.zeros(view.shape)
    shown, known = view.public.owner, view.known.owner
    for place, owner in enumerate(shown):
        middle = place * len(known) // len(shown)
        near = known[max(0, middle - 3) : middle + 4]
        fits[owner, near] += 1
    return fits


def basket_names(view: View) -> Fits:
    """Basket numbers that are those of the shop's own books."""
    if view.public.basket is None or view.known.basket is None:
        return None
    holders: dict[str, set[int]] = {}
    for name, owner in zip(view.known.basket, view.known.owner, strict=True):
        holders.setdefault(name, set()).add(owner)
    fits = np.zeros(view.shape)
    for name, owner in zip(view.public.basket, view.public.owner, strict=True):
        for holder in holders.get(name, ()):
            fits[owner, holder] += 1 / len(holders[name])
    return fits if fits.any() else None


def basket_names_of_customers(view: View) -> Fits:
    """Basket numbers that have the customer's id in them."""
    if view.public.basket is None:
        return None
    fits = np.zeros(view.shape)
    pairs = set(zip(view.public.basket, view.public.owner, strict=True))
    for name, owner in pairs:
        for column, person in enumerate(view.known.names):
            if len(person) >= SHORTEST_ID and name.startswith(person):
                fits[owner, column] += 1
    return fits if fits.any() else None


def within_groups(view: View, content: np.ndarray, groups: np.ndarray) -> dict[str, np.ndarray]:
    """Name the members of each group of equal pseudonyms by one order or the other.

    The rows say who is in the group. Sorted files, numbers and lists often have the customers in
    their old order there, even where the order of the whole file is another one.
    """
    guessed = assigned(view, content)
    orders = {"first row": _firsts(view.public), "name": np.arange(view.shape[0])}
    if len(view.public.listed):
        orders["place in the customers table"] = _listed(view.public)
    if view.public.basket is not None:
        numbers = np.unique(view.public.basket, return_inverse=True)[1]
        smallest = np.full(view.shape[0], len(numbers))
        np.minimum.at(smallest, view.public.owner, numbers)
        orders["basket number"] = smallest
    ids = {"id": np.arange(view.shape[1]), "first row": _firsts(view.known)}
    found = {}
    for shown, places in orders.items():
        for known, ranks in ids.items():
            names = guessed.copy()
            for group in np.unique(groups):
                members = np.flatnonzero(groups == group)
                people = guessed[members]
                names[members[np.argsort(places[members])]] = people[np.argsort(ranks[people])]
            found[f"{shown} by {known} within groups"] = names
    return found


CERTAIN: tuple[Callable[[View], Fits], ...] = (
    same_names,
    names_of_attributes,
    hashed_names,
    basket_names,
    basket_names_of_customers,
)
"""These say something only where they recognize a name."""
ORDERS: tuple[Callable[[View], Fits], ...] = (
    name_order,
    reversed_name_order,
    row_order,
    reversed_row_order,
    first_rows,
    rows_by_name,
    listed_order,
    aligned_rows,
)
"""These always say something: it is believed where the contents of the rows agree."""
