/** Small helpers around the DOM. Text only ever becomes text nodes and attributes, never markup. */

type Child = Node | string;

/** An element with attributes, listeners (`onclick`) and children. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | boolean | ((event: Event) => void)>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

export function button(text: string, title: string, onclick: (event: Event) => void): HTMLButtonElement {
  return make("button", { type: "button", class: "tool", title, onclick }, text);
}

export function all<Type extends HTMLElement>(selector: string, within: ParentNode = document): Type[] {
  return [...within.querySelectorAll<Type>(selector)];
}

const SVG = "http://www.w3.org/2000/svg";

/** A line drawing in a 16 × 16 box; the path is ours. */
export function drawing(path: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export function download(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  // The download has its own hold on the data by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A button that copies and says so for a moment. */
export function copyButton(text: string, title: string, value: () => string): HTMLButtonElement {
  const element = button(text, title, () => {
    void copy(value()).then((copied) => {
      element.textContent = copied ? "Copied" : "Not copied";
      setTimeout(() => (element.textContent = text), 1600);
    });
  });
  element.setAttribute("aria-live", "polite");
  return element;
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages opened from a disk may not use the clipboard; the old way still works there.
    const area = make("textarea", { class: "sr-only" });
    area.value = text;
    const focused = document.activeElement;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return copied;
  }
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
