import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { addWrite, noWrites } from "../host/write-lists.ts";
import { CALL_MOVED } from "../../../model/index.ts";
import { addRun, readRuns } from "./run-file.ts";
import { recordJson, recordOf } from "./run-record.ts";

const root = mkdtempSync(join(tmpdir(), "plimsoll-runs-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const writes = noWrites();
const place = { rank: 1, owner: 1, target: 0, fileId: 0, offset: 0, host: 0 };
addWrite(writes, { ...place, bytes: 100, startNs: 2e9, endNs: 5e9, flags: CALL_MOVED });
const record = recordOf(
  { label: "paper", title: "x", policy: "paper", writers: 2, targetNames: ["/a"], slowed: [] },
  [
    {
      outcome: "complete",
      reason: "",
      writes,
      opens: [{ file: 0, seconds: 0.1, at: 2 }],
      learned: [],
      messages: { go: 3 },
      used: ["0/0"],
      decidedAt: Number.NaN,
      cpuSeconds: 1,
      memoryBytes: 2,
    },
  ],
  { keptBytes: 0, readyAt: 0, outcome: "complete" },
);

it("gives back the runs that were added, times and all", () => {
  const path = join(root, "runs.jsonl");
  addRun(path, record);
  addRun(path, record);
  expect(readRuns(path)).toEqual([record.run, record.run]);
  expect(record.run).toMatchObject({ seconds: 3, bytes: 100, commitSeconds: Number.NaN });
});

it.each([
  ["not JSON", "{", /runs\.jsonl: line 1: .*expected a run record of plimsoll write/],
  ["another file", '{"a":1}', /line 1: no run record, or not of version 1/],
  ["no columns", '{"version":1,"run":{}}', /line 1: the column rank is missing/],
  ["a column that is short", recordJson(record).replace('"flags":[1]', '"flags":[1,2]'), /different lengths/],
  ["no label", recordJson(record).replace('"label":"paper",', ""), /label is missing/],
])("says in one line what is wrong with %s", (_, text, message) => {
  const path = join(root, "bad-runs.jsonl");
  writeFileSync(path, text);
  expect(() => readRuns(path)).toThrow(message);
});
