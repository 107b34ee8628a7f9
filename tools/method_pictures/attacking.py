"""What an attacker knows, and whom an attack names."""

from __future__ import annotations

from tokumei import History, publish, threats
from tokumei.contracts import Anonymizer, Attack, Challenge, Release, Threat
from tokumei.draws import repeatable_secret
from tokumei.judges import HitRate
from tokumei.registry import name_of
from tokumei.tables import frame
from tools.method_pictures.drawing import LINE, Drawing
from tools.method_pictures.rows import CELLS, LEFT, RIGHT, heading, shown
from tools.method_pictures.wording import released_by

WIDE, HIGH = 62, 24
"""A cell of the table of weights."""
BESIDE, ABOVE = 64, 72
"""Where that table begins."""
LEGEND = "□ the truth; ● the attacker's first choice; number: weight of the guess"


def knowledge(history: History, release: Release, threat: Threat, *, seed: int) -> Drawing:
    """Draw the original beside what the attacker knows of it."""
    challenge, _ = threat(history, release, seed=seed)
    drawing = Drawing(f"{name_of(threat)}: {challenge.assumes}")
    columns, known = known_rows(challenge, threat)
    widths = {"person": 58, **dict.fromkeys(columns, 64)}
    heading(drawing, "bought", "known to the attacker", widths, 42)
    y = 42 + 2 * LINE
    for person in history.persons():
        mine = [cells for cells in shown(history, ("person", *CELLS)) if cells[0] == person]
        theirs = [cells for cells in known if cells[0] == person]
        for number, cells in enumerate(mine):
            drawing.row(0, y, cells, LEFT, [""] * len(LEFT))
            if number < len(theirs):
                drawing.row(RIGHT, y, theirs[number], widths, ["", *["new"] * len(columns)])
            y += LINE
        y += 5
    return drawing


def known_rows(challenge: Challenge, threat: Threat) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return the columns that an attacker knows, and the rows, the name first."""
    if isinstance(threat, threats.CustomersTable) and challenge.known.customers is not None:
        columns: tuple[str, ...] = ("sex", "born", "country")
        people = frame(challenge.known.customers).sort("person").select("person", *columns)
        return columns, [list(row) for row in people.iter_rows()]
    columns = tuple(name for name in CELLS if name in challenge.known.visible)
    return columns, sorted(shown(challenge.known, ("person", *columns)))


def weighed(
    history: History, attack: Attack, threat: Threat, method: Anonymizer, *, seed: int
) -> Drawing:
    """Draw how much each customer is believed to be behind each pseudonym."""
    release = publish(history, method(history, seed=seed), secret=repeatable_secret(seed))
    challenge, answer = threat(history, release, seed=seed)
    guess = attack(challenge, seed=seed)
    score = HitRate()(guess, answer)
    truth = dict(frame(answer.pairs).select("target", "value").iter_rows())
    targets = sorted(truth, key=lambda target: truth[target])
    people = history.persons()
    weights: dict[str, dict[str, float]] = {target: {} for target in targets}
    for target, person, weight in frame(guess.pairs).select("target", "value", "weight").rows():
        weights[target][person] = weight
    drawing = Drawing(
        f"{name_of(attack)}: {score.value * score.n:.3g} of {score.n} customers named rightly",
        f"{released_by(method)}; {challenge.assumes[0].lower()}{challenge.assumes[1:]}",
    )
    for column, person in enumerate(people):
        drawing.text(BESIDE + (column + 0.5) * WIDE, ABOVE - 8, person, anchor="middle")
    draw_weights(drawing, weights, people)
    for row, target in enumerate(targets):
        column = people.index(truth[target])
        drawing.box(BESIDE + column * WIDE, ABOVE + row * HIGH, WIDE, HIGH, "right")
    drawing.text(0, ABOVE + len(targets) * HIGH + 20, LEGEND, "s")
    return drawing


def draw_weights(drawing: Drawing, weights: dict[str, dict[str, float]], people: list[str]) -> None:
    """Draw a row for each pseudonym; the more weight, the more fire."""
    largest = max((weight for row in weights.values() for weight in row.values()), default=1.0)
    for row, (target, mine) in enumerate(weights.items()):
        y = ABOVE + row * HIGH
        drawing.text(0, y + 16, target)
        for column, person in enumerate(people):
            x, weight = BESIDE + column * WIDE, mine.get(person)
            drawing.box(x, y, WIDE, HIGH, "grid")
            if weight is not None:
                shade = f' fill-opacity="{0.6 * weight / largest:.2f}"'
                drawing.box(x, y, WIDE, HIGH, "fire", shade)
                mark = "● " if weight == max(mine.values()) else ""
                drawing.text(x + WIDE / 2, y + 16, f"{mark}{weight:.2f}", anchor="middle")
