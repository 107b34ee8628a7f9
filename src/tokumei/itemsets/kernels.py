"""The compiled loops of the item-set search.

`search.py` imports this module when a search runs, not before: numba takes long to load. Threads
run the loops side by side, which release the lock of the interpreter; numba's own parallel loops
would bind the process to a threading layer that does not survive a fork. What is compiled
together stands in one file, because numba's cache does not look into others for changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tokumei.itemsets.compiling import compiled
from tokumei.itemsets.inverted import (
    PLANES,
    Ints,
    Postings,
    Rows,
    Scratch,
    lend,
    lend_postings,
    lend_rows,
    lend_scratch,
)

STRIDE = 128  # sums that are looked at together
EXTRA = 3  # items beyond the shortest prefix that is exact: fewer candidates to verify
VERIFY = 32  # candidates in a block that are verified one by one; with more, all items are read
WORTH = 0.5  # places read, per base set, up to which a first part is quicker than all items
SLACK = 1e-12  # bounds are loosened by this share, so that rounding never loses a match


@compiled
def mix(x: Any) -> Any:
    """Finish a hash as `tokumei.draws` does."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def draw(start: Any, query: Any, base: Any) -> Any:
    """Return 64 random bits for a pair of keys."""
    return mix(mix(query * np.uint64(0x9E3779B97F4A7C15) ^ start) + base)


@compiled
def required(similarity: float, total: Any) -> Any:
    """Return the least overlap that reaches a similarity, of two sets that sum to `total`."""
    return max(np.int64(np.ceil(similarity * total / (1 + similarity) * (1 - SLACK))), 1)


# The next functions count bits in many places at once. They take whole arrays and positions in
# them, not slices, which cost numba more than the work; unsigned, as numba checks signed ones.


@compiled
def add_two(digits: Any, ones: Any, carry: Any, x: Any, a: Any, y: Any, b: Any, words: Any) -> None:
    """Add the bits at x[a] and y[b] to the digits at `ones`; the next digits go to `carry`."""
    for j in range(words):
        one, two, three = digits[ones + j], x[a + j], y[b + j]
        half = one ^ two
        digits[carry + j] = (one & two) | (half & three)
        digits[ones + j] = half ^ three


@compiled
def add_carry(digits: Any, ones: Any, carry: Any, words: Any) -> None:
    """Add the carry to digits; it becomes the carry to the next ones."""
    for j in range(words):
        one, two = digits[ones + j], digits[carry + j]
        digits[ones + j] = one ^ two
        digits[carry + j] = one & two


@compiled
def add_eight(digits: Any, bits: Any, lines: Any, words: Any) -> None:
    """Add eight lines of bits to the planes 0 to 2; the carry to plane 3 goes to the last plane."""
    zero, twos, fours = np.uint64(0), words, words + words
    s = np.uint64(PLANES - 1) * words
    t, u, v = s - words, s - fours, s - fours - words
    add_two(digits, zero, s, bits, lines[0], bits, lines[1], words)
    add_two(digits, zero, t, bits, lines[2], bits, lines[3], words)
    add_two(digits, twos, u, digits, s, digits, t, words)
    add_two(digits, zero, s, bits, lines[4], bits, lines[5], words)
    add_two(digits, zero, t, bits, lines[6], bits, lines[7], words)
    add_two(digits, twos, v, digits, s, digits, t, words)
    add_two(digits, fours, s, digits, u, digits, v, words)


@compiled
def zip_bits(
    digits: Any, a: Any, b: Any, even: Any, odd: Any, low: Any, step: Any, words: Any
) -> None:
    """Put fields of `step` bits at a and b side by side; `low` masks every other field."""
    for j in range(words):
        x, y = digits[a + j], digits[b + j]
        digits[even + j] = (x & low) | ((y & low) << step)
        digits[odd + j] = ((x >> step) & low) | (y & (low << step))


