// Alerts on a store whose rows are planted: each rule fires on what it is about, and on nothing else.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { alertRules, DEFAULT_ALERTS } from "../../src/analyze/load/index.ts";
import {
  storedJobs,
  storedMinutes,
  storedReadings,
  storedTargets,
  storedTargetStates,
} from "../../src/model/index.ts";
import { Store } from "../../src/store/index.ts";
import { plimsoll, prepare } from "../collect/kit.ts";

const MINUTE = 28_333_334;
const AT = String(60 * MINUTE);
const NS = 60_000_000_000n;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-alerts-"));
  prepare();
  const store = await Store.create(join(folder, "S"));
  const batch = store.beginBatch();
  const minutes = Array.from({ length: 60 }, (_, i) => BigInt(MINUTE - 60 + i));
  const osts = ["OST0000", "OST0001", "OST0002", "OST0003"];
  for (const [i, target] of osts.entries()) {
    const all = (value: bigint) => minutes.map(() => value);
    const rate = i === 3 ? 60_000_000_000n : 6_000_000_000n;
    const rows = {
      file_system: { all: "fs" },
      target: { all: target },
      server: { all: "oss1" },
      seconds: { all: 60 },
    };
    await batch.append(storedTargets, 60, {
      ...{ ...rows, minute_unix: minutes, bytes_read: all(rate), bytes_written: all(0n) },
      ...{ reads: all(1000n), read_usecs: all(i === 1 ? 900_000n : 200_000n) },
    });
    // Two weeks ago every read took 200 us.
    await batch.append(storedTargets, 1, {
      ...{ ...rows, minute_unix: [BigInt(MINUTE - 20_000)], reads: [50_000n], read_usecs: [10_000_000n] },
    });
  }
  // The same job number on two clusters is of two users.
  for (const [cluster, user, calls] of [
    ["cab", "ada", 900_000n],
    ["quartz", "bob", 60_000n],
  ] as const) {
    await batch.append(storedJobs, 1, {
      ...{
        job_key: [7n],
        job_id: ["7"],
        source: ["scheduler"],
        cluster: [cluster],
        user_name: [user],
        synthetic: [0],
      },
    });
    await batch.append(storedMinutes, 1, {
      ...{ job_key: [7n], job_id: ["7"], cluster: [cluster], file_system: ["fs"], target: ["MDT0000"] },
      ...{ minute_unix: [BigInt(MINUTE - 3)], metadata_calls: [calls] },
    });
  }
  await batch.append(storedTargetStates, 3, {
    file_system: { all: "fs" },
    target: ["OST0000", "OST0002", "OST0002"],
    to_unix_ns: [BigInt(MINUTE) * NS, BigInt(MINUTE - 9) * NS, BigInt(MINUTE) * NS],
    bytes_total: { all: 1000n },
    bytes_free: [500n, 60n, 70n],
    bytes_available: [450n, 10n, 20n],
    synthetic: { all: 0 },
  });
  const stretches: readonly (readonly [string, string, number, number])[] = [
    ["OST0000", "oss1", -1440, 0],
    ["OST0001", "oss1", -1440, -700],
    ["OST0001", "oss1", -600, 0],
    ["OST0002", "oss2", -1440, -25],
  ];
  await batch.append(storedReadings, stretches.length, {
    file_system: { all: "fs" },
    kind: { all: "ost_stats" },
    target: stretches.map(([target]) => target),
    server: stretches.map(([, server]) => server),
    from_unix_ns: stretches.map(([, , from]) => BigInt(MINUTE + from) * NS),
    to_unix_ns: stretches.map(([, , , to]) => BigInt(MINUTE + to) * NS),
    synthetic: { all: 0 },
  });
  await batch.commit();
  await store.close();
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const alerts = (...words: string[]) => plimsoll(folder, "alerts", "--store", "S", "--at", AT, ...words);

it("each built-in rule fires on what it is about", () => {
  const { code, out, err } = alerts("--json");
  expect([code, out === "" ? err : ""]).toEqual([1, ""]);
  const found = JSON.parse(out).alerts.map(
    ({ rule, subject }: Record<string, string>) => `${rule} ${subject}`,
  );
  expect(found).toEqual([
    "metadata-of-one-user user ada",
    "busy-target fs-OST0003",
    "full-target fs-OST0002",
    "slow-reads fs-OST0001",
    "silent-collector oss2",
    "missing-samples fs-OST0001",
  ]);
  // Used 930 of 930 + 20; 900 us against 200 us; 100 of 1,440 minutes.
  const value = (rule: string) =>
    JSON.parse(out).alerts.find((one: { rule: string }) => one.rule === rule).value;
  expect(value("full-target")).toBeCloseTo(930 / 950, 9);
  expect(value("slow-reads")).toBeCloseTo(4.5, 9);
  expect(value("missing-samples")).toBeCloseTo(100 / 1440, 9);
  expect(value("metadata-of-one-user")).toBeCloseTo(0.9375, 9);
  expect(JSON.parse(out).unjudged.map(({ rule }: { rule: string }) => rule)).toEqual([
    "few-inodes",
    "slow-writes",
  ]);
});

it("samples that a compaction joined are not silent at a moment within them", () => {
  // oss1 has one stretch of OST0000 from a day before to the end.
  const { out } = plimsoll(
    folder,
    ...["alerts", "--store", "S", "--at", new Date((MINUTE - 60) * 60_000).toISOString(), "--json"],
  );
  const found = JSON.parse(out).alerts.filter(({ kind }: { kind: string }) => kind === "silent");
  expect(found).toEqual([]);
});

it("prints a line each, and exit code 0 when nothing fires", () => {
  const { code, out, err } = alerts();
  expect(code, err).toBe(1);
  expect(out.trim().split("\n")).toHaveLength(6);
  expect(err).toMatch(/few-inodes not judged: no target capacities/);
  writeFileSync(join(folder, "calm.json"), '[{"id":"x","kind":"full","of":"bytes","above":"99 %"}]');
  expect(alerts("--rules", "calm.json")).toMatchObject({ code: 0, out: "no alerts from 1 rule\n" });
});

it("rules that make no sense are refused in one line", () => {
  for (const [text, message] of [
    ["{", /no JSON/],
    ["[]", /expected a list of rules/],
    ['[{"id":"x","kind":"fulll","above":"9 %"}]', /unknown kind fulll/],
    ['[{"id":"x","kind":"full","of":"bytes","above":90}]', /above is not text/],
    ['[{"id":"x","kind":"full","of":"bytes","above":"9x"}]', /expected a share such as 90 %/],
    ['[{"id":"x","kind":"silent","above":"soon"}]', /expected a duration/],
    ['[{"id":"x","kind":"silent","above":"1h","forr":"2h"}]', /unknown field forr/],
  ] as const) {
    writeFileSync(join(folder, "bad.json"), text);
    const { code, err } = alerts("--rules", "bad.json");
    expect([code, err.trim().split("\n").length]).toEqual([2, 1]);
    expect(err).toMatch(message);
  }
});

it("rules that cannot be read are wrong usage, not an alert", () => {
  for (const [path, message] of [
    ["none.json", "cannot read none.json: no such file"],
    [".", "cannot read .: is a folder"],
  ] as const) {
    const { code, err } = alerts("--rules", path);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  }
});

it("the example has the built-in rules", () => {
  const example = JSON.parse(readFileSync(join(import.meta.dirname, "../../examples/alerts.json"), "utf8"));
  expect(alertRules(example, "example")).toEqual(alertRules(DEFAULT_ALERTS, "built-in"));
});
