import { expect, it } from "vitest";
import { textRows } from "./text-rows.ts";

const rows = (texts: TemplateStringsArray, ...values: (string | number)[]) => textRows(texts, values);

it("a template gives rows of cells, and what is put in stays whole", () => {
  expect(rows`
    path | Path | ${"a | b\nc"}, ${7}

    size | ${"x"} | \`code\`
  `).toEqual([
    ["path", "Path", "a | b\nc, 7"],
    ["size", "x", "`code`"],
  ]);
});