@compiled
def add_fields(sums: Any, run: Any, fields: Any, at: Any, unit: Any, lanes: Any) -> None:
    """Add the low halves of bytes to a run of sums, the high halves to the fourth run on."""
    for j in range(lanes):
        sums[run + j] += np.uint16((fields[at + j] & 15) * unit)
    run += np.uint64(4) * lanes
    for j in range(lanes):
        sums[run + j] += np.uint16((fields[at + j] >> 4) * unit)


@compiled
def unpack(work: Scratch, depth: int, words: Any) -> None:
    """Add the binary numbers to the sums, four digits at a time."""
    digits, fields, sums = work.digits, work.fields, work.sums
    lanes = np.uint64(8) * words
    free = words * np.uint64(PLANES - 6)
    by_one, by_two = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
    for digit in range(0, depth, 4):
        unit = np.uint16(1 << digit)
        at = words * np.uint64(digit)
        for k in range(2):
            pair = np.uint64(2 * k) * words
            zip_bits(digits, at + pair, at + pair + words, free + pair, free + pair + words,
                     by_one, np.uint64(1), words)  # fmt: skip
        for odd in range(2):
            # Of the eight runs of places, this has odd, odd + 2, odd + 4 and odd + 6.
            part = free + np.uint64(odd) * words
            even = free + np.uint64(4) * words
            zip_bits(digits, part, part + words + words, even, even + words,
                     by_two, np.uint64(2), words)  # fmt: skip
            run = np.uint64(odd) * lanes
            add_fields(sums, run, fields, np.uint64(8) * even, unit, lanes)
            run += lanes + lanes
            add_fields(sums, run, fields, np.uint64(8) * (even + words), unit, lanes)


