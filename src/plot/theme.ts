/**
 * The one place of colours. Figures name custom properties, so a page switches its theme without drawing again.
 * Read, write and related colours follow Okabe and Ito's palette, which readers with colour-blindness tell apart; the
 * sequential scales run through the hues of viridis and stop where they would fade into the background. theme.test.ts
 * computes the contrasts: text 4.5 to 1, what is drawn 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11).
 */

import type { Role } from "../model/index.ts";
import { tag } from "./svg.ts";

export type ThemeName = "light" | "dark";

interface Theme {
  readonly background: string;
  readonly surface: string;
  readonly grid: string;
  readonly text: string;
  readonly muted: string;
  readonly roles: Readonly<Record<Role, string>>;
  readonly severities: { readonly high: string; readonly warn: string; readonly info: string };
  /** From little to much. */
  readonly sequential: readonly string[];
  /** From below over the middle to above. */
  readonly diverging: readonly string[];
}

export const SEQUENTIAL_CLASSES = 10;

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  light: {
    background: "#ffffff",
    surface: "#eef1f5",
    grid: "#e1e6ec",
    text: "#141c26",
    muted: "#596575",
    roles: {
      read: "#0072b2",
      write: "#d55e00",
      metadata: "#7d6b99",
      wait: "#8a7400",
      other: "#737a82",
      neutral: "#4c5a70",
      before: "#7f8690",
      after: "#0f7d5c",
      context: "#6f88a4",
      high: "#b3241c",
      warn: "#a96a00",
    },
    severities: { high: "#b3241c", warn: "#7d4f00", info: "#47617f" },
    sequential: "#5fa136 #479762 #228c82 #2a7a8c #306791 #395290 #403d84 #442672 #351550 #23052e".split(" "),
    diverging: "#0b4f8a #2f74b5 #5a93c9 #7f8fa3 #8a8a8a #a8835f #c8702a #b04e08 #7f3300".split(" "),
  },
  dark: {
    background: "#141a21",
    surface: "#1b232c",
    grid: "#252f3a",
    text: "#e7ecf2",
    muted: "#97a3b2",
    roles: {
      read: "#56b4e9",
      write: "#ff9e4a",
      metadata: "#b4a5d0",
      wait: "#d8c04a",
      other: "#9aa0a8",
      neutral: "#b9c3d3",
      before: "#868e9a",
      after: "#45c79a",
      context: "#7f98b4",
      high: "#ff8d83",
      warn: "#e5aa3f",
    },
    severities: { high: "#ff8d83", warn: "#efc06c", info: "#a2bedd" },
    sequential: "#7a5cc0 #6573c2 #4b87bf #3c9aa8 #3bad8f #55c071 #86cf58 #beda42 #e0e870 #fdf6a8".split(" "),
    diverging: "#9bd4ff #6fbaf0 #5299cf #6c8297 #7d7d7d #9a7f63 #d58b45 #ffa858 #ffd0a3".split(" "),
  },
};

/** Custom properties without their dashes: "plot-read" to a colour. */
export function themeProperties(name: ThemeName): ReadonlyMap<string, string> {
  const { background, surface, grid, text, muted, roles, severities, sequential, diverging } = THEMES[name];
  const entries: Record<string, string> = { background, surface, grid, text, muted, ...roles };
  for (const [severity, colour] of Object.entries(severities)) entries[`severity-${severity}`] = colour;
  for (const [index, colour] of sequential.entries()) entries[`seq-${index}`] = colour;
  for (const [index, colour] of diverging.entries()) entries[`div-${index}`] = colour;
  return new Map(Object.entries(entries).map(([key, colour]) => [`plot-${key}`, colour]));
}

/**
 * Once per page. The reader's system decides between light and dark unless `data-theme` on the root does; paper is
 * always light.
 */
export function themeCss(): string {
  return (
    `:root{${declarations("light")}}` +
    `@media screen and (prefers-color-scheme:dark){:root:not([data-theme="light"]){${declarations("dark")}}}` +
    `@media screen{:root[data-theme="dark"]{${declarations("dark")}}}` +
    ".plot-figure{max-width:100%;height:auto}"
  );
}

function declarations(name: ThemeName): string {
  return [...themeProperties(name)].map(([key, colour]) => `--${key}:${colour}`).join(";");
}

export const ROLES = Object.keys(THEMES.light.roles) as readonly Role[];

/** Lines over the colour of a role, in a tile of six pixels: roles differ without colour too. */
const HATCHES: Partial<Readonly<Record<Role, string>>> = {
  write: "M-1 1L1 -1M0 6L6 0M5 7L7 5",
  metadata: "M1.5 1.5h1.5M4.5 4.5h1.5",
  wait: "M0 3h6",
  other: "M-1 5L1 7M0 0L6 6M5 -1L7 1",
  before: "M3 0v6",
  high: "M-1 5L1 7M0 0L6 6M5 -1L7 1",
  warn: "M-1 5L1 7M0 0L6 6M5 -1L7 1",
};

export function roleColour(role: Role): string {
  return `var(--plot-${role})`;
}

/** What a bar is filled with: the plain colour, or the hatched one that `rolePattern` defines under this id. */
export function roleFill(role: Role, idPrefix: string): string {
  return HATCHES[role] === undefined ? roleColour(role) : `url(#${idPrefix}-${role})`;
}

const isCulprit = (role: Role) => role === "high" || role === "warn";

export function rolePattern(role: Role, idPrefix: string): string {
  const hatch = HATCHES[role];
  if (hatch === undefined) return "";
  const ground = tag("rect", { width: 6, height: 6, fill: roleColour(role) });
  const lines = tag("path", {
    d: hatch,
    stroke: "var(--plot-background)",
    "stroke-width": role === "metadata" ? 1.5 : isCulprit(role) ? 2 : 1,
    "stroke-opacity": isCulprit(role) ? 0.85 : 0.6,
    fill: "none",
  });
  const attributes = { id: `${idPrefix}-${role}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" };
  return tag("pattern", attributes, ground + lines);
}
