import { describe, expect, it } from "vitest";
import { ROLES, SEQUENTIAL_CLASSES, THEMES, type ThemeName, themeCss } from "./theme.ts";

/** Relative luminance and contrast as WCAG 2.2 defines them. */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

it("black on white has a contrast of 21", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
});

describe.each(Object.keys(THEMES) as ThemeName[])("the %s theme", (name) => {
  const theme = THEMES[name];
  const grounds = [theme.background, theme.surface];

  it("has text that can be read", () => {
    for (const ground of grounds)
      for (const text of [theme.text, theme.muted, ...Object.values(theme.severities)])
        expect(contrast(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
  });

  it("has colours that stand out from the ground", () => {
    for (const ground of grounds)
      for (const colour of Object.values(theme.roles))
        expect(contrast(colour, ground), `${colour} on ${ground}`).toBeGreaterThanOrEqual(3);
    for (const colour of [...theme.sequential, ...theme.diverging])
      expect(contrast(colour, theme.background), colour).toBeGreaterThanOrEqual(3);
  });

  it("has a sequential scale that only grows, away from the ground", () => {
    expect(theme.sequential).toHaveLength(SEQUENTIAL_CLASSES);
    const contrasts = theme.sequential.map((colour) => contrast(colour, theme.background));
    for (let i = 1; i < contrasts.length; i++) expect(contrasts[i]!).toBeGreaterThan(contrasts[i - 1]! * 1.1);
  });

  it("has a diverging scale that grows to both sides", () => {
    expect(theme.diverging).toHaveLength(9);
    const contrasts = theme.diverging.map((colour) => contrast(colour, theme.background));
    const middle = 4;
    for (const end of [0, 8]) expect(contrasts[end]!).toBeGreaterThan(contrasts[middle]! * 2);
  });
});

it("the style sheet names every colour for light and for dark, and paper is light", () => {
  const css = themeCss();
  for (const role of ROLES) {
    expect(css).toContain(`--plot-${role}:${THEMES.light.roles[role]}`);
    expect(css).toContain(`--plot-${role}:${THEMES.dark.roles[role]}`);
  }
  expect(css).toContain(':root[data-theme="dark"]');
  expect(css).toContain(':root:not([data-theme="light"])');
  expect(css.match(/@media screen/g)).toHaveLength(2);
  expect(css).not.toMatch(/[<&]/);
});