@compiled
def add_common(
    items: Any, first: int, last: int, postings: Postings, block: int, work: Scratch
) -> None:
    """Add common items: count them in binary, 64 places in a word and several words at once."""
    digits, common = work.digits, postings.common
    words = np.uint64(len(work.sums) // 64)
    lines = np.empty(8, np.uint64)
    digits[: 4 * words] = 0
    depth = 3
    for k in range(first, last, 8):
        for i in range(8):
            line = items[k + i] - postings.first_common if k + i < last else common
            lines[i] = np.uint64(block * (common + 1) + line) * words
        add_eight(digits, postings.bits, lines, words)
        digit = 3
        while ((k - first) // 8 + 1) >> (digit - 3) > 0:
            if digit == depth:
                depth += 1
                if digit % 4 == 0:
                    digits[digit * words : (digit + 4) * words] = 0
            add_carry(digits, np.uint64(digit) * words, np.uint64(PLANES - 1) * words, words)
            digit += 1
    unpack(work, depth, words)


@compiled
def add_places(
    rows: Rows, row: int, span: Any, postings: Postings, block: int, work: Scratch
) -> None:
    """Add what a span of the query's items shares with every base set of a block."""
    sums, places = work.sums, postings.places
    for k in range(rows.starts[row] + span[0], rows.starts[row] + span[1]):
        cell = rows.items[k] * postings.blocks + block
        left, right = postings.cells[cell], postings.cells[cell + 1]
        if len(rows.values):
            for p in range(left, right):
                sums[places[p]] += min(rows.values[k], postings.values[p])
        else:
            for p in range(left, right):
                sums[places[p]] += 1


@compiled
def add_items(
    rows: Rows, row: int, first: int, postings: Postings, block: int, work: Scratch
) -> None:
    """Add all items of the query from the first on, common ones by their bits."""
    start, end = rows.starts[row], rows.starts[row + 1]
    rare = first
    while start + rare < end and rows.items[start + rare] < postings.first_common:
        rare += 1
    add_places(rows, row, (first, rare), postings, block, work)
    if start + rare < end:
        add_common(rows.items, start + rare, end, postings, block, work)


@compiled
def mark(rows: Rows, row: int, marks: Ints, on: int) -> None:
    """Note how much of each item a query has (on = 1), or forget it again (on = 0)."""
    for k in range(rows.starts[row], rows.starts[row + 1]):
        marks[rows.items[k]] = on * (rows.values[k] if len(rows.values) else 1)


@compiled
def marked_overlap(rows: Rows, row: int, above: int, marks: Ints) -> Any:
    """Return what a base set shares with the marked query in items commoner than `above`."""
    found = np.int64(0)
    k = rows.starts[row + 1] - 1
    while k >= rows.starts[row] and rows.items[k] > above:
        own = marks[rows.items[k]]
        found += min(own, rows.values[k]) if len(rows.values) else own
        k -= 1
    return found


@compiled
def offer(similarity: float, key: Any, row: int, similarities: Any, draws: Any, rows: Any) -> None:
    """Put a match into a query's list, which is sorted by similarity, then by draw."""
    at = len(rows) - 1
    if similarity < similarities[at] or (similarity == similarities[at] and key <= draws[at]):
        return
    while at > 0 and (
        similarity > similarities[at - 1]
        or (similarity == similarities[at - 1] and key > draws[at - 1])
    ):
        similarities[at], draws[at], rows[at] = similarities[at - 1], draws[at - 1], rows[at - 1]
        at -= 1
    similarities[at], draws[at], rows[at] = similarity, key, row


@compiled
def needed(own: Any, floor: float, low: Any, high: Any) -> Any:
    """Return the least overlap with base sets of totals low..high that reaches the floor, or 0.

    Two sets are at most as similar as their totals; 0 says that no set is near enough.
    """
    least = np.int64(np.ceil(floor * own * (1 - SLACK)))
    if own == 0 or high < least or own < floor * low * (1 - SLACK):
        return np.int64(0)
    return required(floor, own + max(least, low))


@compiled
def first_part(queries: Rows, query: int, need: Any) -> Any:
    """Return how many items to read at first, and how much overlap the others can bring.

    Items at the end that together cannot reach what is needed wait: whoever is similar enough
    shares some item before them. As these are the rare ones, few base sets do.
    """
    start, end = queries.starts[query], queries.starts[query + 1]
    if len(queries.values) == 0:
        rest = max(need - 1 - EXTRA, 0)
        return end - start - rest, rest
    rest = np.int64(0)
    k = end
    while k > start and rest + queries.values[k - 1] < need:
        k -= 1
        rest += queries.values[k]
    stop = min(k + EXTRA, end)
    for i in range(k, stop):
        rest -= queries.values[i]
    return stop - start, rest


@compiled
def peak(part: Any) -> Any:
    """Return the largest sum."""
    largest = part[0]
    for j in range(len(part)):
        if part[j] > largest:
            largest = part[j]
    return largest


@compiled
def candidates(sums: Any, bar: Any) -> int:
    """Count the sums that reach the bar, up to a few more than should be verified one by one."""
    many = 0
    for stride in range(0, len(sums), STRIDE):
        part = sums[stride : stride + STRIDE]
        if peak(part) >= bar:
            for j in range(len(part)):
                many += int(part[j] >= bar)
            if many > VERIFY:
                break
    return many


@compiled
def read_block(
    queries: Rows, query: int, need: Any, postings: Postings, block: int, work: Scratch
) -> Any:
    """Sum up the overlaps with a block; return how many items were read, and what is open.

    No items were read when no base set can match. Where something is open the query is marked,
    for the candidates to be verified.
    """
    start, end = queries.starts[query], queries.starts[query + 1]
    upto, rest = first_part(queries, query, need)
    work.sums[:] = 0
    read = 0
    for k in range(start, start + upto):
        cell = queries.items[k] * postings.blocks + block
        read += postings.cells[cell + 1] - postings.cells[cell]
    if rest == 0 or (len(queries.values) == 0 and read > postings.block * WORTH):
        add_items(queries, query, 0, postings, block, work)
        return end - start, np.int64(0)
    add_places(queries, query, (0, upto), postings, block, work)
    many = candidates(work.sums, need - rest)
    if many > VERIFY:
        add_items(queries, query, upto, postings, block, work)
        return end - start, np.int64(0)
    if many == 0:
        return 0, np.int64(0)
    mark(queries, query, work.marks, 1)
    return upto, np.int64(rest)


@compiled
def offer_peak(
    own: Any, query: int, base: Rows, low: int, keys: Any, sums: Any,
    similarities: Any, draws: Any, rows: Any,
) -> None:  # fmt: skip
    """Offer a base set with the largest overlap: as a rule, no other need be looked at then."""
    top, at = sums[0], 0
    for start in range(0, len(sums), STRIDE):
        largest = peak(sums[start : start + STRIDE])
        if largest > top:
            top, at = largest, start
    while sums[at] < top:
        at += 1
    if top > 0:
        similarity = top / (own + base.totals[low + at] - top)
        key = draw(keys[0], keys[1][query], keys[2][low + at])
        offer(similarity, key, low + at, similarities, draws, rows)


@compiled
def search_block(
    queries: Rows, query: int, base: Rows, postings: Postings, block: int,
    keys: Any, work: Scratch, similarities: Any, draws: Any, rows: Any,
) -> None:  # fmt: skip
    """Offer the base sets of one block to a query's list."""
    low = block * postings.block
    high = min(low + postings.block, len(base.totals))
    own = queries.totals[query]
    need = needed(own, similarities[-1], base.totals[low], base.totals[high - 1])
    if need == 0:
        return
    upto, rest = read_block(queries, query, need, postings, block, work)
    if upto == 0:
        return
    above = queries.items[queries.starts[query] + upto - 1]
    if len(rows) == 1 and rest == 0:
        # It will be offered again; a list of one takes nothing twice.
        offer_peak(own, query, base, low, keys, work.sums, similarities, draws, rows)
    for start in range(low, high, STRIDE):
        stop = min(start + STRIDE, high)
        part = work.sums[start - low : stop - low]
        # Sorted by total, the base sets of a stride need about the same.
        need = needed(own, similarities[-1], base.totals[start], base.totals[stop - 1])
        if need == 0 or peak(part) < need - rest:
            continue
        for row in range(start, stop):
            if part[row - start] + rest >= need:
                overlap = np.int64(part[row - start])
                if rest > 0:
                    overlap += marked_overlap(base, row, above, work.marks)
                similarity = overlap / (own + base.totals[row] - overlap)
                if similarity >= similarities[-1]:
                    key = draw(keys[0], keys[1][query], keys[2][row])
                    offer(similarity, key, row, similarities, draws, rows)
    mark(queries, query, work.marks, 0)


@compiled
def search(
    queries: Rows, chosen: Ints, base: Rows, postings: Postings, order: Ints,
    keys: Any, work: Scratch, similarities: Any, draws: Any, rows: Any,
) -> None:  # fmt: skip
    """Write the best matches of the chosen queries to the last three arrays.

    `keys` are the seed's, the queries' and the base sets'. All queries visit a block before the
    next one is touched, so that its postings stay in the cache.
    """
    queries, base, postings = lend_rows(queries), lend_rows(base), lend_postings(postings)
    work, keys = lend_scratch(work), (keys[0], lend(keys[1]), lend(keys[2]))
    similarities, draws, rows = lend(similarities), lend(draws), lend(rows)
    for block in order:
        for query in chosen:
            search_block(
                queries, query, base, postings, block, keys, work,
                similarities[query], draws[query], rows[query],
            )  # fmt: skip


@compiled
def compare(
    rows: Rows, first: int, last: int, postings: Postings, bins: Ints, work: Scratch
) -> Any:
    """Compare the rows first..last with all that follow them; count the similarities in bins.

    Return their sum and the largest. Pairs that share nothing are not counted.
    """
    rows, postings, work = lend_rows(rows), lend_postings(postings), lend_scratch(work)
    total, largest = 0.0, 0.0
    count = len(bins)
    for block in range(first // postings.block, postings.blocks):
        low = block * postings.block
        high = min(low + postings.block, len(rows.totals))
        for row in range(first, min(last, high)):
            work.sums[:] = 0
            add_items(rows, row, 0, postings, block, work)
            for j in range(max(row + 1 - low, 0), high - low):
                overlap = np.int64(work.sums[j])
                if overlap > 0:
                    union = rows.totals[row] + rows.totals[low + j] - overlap
                    total += overlap / union
                    largest = max(largest, overlap / union)
                    bins[min(overlap * count // union, count - 1)] += 1
    return total, largest
