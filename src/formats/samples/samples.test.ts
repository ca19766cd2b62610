import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { bytesSource } from "../../base/source.ts";
import { clientDelta, CounterTable, DeltaTracker, LustreParser, type Reading } from "../lustre/index.ts";
import {
  type ClientReading,
  clientReadingText,
  type CounterGrowth,
  readClientReading,
  readSegment,
  recognizeSamples,
  type SegmentHeader,
  type SegmentJob,
  type SegmentTarget,
  SegmentWriter,
  sideItems,
  writeDeltas,
} from "./index.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const source = (text: string, name = "x.ndjson") => bytesSource(bytes(text), name);
const HEADER: SegmentHeader = { host: "oss1", collector: "plimsoll 0.1.0", fromNs: 5n, toNs: 2n ** 62n };
const growth = (samples: bigint, sum: bigint, why: CounterGrowth["why"] = "grown"): CounterGrowth => ({
  name: "write_bytes",
  unit: "bytes",
  samples,
  sum,
  why,
});
const TARGET: SegmentTarget = {
  target: "lustre1-OST0007",
  kind: "job_stats",
  fromNs: 5n,
  toNs: 60n,
  gap: false,
  carriedIn: 0,
  counters: [],
};

function written(targets: readonly SegmentTarget[], jobs: readonly SegmentJob[]): string {
  let text = "";
  const writer = new SegmentWriter(HEADER, (part) => {
    text += part;
  });
  for (const target of targets) writer.target(target);
  for (const job of jobs) writer.job(job);
  writer.end();
  return text;
}

function readAll(text: string | Uint8Array) {
  const found = { headers: [] as SegmentHeader[], targets: [] as SegmentTarget[], jobs: [] as SegmentJob[] };
  const input = typeof text === "string" ? source(text) : bytesSource(text, "x.ndjson");
  const lines = readSegment(input, {
    header: (header) => found.headers.push(header),
    target: (target) => found.targets.push(target),
    job: (job) => found.jobs.push(job),
  });
  return { lines, ...found };
}

