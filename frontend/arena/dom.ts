/** Small helpers for the parts of the page; styles and texts are set without markup. */

export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  classes = "",
  text = "",
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  if (classes) element.className = classes;
  if (text) element.textContent = text;
  return element;
}

export function button(text: string, act: () => void, hint = ""): HTMLButtonElement {
  const made = make("button", "", text);
  made.type = "button";
  if (hint) made.title = hint;
  made.addEventListener("click", act);
  return made;
}

/** Write a score so that a column of them lines up. */
export function number(value: number | null | undefined): string {
  if (value == null) return "–";
  if (value !== 0 && Math.abs(value) < 0.00005) return value.toExponential(2);
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString() : value.toFixed(4);
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
