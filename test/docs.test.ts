import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const generators = import.meta.glob<{ path: string; generate: () => string | Promise<string> }>(
  "../src/**/*.docs.ts",
);

it.each(Object.keys(generators))("the document that %s makes is up to date (npm run docs)", async (name) => {
  const { path, generate } = await generators[name]!();
  expect(readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8")).toBe(await generate());
});
