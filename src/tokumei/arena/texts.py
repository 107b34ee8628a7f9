"""The words of the arena, which its program takes from the page."""

from __future__ import annotations

from functools import partial

from tokumei.words import Language, translate


def arena_texts(language: Language) -> dict[str, str]:
    """Return every text that the arena shows."""
    tr = partial(translate, language=language)
    return {
        "picture": tr("The contest as a picture; the table beside it says the same in words."),
        "no_webgl": tr(
            "This browser cannot draw in three dimensions (WebGL is missing); "
            "the table shows the same contest."
        ),
        "frozen": tr("The results stand still; newer ones are shown after the contest."),
        "phase_null": tr("The contest has not begun"),
        "phase_anonymize": tr("Anonymization phase"),
        "phase_break": tr("Break"),
        "phase_attack": tr("Re-identification phase"),
        "phase_closed": tr("The contest is over"),
        "mark_null": "",
        "mark_anonymize": tr("anonymization"),
        "mark_break": tr("break"),
        "mark_attack": tr("re-identification"),
        "mark_closed": tr("end"),
        "axis_loss": tr("utility loss (0: best)"),
        "axis_safety": tr("safety (1: best)"),
        "axis_rank": tr("rank (top: first)"),
        "legend": tr("What is shown"),
        "legend_counts": tr("Cube: the submission of a team that counts"),
        "legend_other": tr("Small cube: another submission"),
        "legend_left": tr("To the left: less utility is lost"),
        "legend_front": tr("To the front, and in a stronger color: safer"),
        "legend_top": tr("Higher: better rank"),
        "legend_note_anonymize": tr(
            "Utility loss and safety are means over the metrics of that kind; each metric runs "
            "from the best to the worst value so far."
        ),
        "legend_column": tr("Column: how many the team has re-identified"),
        "legend_ice": tr("Ice: the safety that the team's data still has"),
        "legend_melted": tr("Outline: what has melted"),
        "legend_ripple": tr("Ring of fire: a successful attack on its way"),
        "legend_note_attack": tr(
            "A column adds the best guess against each other team. Of the ice, the share melts "
            "that the best attacker has re-identified."
        ),
        "column_rank": tr("Rank"),
        "column_team": tr("Team"),
        "column_loss": tr("Utility loss"),
        "column_safety": tr("Safety"),
        "column_total": tr("Total"),
        "column_found": tr("Re-identified"),
        "column_lost": tr("Melted"),
        "column_by": tr("By"),
        "more": tr("and {count} more metrics in the results"),
        "would_rank": tr("Rank if it counted"),
        "caption_anonymize": tr("Teams by rank; a name follows the team in the picture."),
        "caption_attack": tr("Teams by what they re-identified; a name follows the team."),
        "automatic": tr("Automatic camera"),
        "calm": tr("Less motion"),
        "projector": tr("Projector"),
        "projector_hint": tr("Large type, no mouse; Esc goes back"),
        "full": tr("Full screen"),
        "play": tr("Play"),
        "pause": tr("Pause"),
        "speed": tr("Speed"),
        "time": tr("Time of the contest"),
        "live": tr("Live"),
    }
