/** Light, dark, or as the system has it. Kept in the browser where that is allowed; pages from a disk may be refused. */
import { drawing, make } from "./dom.ts";

const KEY = "plimsoll-theme";
const THEMES = [
  ["auto", "Colours as in the system settings", "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 1 1 0 12"],
  [
    "light",
    "Light colours",
    "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 1 0 0-5.6M8 1.2v1.4M8 13.4v1.4M1.2 8h1.4M13.4 8h1.4M3.2 3.2l1 1M11.8 11.8l1 1M12.8 3.2l-1 1M4.2 11.8l-1 1",
  ],
  ["dark", "Dark colours", "M13.6 9.6A6 6 0 1 1 6.4 2.4a4.8 4.8 0 0 0 7.2 7.2z"],
] as const;

/** Before the page is drawn, so that it does not change colour. */
export function applyStoredTheme(): void {
  set(stored());
}

export function themeSwitch(): HTMLElement {
  const buttons = THEMES.map(([theme, title, path]) => {
    const button = make("button", {
      type: "button",
      title,
      "aria-label": title,
      "data-theme-choice": theme,
      onclick: () => {
        choose(theme);
        store(theme);
      },
    });
    button.append(drawing(path));
    return button;
  });
  const choose = (theme: string): void => {
    set(theme);
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.themeChoice === theme));
  };
  choose(stored());
  return make("div", { class: "themes", role: "group", "aria-label": "Colours" }, ...buttons);
}

function set(theme: string): void {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Runs `work` in light colours, for pictures that leave the page. Nothing is drawn in between. */
export function inLightColours<Result>(work: () => Result): Result {
  const before = document.documentElement.dataset.theme ?? "auto";
  set("light");
  try {
    return work();
  } finally {
    set(before);
  }
}

export function printInLightColours(): void {
  let before = "auto";
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme ?? "auto";
    set("light");
  });
  addEventListener("afterprint", () => set(before));
}

function stored(): string {
  try {
    const theme = localStorage.getItem(KEY);
    return THEMES.some(([name]) => name === theme) ? theme! : "auto";
  } catch {
    return "auto";
  }
}

function store(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It lasts until the page is closed, then.
  }
}
