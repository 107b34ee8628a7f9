/** What the shapes and the axes mean. */

import { make } from "./dom.ts";
import type { State, Texts } from "./types.ts";

const ANONYMIZE = ["counts", "other", "left", "front", "top"];
const ATTACK = ["column", "ice", "melted", "ripple"];

export class Legend {
  readonly element = make("details", "arena-legend");
  private readonly list = make("ul");
  private readonly note = make("p");
  private readonly texts: Texts;
  private scene = "";

  constructor(texts: Texts, open: boolean) {
    this.texts = texts;
    this.element.open = open;
    this.element.append(make("summary", "", texts["legend"]), this.list, this.note);
  }

  show(state: State): void {
    if (state.scene === this.scene) return;
    this.scene = state.scene;
    const items = (state.scene === "attack" ? ATTACK : ANONYMIZE).map((name) => {
      const item = make("li", "", this.texts[`legend_${name}`]);
      item.prepend(make("span", `arena-swatch ${name}`));
      return item;
    });
    this.list.replaceChildren(...items);
    this.note.textContent = this.texts[`legend_note_${state.scene}`] ?? "";
  }
}
