/** Elements with text; text is never markup. */
import { make } from "../dom.ts";

type Child = Node | string;

export function button(text: string, title: string, onClick: () => void): HTMLButtonElement {
  const element = make("button", { type: "button", title }, text);
  element.addEventListener("click", onClick);
  return element;
}

/** A drop-down with its label; `options` are value and text. */
export function choice(
  label: string,
  options: readonly (readonly [string, string])[],
  onChange: (value: string) => void,
): { label: HTMLLabelElement; select: HTMLSelectElement } {
  const select = make("select", {}, ...options.map(([value, text]) => make("option", { value }, text)));
  select.addEventListener("change", () => onChange(select.value));
  return { label: make("label", {}, `${label} `, select), select };
}

export function checkbox(
  label: string,
  checked: boolean,
  onChange: (checked: boolean) => void,
): { label: HTMLLabelElement; input: HTMLInputElement } {
  const input = make("input", { type: "checkbox" });
  input.checked = checked;
  input.addEventListener("change", () => onChange(input.checked));
  return { label: make("label", { class: "trace-check" }, input, ` ${label}`), input };
}

/** Names and values; a value may be longer. */
export function facts(entries: readonly (readonly [string, string])[]): HTMLDListElement {
  return make(
    "dl",
    {},
    ...entries.map(([name, value]) =>
      make(
        "div",
        value.length > 40 ? { class: "trace-wide" } : {},
        make("dt", {}, name),
        make("dd", {}, value),
      ),
    ),
  );
}

export function table(
  caption: string,
  head: readonly Child[],
  rows: readonly (readonly Child[])[],
): HTMLTableElement {
  const cells = (row: readonly Child[]) =>
    make(
      "tr",
      {},
      ...row.map((child, i) => (i === 0 ? make("th", { scope: "row" }, child) : make("td", {}, child))),
    );
  return make(
    "table",
    {},
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows.map((row) => cells(row))),
  );
}
