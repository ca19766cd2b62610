import { expect, it } from "vitest";
import { notesOf, type Study } from "./index.ts";

const study = (
  cluster: string,
  clusters: readonly string[],
  notes: Readonly<Record<string, string[]>> = {},
) =>
  ({
    options: { cluster },
    clusters,
    items: Object.fromEntries(Object.entries(notes).map(([id, list]) => [id, { notes: list }])),
  }) as unknown as Study;

it("says that the cluster which was asked for is not in the store, and which are", () => {
  expect(notesOf(study("", ["cab"]))).toEqual([]);
  expect(notesOf(study("cab", ["cab", ""]))).toEqual([]);
  expect(notesOf(study("sierra", ["cab", ""]))).toEqual([
    "cluster sierra: not in the store (it has cab, (no name))",
  ]);
  expect(notesOf(study("sierra", []))).toEqual(["cluster sierra: not in the store (it has none)"]);
});

it("says once what items with calendars note", () => {
  const none = "no data of 2015";
  expect(notesOf(study("", ["cab"], { B09: [none], B10: [none], B02: ["of another kind"] }))).toEqual([none]);
});
