/** The module that pages load: it offers `createArena`, and starts where a page has its settings. */

import { createArena } from "./arena.ts";
import { follow } from "./live.ts";
import type { Options, Story } from "./types.ts";

export { createArena } from "./arena.ts";
export { stateAt, tell } from "./story.ts";

const PLACE = "arena";
const STORY = "arena-story";

function read<T>(text: string | null | undefined): T | null {
  return text ? (JSON.parse(text) as T) : null;
}

const element = document.getElementById(PLACE);
const options = read<Options>(element?.dataset["options"]);
if (element && options) {
  const told = read<Story>(document.getElementById(STORY)?.textContent);
  const asked = new URLSearchParams(location.search);
  const arena = createArena(element, {
    ...options,
    ...(told ? { story: told } : {}),
    projector: asked.has("projector"),
  });
  if (options.live) follow(arena, options.live);
  else if (!matchMedia("(prefers-reduced-motion: reduce)").matches) arena.play();
}
