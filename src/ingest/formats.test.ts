import { expect, it } from "vitest";
import { formatsWith } from "../formats/catalogue.ts";
import { IMPORTERS, SERIES } from "./formats.ts";

it.each([
  ["rows", IMPORTERS],
  ["series", SERIES],
] as const)(
  "whatever declares %s in the catalogue has who reads it, and nothing else",
  (capability, table) => {
    const declared = formatsWith(capability).map(({ id }) => id);
    expect(Object.keys(table).sort()).toEqual(declared.sort());
  },
);
