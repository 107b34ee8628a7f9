/** What one reads about a team or a submission under the pointer. */

import { make, number, percent } from "./dom.ts";
import type { Picked } from "./picking.ts";
import type { Language, Metric, State, Texts } from "./types.ts";

const AWAY = 14;
/** Some contests have thirty metrics; the table of results shows them all. */
const MOST_METRICS = 12;

export class Card {
  readonly element = make("div", "arena-card");
  private readonly texts: Texts;
  private readonly language: Language;

  constructor(texts: Texts, language: Language) {
    this.texts = texts;
    this.language = language;
    this.element.hidden = true;
  }

  hide(): void {
    this.element.hidden = true;
  }

  show(picked: Picked, state: State, metrics: Metric[], x: number, y: number): void {
    const { team, cube } = picked;
    const said = (key: string): string => this.texts[key] ?? key;
    const rows: [string, string][] = [];
    if (cube) {
      const place = cube.rank === null ? "–" : String(cube.rank);
      rows.push([said(cube.counts ? "column_rank" : "would_rank"), place]);
      rows.push([said("column_loss"), number(cube.loss)], [said("column_safety"), number(cube.safety)]);
      for (const metric of metrics.slice(0, MOST_METRICS)) {
        const arrow = metric.better === "higher" ? "▲" : "▼";
        rows.push([`${metric.title[this.language]} ${arrow}`, number(cube.values[metric.name])]);
      }
    }
    if (state.scene === "attack") {
      const attacker = state.teams.find((one) => one.team === team.lostTo);
      rows.push([said("column_found"), team.found.toLocaleString()]);
      rows.push([said("column_lost"), percent(team.lost)]);
      if (attacker) rows.push([said("column_by"), attacker.name]);
    }
    const list = make("dl");
    for (const [name, value] of rows) list.append(make("dt", "", name), make("dd", "", value));
    const heading = cube ? `${team.name} · #${cube.submission}` : team.name;
    this.element.replaceChildren(make("strong", "", heading), list);
    const more = metrics.length - MOST_METRICS;
    if (cube && more > 0) this.element.append(make("small", "", said("more").replace("{count}", String(more))));
    this.element.hidden = false;
    const box = this.element.parentElement!.getBoundingClientRect();
    const own = this.element.getBoundingClientRect();
    const left = x + AWAY + own.width > box.width ? x - AWAY - own.width : x + AWAY;
    const top = Math.min(y + AWAY, box.height - own.height - 4);
    this.element.style.setProperty("left", `${Math.max(4, left)}px`);
    this.element.style.setProperty("top", `${Math.max(4, top)}px`);
  }
}
