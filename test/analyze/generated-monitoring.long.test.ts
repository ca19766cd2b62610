// Commands on a generated site: operations, latencies, fullness and alerts are those of its answers.json.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, plimsoll, prepare } from "../collect/kit.ts";

type Sums = Readonly<Record<string, number>>;
interface Use {
  readonly bytesTotal: number;
  readonly bytesUsed: number;
  readonly inodesTotal: number;
  readonly inodesUsed: number;
}
interface Monitoring {
  readonly whole: Sums;
  readonly days: Readonly<Record<string, Sums>>;
  readonly windows: Readonly<
    Record<string, { fromMinute: number; toMinute: number; targets: Readonly<Record<string, Sums>> }>
  >;
  readonly states: {
    readonly states: number;
    readonly requestWaitUsecs: number;
    readonly event: Readonly<Record<string, string | number>>;
    readonly fullest: { readonly bytes: string; readonly inodes: string };
    readonly atEnd: Readonly<Record<string, Use>>;
  };
}

let folder: string;
let store: string;
let truth: Monitoring;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-monitoring-"));
  prepare();
  const made = plimsoll(folder, "generate", "sitewide", "--tables", "--scale", "0.001", "-o", "site");
  expect(made.code, made.err).toBe(0);
  store = join(folder, "site", "store");
  truth = JSON.parse(readFileSync(join(folder, "site", "answers.json"), "utf8")).monitoring;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function json(...words: string[]) {
  const { out, err } = plimsoll(folder, ...words, "--store", store, "--json");
  expect(err).not.toContain("internal");
  return JSON.parse(out);
}

const per = (sums: Sums, usecs: string, calls: string) => (sums[usecs] as number) / (sums[calls] as number);
const used = ({ bytesTotal, bytesUsed }: Use) => bytesUsed / bytesTotal;
const inodes = ({ inodesTotal, inodesUsed }: Use) => inodesUsed / inodesTotal;

it("top operations: every kind of call, as often as planted", () => {
  const { rows, total, others, source, origin } = json("top", "operations");
  const { whole } = truth;
  expect(source).toBe("targets");
  expect(origin).toMatchObject({ synthetic: 44, of: 44 });
  expect(
    Object.fromEntries(rows.map((row: { operation: string; calls: number }) => [row.operation, row.calls])),
  ).toEqual({
    ...{ open: whole.opens, close: whole.closes, mknod: whole.mknods },
    ...{ getattr: whole.getattrs, setattr: whole.setattrs, unlink: whole.unlinks },
  });
  expect(total).toBe(whole.metadata_calls);
  expect(others).toBe(0);
});

it("week: volumes of days, latencies and fullness", () => {
  const days = Object.entries(truth.days).slice(0, 2);
  const { week, days: found, fullness } = json("week");
  expect(found.map(({ day }: { day: string }) => day)).toEqual(days.map(([day]) => day));
  for (const [at, [, sums]] of days.entries())
    expect(found[at]).toMatchObject({
      ...{ bytesRead: sums.bytes_read, bytesWritten: sums.bytes_written, openCalls: sums.opens },
      metadataCalls: sums.metadata_calls,
    });
  const both: Record<string, number> = {};
  for (const [, sums] of days)
    for (const name in sums) both[name] = (both[name] ?? 0) + (sums[name] as number);
  expect(week.readUsecs).toBeCloseTo(per(both, "read_usecs", "reads"), 6);
  expect(week.writeUsecs).toBeCloseTo(per(both, "write_usecs", "writes"), 6);
  expect(week.metadataUsecs).toBeCloseTo(per(both, "metadata_usecs", "metadata_calls"), 6);
  expect(fullness[0].target).toBe(truth.states.fullest.bytes);
  expect(fullness.length).toBe(Object.keys(truth.states.atEnd).length);
  for (const { target, share, inodesShare, bytesUsed } of fullness) {
    // The two minutes of the site that come after the week have no state.
    const use = truth.states.atEnd[target] as Use;
    expect(share).toBeCloseTo(used(use), 6);
    expect(inodesShare).toBeCloseTo(inodes(use), 6);
    expect(bytesUsed).toBe(use.bytesUsed);
  }
});

