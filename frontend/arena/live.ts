/** The story of a running contest: asked for again whenever the page hears that something happened. */

import type { ArenaHandle } from "./arena.ts";
import type { Story } from "./types.ts";

/** What the page's live channel says on the body. */
const NEWS = ["submission", "guess", "contest", "set", "team", "script", "release", "changed"];
/** Many things at once are one reason to ask, not everybody asks at once, and failing that again. */
const WAIT = 300;
const AGAIN = 5000;

export function follow(arena: ArenaHandle, address: string): void {
  let timer = 0;
  let asking = false;
  let more = false;
  const later = (milliseconds: number): void => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void ask(), milliseconds);
  };
  const ask = async (): Promise<void> => {
    if (asking) {
      more = true;
      return;
    }
    asking = true;
    more = false;
    try {
      const answer = await fetch(address, { credentials: "same-origin" });
      if (answer.ok) arena.load((await answer.json()) as Story);
      else if (answer.status >= 500) later(AGAIN);
    } catch {
      later(AGAIN);
    }
    asking = false;
    if (more) later(WAIT);
  };
  for (const name of NEWS) document.body.addEventListener(`live:${name}`, () => later(WAIT + Math.random() * WAIT));
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) later(0);
  });
  void ask();
}
