import hashlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tokumei.draws import bits, derive, hidden_uniform, integers, keys_of, uniform

ROWS = np.arange(100_000)


def test_draws_are_pinned_so_that_old_seeds_keep_their_releases() -> None:
    assert bits(1, "delete-rows", np.arange(3)).tolist() == [
        6227713050107126189,
        13305063197039241788,
        17330757043119190827,
    ]
    assert derive(1, "step") == 514933349039795699


def test_uniform_draws_are_uniform() -> None:
    assert stats.kstest(uniform(3, "stream", ROWS), "uniform").pvalue > 0.001


def test_neighboring_rows_seeds_and_streams_are_independent() -> None:
    draw = uniform(3, "stream", ROWS)
    for other in (np.roll(draw, 1), uniform(4, "stream", ROWS), uniform(3, "streams", ROWS)):
        assert abs(np.corrcoef(draw, other)[0, 1]) < 0.02


def test_integers_reach_both_ends_evenly() -> None:
    counts = np.bincount(integers(0, "stream", ROWS, -2, 2) + 2)
    assert len(counts) == 5
    assert stats.chisquare(counts).pvalue > 0.001


@given(st.integers(0, 2**62), st.text(max_size=5), st.permutations(range(20)))
def test_a_draw_depends_on_its_key_only(seed: int, stream: str, order: list[int]) -> None:
    keys = np.array(order)
    assert (uniform(seed, stream, np.arange(20))[keys] == uniform(seed, stream, keys)).all()


def test_names_have_distinct_keys() -> None:
    assert len(set(keys_of([str(number) for number in range(10_000)]).tolist())) == 10_000


def test_what_publishing_draws_is_a_cryptographic_hash_under_a_secret_key() -> None:
    """BLAKE2b, keyed by 256 bits that depend on the secret and the stream: 8 bytes for a row.

    That publishing draws by it alone: `test_only_publishing_draws_with_the_secret`.
    """
    secret = bytes(range(16))
    key = hashlib.blake2b(b"pseudonyms\0" + secret, digest_size=32).digest()
    block = hashlib.blake2b((1).to_bytes(8, "little"), key=key, digest_size=64).digest()
    by_hand = [int.from_bytes(block[8 * at : 8 * at + 8], "little") >> 11 for at in range(8)]
    drawn = hidden_uniform(secret, "pseudonyms", np.arange(8, 16))
    assert (drawn * 2**53).astype(np.int64).tolist() == by_hand
    assert (hidden_uniform(secret + b"1", "pseudonyms", np.arange(8, 16)) != drawn).all()