it("watch: rates, latencies and fullness of each target over the last day", () => {
  const { targets, synthetic } = json("watch", "--span", "1d");
  expect(synthetic).toBe(true);
  const { end } = truth.windows as { end: Monitoring["windows"][string] };
  expect(targets.length).toBe(Object.keys(end.targets).length);
  for (const one of targets) {
    const sums = end.targets[one.target] as Sums;
    const isOst = one.target.startsWith("OST");
    expect(one.bytesUsedShare).toBeCloseTo(used(truth.states.atEnd[one.target] as Use), 9);
    expect(one.inodesUsedShare).toBeCloseTo(inodes(truth.states.atEnd[one.target] as Use), 9);
    if (isOst) {
      expect(one.bytesRead).toBeCloseTo((sums.bytes_read as number) / 86_400, 6);
      expect(one.bytesWritten).toBeCloseTo((sums.bytes_written as number) / 86_400, 6);
      expect(one.secondsPerRead).toBeCloseTo(per(sums, "read_usecs", "reads") / 1e6, 12);
      expect(one.secondsPerWrite).toBeCloseTo(per(sums, "write_usecs", "writes") / 1e6, 12);
    } else {
      expect(one.operations).toBeCloseTo((sums.metadata_calls as number) / 86_400, 9);
      expect(one.secondsPerOperation).toBeCloseTo(per(sums, "metadata_usecs", "metadata_calls") / 1e6, 12);
    }
  }
});

it("alerts: the planted full targets, and each OST whose latency rose above its own before", () => {
  const { noon, beforeNoon } = truth.windows as Record<"noon" | "beforeNoon", Monitoring["windows"][string]>;
  const ratios = Object.keys(noon.targets).flatMap((target) => {
    const [now, before] = [noon.targets[target] as Sums, beforeNoon.targets[target] as Sums];
    const known = [now, before].every(({ writes = 0 }) => writes >= 1000);
    return known
      ? [{ target, ratio: per(now, "write_usecs", "writes") / per(before, "write_usecs", "writes") }]
      : [];
  });
  expect(ratios.length).toBeGreaterThan(2);
  ratios.sort((a, b) => b.ratio - a.ratio);
  const above = ((ratios[1]?.ratio as number) + (ratios[2]?.ratio as number)) / 2;
  const rules = [
    { id: "full", kind: "full", of: "bytes", above: "90 %" },
    { id: "inodes", kind: "full", of: "inodes", above: "90 %" },
    { id: "slow", kind: "latency", of: "write", above: `${above}x`, over: "1h", against: "28d" },
  ];
  writeFileSync(join(folder, "rules.json"), JSON.stringify(rules));
  const at = new Date(noon.toMinute * 60_000).toISOString().slice(0, 16);
  const { alerts, unjudged, ...about } = json("alerts", "--rules", "rules.json", "--at", at);
  expect(unjudged).toEqual([]);
  expect(about).toMatchObject({ synthetic: 44, of: 44 });
  const fired = (rule: string) =>
    alerts
      .filter((one: { rule: string }) => one.rule === rule)
      .map((one: { subject: string }) => one.subject);
  expect(fired("full")).toEqual([`lustre1-${truth.states.fullest.bytes}`]);
  expect(fired("inodes")).toEqual([`lustre1-${truth.states.fullest.inodes}`]);
  expect(fired("slow").sort()).toEqual(
    ratios
      .slice(0, 2)
      .map(({ target }) => `lustre1-${target}`)
      .sort(),
  );
  for (const { rule, subject, value } of alerts)
    if (rule === "slow")
      expect(value).toBeCloseTo(ratios.find(({ target }) => subject.endsWith(target))?.ratio as number, 9);
});

it("states: one eviction with its recovery, an unhealthy server, and how long requests wait", async () => {
  const { event, states, requestWaitUsecs } = truth.states;
  const [evicted, unhealthy, sums] = await ask(
    store,
    "select target, server, evictions, recovery, recovery_clients_done as done, synthetic from target_states where evictions > 0",
    "select server, health, lnet_errors from servers where health <> 'healthy'",
    `select sum(requests)::double as requests, sum(request_wait_usecs)::double as usecs, min(synthetic) as synthetic, count(distinct minute_unix) as states from servers`,
  );
  expect(evicted).toEqual([
    {
      ...{ target: event.target, server: event.server, evictions: BigInt(event.evictions as number) },
      ...{ recovery: "RECOVERING", done: BigInt(event.clientsDone as number), synthetic: 1 },
    },
  ]);
  expect(unhealthy).toMatchObject([
    { server: event.server, lnet_errors: BigInt(event.lnetErrors as number) },
  ]);
  const [row] = sums as [{ requests: number; usecs: number; synthetic: number; states: bigint }];
  expect(row.usecs / row.requests).toBe(requestWaitUsecs);
  expect(Number(row.states)).toBe(states);
  expect(row.synthetic).toBe(1);
});
