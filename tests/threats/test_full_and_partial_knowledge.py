import math

from hypothesis import given
from hypothesis import strategies as st

from tokumei import History, generate, publish
from tokumei.history import ROW
from tokumei.tables import frame
from tokumei.threats import FullKnowledge, PartialRows

SHOP = generate("shop", customers=30, seed=3)
RELEASE = publish(SHOP, SHOP, secret=b"1")


def test_full_knowledge_is_the_original(fruit: History) -> None:
    challenge, answer = FullKnowledge()(fruit, publish(fruit, fruit, secret=b"1"), seed=1)
    assert challenge.known.frame().equals(fruit.frame())
    assert frame(challenge.candidates)["value"].to_list() == ["Alice", "Bob", "Carol", "Dan"]
    assert frame(answer.pairs)["value"].sort().to_list() == ["Alice", "Bob", "Carol", "Dan"]


def test_a_customer_without_released_rows_is_not_asked_for(fruit: History) -> None:
    without = fruit.with_purchases(fruit.frame().filter(fruit.frame()["person"] != "Alice"))
    challenge, answer = FullKnowledge()(fruit, publish(fruit, without, secret=b"1"), seed=1)
    assert len(frame(challenge.targets)) == 3
    assert "Alice" in frame(challenge.candidates)["value"]
    assert "Alice" not in frame(answer.pairs)["value"]


@given(st.floats(0.01, 1), st.integers(0, 2**40))
def test_of_every_customer_the_share_is_known_rounded_up(share: float, seed: int) -> None:
    challenge, _ = PartialRows(share=share)(SHOP, RELEASE, seed=seed)
    whole = dict(SHOP.frame().group_by("person").len().iter_rows())
    known = dict(challenge.known.frame().group_by("person").len().iter_rows())
    assert known == {person: math.ceil(rows * share) for person, rows in whole.items()}
    assert set(challenge.known.frame()[ROW]) <= set(SHOP.frame()[ROW])


def test_the_assumption_says_how_much_is_known() -> None:
    challenge, _ = PartialRows(share=0.25)(SHOP, RELEASE, seed=1)
    assert challenge.assumes == "The attacker knows 25% of the purchases of every customer."
