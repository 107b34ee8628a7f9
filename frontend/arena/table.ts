/** The table beside the picture: it says everything that the picture shows. */

import { make, number, percent } from "./dom.ts";
import type { State, Team, Texts } from "./types.ts";

interface Column { key: string; of: (team: Team, state: State) => string; number: boolean }

const ANONYMIZE: Column[] = [
  { key: "rank", of: (team) => String(team.cube?.rank ?? "–"), number: true },
  { key: "team", of: (team) => team.name, number: false },
  { key: "loss", of: (team) => short(team.cube?.loss), number: true },
  { key: "safety", of: (team) => short(team.cube?.safety), number: true },
  { key: "total", of: (team) => number(team.cube?.total), number: true },
];
const ATTACK: Column[] = [
  { key: "rank", of: (team, state) => String(place(team, state)), number: true },
  { key: "team", of: (team) => team.name, number: false },
  { key: "found", of: (team) => team.found.toLocaleString(), number: true },
  { key: "lost", of: (team) => percent(team.lost), number: true },
  { key: "by", of: (team, state) => state.teams.find((one) => one.team === team.lostTo)?.name ?? "–", number: false },
];

/** Utility loss and safety are means of places between the best and the worst. */
function short(value: number | null | undefined): string {
  return value == null ? "–" : value.toFixed(2);
}

function place(team: Team, state: State): number {
  return 1 + state.teams.filter((other) => other.found > team.found).length;
}

export class Table {
  readonly element = make("div", "arena-table");
  private readonly texts: Texts;
  private readonly own: number | null;
  private readonly choose: (team: number) => void;

  constructor(texts: Texts, own: number | null, choose: (team: number) => void) {
    this.texts = texts;
    this.own = own;
    this.choose = choose;
  }

  show(state: State, selected: number | null): void {
    const attack = state.scene === "attack";
    const columns = attack ? ATTACK : ANONYMIZE;
    const table = make("table");
    table.append(make("caption", "", this.texts[attack ? "caption_attack" : "caption_anonymize"]));
    const head = table.createTHead().insertRow();
    for (const column of columns) {
      const cell = make("th", column.number ? "number" : "", this.texts[`column_${column.key}`]);
      cell.scope = "col";
      head.append(cell);
    }
    const body = table.createTBody();
    for (const team of sorted(state)) body.append(this.row(team, state, columns, team.team === selected));
    const focused = (document.activeElement as HTMLElement | null)?.dataset["team"];
    this.element.replaceChildren(table);
    if (focused) this.element.querySelector<HTMLElement>(`button[data-team="${focused}"]`)?.focus();
  }

  private row(team: Team, state: State, columns: Column[], selected: boolean): HTMLTableRowElement {
    const row = make("tr", team.team === this.own ? "own" : "");
    if (selected) row.classList.add("selected");
    for (const column of columns) {
      if (column.key !== "team") {
        row.append(make("td", column.number ? "number" : "", column.of(team, state)));
        continue;
      }
      const name = make("button", "arena-team", team.name);
      name.type = "button";
      name.dataset["team"] = String(team.team);
      name.setAttribute("aria-pressed", String(selected));
      name.addEventListener("click", () => this.choose(team.team));
      const cell = make("th");
      cell.scope = "row";
      cell.append(name);
      row.append(cell);
    }
    return row;
  }
}

/** Return the teams as the table lists them: the first on top. */
export function sorted(state: State): Team[] {
  const key = (team: Team): number =>
    state.scene === "attack" ? -team.found : (team.cube?.rank ?? (team.cube ? 1e6 : 2e6));
  return [...state.teams].sort((a, b) => key(a) - key(b) || a.lost - b.lost || a.team - b.team);
}
