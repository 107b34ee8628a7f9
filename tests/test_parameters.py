import math
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from annotated_types import Ge, Gt, Interval, Le, Lt
from typing_extensions import Doc

from tokumei.errors import ParameterError
from tokumei.parameters import Checked, parameters


@dataclass(frozen=True, kw_only=True)
class Example(Checked):
    share: Annotated[float, Interval(ge=0, lt=1), Doc("A share.")] = 0.5
    count: Annotated[int, Ge(1)] = 3
    above: Annotated[float, Gt(0)] = 1.0
    most: Annotated[int, Le(9)] = 9
    below: Annotated[int, Lt(9)] = 8
    kind: Literal["a", "b"] = "a"
    flag: bool = False
    maybe: Annotated[int | None, Ge(2)] = None


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"share": 1}, r"share must lie in \[0, 1\), not 1\."),
        ({"share": -0.1}, "share must lie in"),
        ({"share": math.nan}, "share must be a finite number, not nan"),
        ({"share": "x"}, "share must be a number, not 'x'"),
        ({"share": True}, "share must be a number, not True"),
        ({"count": 0}, r"count must be at least 1, not 0\."),
        ({"count": 1.5}, "count must be a whole number, not 1.5"),
        ({"above": 0}, "above must be above 0, not 0"),
        ({"most": 10}, "most must be at most 9, not 10"),
        ({"below": 9}, "below must be below 9, not 9"),
        ({"kind": "c"}, "kind must be a or b, not 'c'"),
        ({"flag": 1}, "flag must be true or false, not 1"),
        ({"maybe": 1}, "maybe must be at least 2, not 1"),
    ],
)
def test_a_value_out_of_range_is_named_with_its_rule(given: dict, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        Example(**given)


def test_values_in_range_are_taken() -> None:
    assert Example(share=0, count=1, kind="b", flag=True, maybe=2).maybe == 2
    assert Example(maybe=None).maybe is None


def test_declarations_tell_what_may_be_given() -> None:
    told = {parameter.name: parameter for parameter in parameters(Example)}
    assert told["share"].doc == "A share."
    assert told["share"].allowed == "[0, 1)"
    assert told["count"].allowed == "≥ 1"
    assert told["above"].allowed == "> 0"
    assert told["most"].allowed == "≤ 9"
    assert told["below"].allowed == "< 9"
    assert told["kind"].allowed == "a | b"
    assert told["count"].default == 3
    assert told["maybe"].optional
    assert told["flag"].allowed == ""