describe("server segments", () => {
  it("come back as they were written: any id, 64 bits, all of why", () => {
    const id = fc.uint8Array({ maxLength: 40 });
    const value = fc.bigInt(0n, 2n ** 64n - 1n);
    const why = fc.constantFrom("grown", "begun", "restarted", "reset", "wrapped", "suspect") as fc.Arbitrary<
      CounterGrowth["why"]
    >;
    fc.assert(
      fc.property(fc.array(fc.tuple(id, value, value, why), { maxLength: 8 }), (rows) => {
        const jobs = rows.map(([bytesOfId, samples, sum, reason]) => ({
          target: TARGET.target,
          id: bytesOfId,
          counters: [growth(samples, sum, reason)],
        }));
        const stats: SegmentTarget = {
          ...TARGET,
          kind: "ost_stats",
          gap: true,
          counters: [growth(1n, 2n ** 64n - 1n)],
        };
        const first: SegmentTarget = { ...TARGET, kind: "md_stats", fromNs: undefined, carriedIn: 3 };
        const found = readAll(written([TARGET, stats, first], jobs));
        expect(found.headers).toEqual([HEADER]);
        expect(found.targets).toEqual([TARGET, stats, first]);
        expect(found.jobs).toEqual(jobs);
        expect(found.lines).toBe(jobs.length + 5);
      }),
      { numRuns: 60 },
    );
  });

  it("an id that is no UTF-8 is in the text in hexadecimal, one that is stays readable", () => {
    const id = Uint8Array.of(0xff, 0x00, 0x22);
    const text = written(
      [TARGET],
      [
        { target: TARGET.target, id, counters: [] },
        { target: TARGET.target, id: bytes('my "é".7'), counters: [] },
      ],
    );
    expect(text).toContain('"jobHex":"ff0022"');
    expect(text).toContain('"job":"my \\"é\\".7"');
  });

  it("cut anywhere it is refused; NUL bytes behind the end are padding", () => {
    const text = written([TARGET], [{ target: TARGET.target, id: bytes("7"), counters: [growth(1n, 2n)] }]);
    for (let length = 1; length < text.length - 1; length++)
      expect(() => readAll(text.slice(0, length)), String(length)).toThrow(/x\.ndjson: line \d+: /);
    expect(readAll(text.slice(0, -1)).jobs.length).toBe(1);
    expect(readAll(`${text}\0\0\0`).jobs.length).toBe(1);
    expect(() => readAll(text.slice(0, text.indexOf('{"end"')))).toThrow(/line 4: the file is truncated/);
  });

  it("says what is wrong, and where", () => {
    const good = written([TARGET], [{ target: TARGET.target, id: bytes("7"), counters: [growth(1n, 2n)] }]);
    const changed = (from: string | RegExp, to: string) => () => readAll(good.replace(from, to));
    expect(changed('"version":2', '"version":3')).toThrow(/line 1: version 3; this Plimsoll reads version 2/);
    expect(changed('"server-samples"', '"other"')).toThrow(/line 1: expected \{"plimsoll":"server-samples"/);
    expect(changed('"host":"oss1"', '"host":7')).toThrow(/expected a host/);
    expect(changed('"fromNs":"5"', '"fromNs":5')).toThrow(/line 1: expected fromNs and toNs/);
    expect(changed("job_stats", "walks")).toThrow(
      /line 2: expected a kind \(have: job_stats, ost_stats, md_stats, export_stats\)/,
    );
    expect(changed('OST0007","kind"', 'OST00077","kind"')).toThrow(/line 2: expected a target/);
    expect(changed('"1","2"', '"1","18446744073709551616"')).toThrow(/line 3: a counter is not/);
    expect(changed('"1","2"', '1,"2"')).toThrow(/line 3: a counter is not/);
    expect(changed('"job":"7"', '"job":7')).toThrow(/line 3: expected a job/);
    expect(changed('"job":"7"', '"jobHex":"7"')).toThrow(/line 3: expected a job/);
    expect(changed('{"target":"lustre1-OST0007","job"', '{"target":"lustre1-OST0008","job"')).toThrow(
      /line 3: a job of a target whose line/,
    );
    expect(changed('"end":3', '"end":4')).toThrow(/the last line says 4 lines, but there are 3/);
    expect(() => readAll(`${good}{}\n`)).toThrow(/line 5: a line after the end/);
    expect(() => readAll("")).toThrow(/truncated/);
  });

  it("are made from the differences of a tracker", () => {
    const parser = new LustreParser();
    const tracker = new DeltaTracker(parser.table, { sinceNs: 1n });
    const text = (written_: number) =>
      `job_stats:\n- job_id:          "a\\xff.7"\n  snapshot_time:   1000\n  write_bytes:     { samples:           1, unit: bytes, min:       1, max:       9, sum:    ${written_} }\n  odd: { samples: ${written_}, unit: reqs }\n`;
    let segment = "";
    const writer = new SegmentWriter(HEADER, (part) => {
      segment += part;
    });
    for (const [at, value] of [
      [10n, 100],
      [70n, 160],
      [130n, 160],
    ] as const)
      parser.parse(source(text(value)), { path: "obdfilter/fs-OST0001/job_stats", readAtNs: at }, (item) => {
        const deltas = tracker.feed(item as Reading);
        if (deltas !== undefined) writeDeltas(writer, deltas, 1n);
      });
    writer.end();
    const { targets, jobs } = readAll(segment);
    expect(targets.map(({ fromNs, toNs, carriedIn }) => [fromNs, toNs, carriedIn])).toEqual([
      [undefined, 10n, 2],
      [10n, 70n, 0],
      [70n, 130n, 0],
    ]);
    expect(jobs).toEqual([
      {
        target: "fs-OST0001",
        id: Uint8Array.of(97, 255, 46, 55),
        counters: [growth(0n, 60n), { ...growth(60n, 0n), name: "odd", unit: "reqs" }],
      },
    ]);
  });
});

const LLITE = (written: number) =>
  bytes(
    `snapshot_time             1700000000.5 secs.usecs\nwrite_bytes               ${written} samples [bytes] 1 4096 ${4096 * written}\n`,
  );
const READING: ClientReading = {
  jobId: "1234",
  node: "n1",
  cluster: "cab",
  user: "ada",
  uid: 1000,
  nodes: 2,
  nodeMemoryBytes: 2n ** 60n,
  collector: "plimsoll 0.1.0",
  before: {
    atNs: 10n,
    files: [
      { path: "llite/fs-ff00/stats", bytes: LLITE(1) },
      { path: "odd", bytes: Uint8Array.of(255, 0) },
    ],
  },
  after: { atNs: 70n, files: [{ path: "llite/fs-ff00/stats", bytes: LLITE(5) }] },
  notes: ["lnet: no such file"],
};

describe("client readings", () => {
  it("come back as they were written, and give differences", () => {
    const found = readClientReading(source(clientReadingText(READING)));
    expect(found).toEqual(READING);
    const table = new CounterTable();
    const side = (which: "before" | "after") =>
      sideItems({ ...(found[which] as NonNullable<typeof found.before>) }, table).filter(
        ({ kind }) => kind === "llite_stats",
      );
    const { mounts, complete } = clientDelta(side("before"), side("after"));
    expect(complete).toBe(true);
    expect(mounts[0]).toMatchObject({
      fate: "whole",
      counters: [{ name: "write_bytes", samples: 4n, sum: 16384n }],
    });
  });

  it("may lack one side", () => {
    const { before: _, ...late } = READING;
    expect(readClientReading(source(clientReadingText(late))).before).toBeUndefined();
    const { after: __, ...early } = READING;
    expect(readClientReading(source(clientReadingText(early))).after).toBeUndefined();
  });

  it("say what is wrong", () => {
    const text = clientReadingText(READING);
    const changed = (from: string, to: string) => () =>
      readClientReading(source(text.replace(from, to), "c"));
    expect(() => readClientReading(source(text.slice(0, -5), "c"))).toThrow(
      /c: the file is truncated or damaged/,
    );
    expect(readClientReading(source(`${text}\0\0`)).node).toBe("n1");
    expect(changed('"version":1', '"version":7')).toThrow(/version 7; this Plimsoll reads version 2/);
    expect(changed('"jobId":"1234"', '"jobId":1234')).toThrow(/expected jobId and node/);
    expect(changed('"uid":1000', '"uid":-1')).toThrow(/uid is not a whole number/);
    expect(changed('"atNs":"10"', '"atNs":10')).toThrow(/before: expected atNs/);
    expect(changed('"hex":"ff00"', '"hex":"f"')).toThrow(/before: a file is not path and text/);
    expect(changed('"nodeMemoryBytes":"', '"nodeMemoryBytes":"-')).toThrow(/nodeMemoryBytes/);
  });
});

it("samples are recognised by their first bytes", () => {
  expect(recognizeSamples(bytes(written([TARGET], [])))).toBe("server-samples");
  expect(recognizeSamples(bytes(clientReadingText(READING)))).toBe("client-reading");
  expect(recognizeSamples(bytes('{"plimsoll":"store"}'))).toBeUndefined();
  expect(recognizeSamples(bytes("job_stats:\n"))).toBeUndefined();
});
