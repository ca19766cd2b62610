// Lustre, Telegraf and Slurm samples of many releases against the truth that came with them.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bytesSource } from "../../src/base/source.ts";
import { readInflux, recognizeInflux } from "../../src/formats/influx/index.ts";
import {
  DeltaTracker,
  LustreParser,
  Reading,
  readLustre,
  recognizeLustre,
} from "../../src/formats/lustre/index.ts";
import { latinText, unescapeJobId } from "../../src/formats/lustre/job-id.ts";
import { expandNodeList, readSlurm } from "../../src/formats/slurm/index.ts";
import { describeWithPublicData, lustreData, lustreSamples } from "../reference-data.ts";

const SECOND = 1_000_000_000n;
const source = (file: string) => bytesSource(readFileSync(lustreData(file)), file);
const tables = (path: string) => JSON.parse(readFileSync(lustreData(path), "utf8")) as unknown;

/** Why a file of the index is not read as Lustre's; every other one must be. */
const NOT_LUSTRE: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^(slurm-generated|xdmod)\//, "Slurm"],
  [/^derived\/influx\/|expected\.out$/, "points of Telegraf"],
  [/^pytokio\//, "lfs df, LMT databases and other tools"],
  [/\.(json|conf)$/, "settings and truth"],
  [/obdfilter\/[^/]*\/brw_stats$/, "the text of a symbolic link"],
  [
    /(max_cached_mb|statahead_stats|unstable_stats|changelog_users|num_exports|rename_stats|eviction_count)$/,
    "parameters without counters",
  ],
  [/(mgs-fs|mdd|osp|ddn229_quota|nodemap_2)\.txt$/, "parameters without counters"],
  [/lnetctl_net_show|lnetctl_0/, "lnetctl net show"],
  [/stats_parser_[57]\.txt$/, "snapshots of a program's test"],
  [/getstripe/, "lfs getstripe"],
];

describe("Lustre samples", () => {
  for (const file of lustreSamples()) {
    const left = NOT_LUSTRE.find(([pattern]) => pattern.test(file));
    if (left !== undefined) continue;
    it(`${file} is read without a line left over`, () => {
      const bytes = readFileSync(lustreData(file));
      const { items, notes } = readLustre(bytesSource(bytes, file));
      expect(items.length).toBeGreaterThan(0);
      for (const item of items) {
        if (item instanceof Reading) {
          expect(item.notes).toMatchObject({ unknownLines: 0, brokenLines: 0 });
          expect(item.cut).toBe(false);
        } else expect(item.unknownLines).toBe(0);
      }
      expect(notes.errorLines).toBe(0);
      // A counter line of either form is one entry; nothing is lost or made up.
      const text = bytes.toString("latin1");
      const lines = text.match(/^ {2}[\w]+: +\{ *samples:.*\}$|^\S+ +-?\d+ samples /gm) ?? [];
      const entries = items.reduce((sum, item) => sum + (item instanceof Reading ? item.entries : 0), 0);
      expect(entries).toBe(lines.length);
      if (bytes.length > 0 && !/version|recovery_status_parser|lnetctl_stats/.test(file))
        expect(recognizeLustre(bytes.subarray(0, 4096), file)).toBeDefined();
    });
  }
});

describeWithPublicData("published Lustre samples", () => {
  it("are all read or named", () => {
    const files = lustreSamples();
    const unread = files.filter((file) => NOT_LUSTRE.some(([pattern]) => pattern.test(file)));
    expect(files.length).toBeGreaterThan(250);
    // Each reason is about a file that is there.
    for (const [pattern, reason] of NOT_LUSTRE)
      expect(
        unread.some((file) => pattern.test(file)),
        reason,
      ).toBe(true);
  });
});

interface TrueCounter {
  readonly n: string;
  readonly min: string;
  readonly max: string;
  readonly sum: string;
  readonly hist?: Readonly<Record<string, number>>;
}
interface TrueJob {
  readonly id_latin1: string;
  readonly shown_latin1: string;
  readonly last_update_ns: string;
  readonly start_ns: string | null;
  readonly counters: Readonly<Record<string, TrueCounter>>;
}

describe("job_stats of all releases", () => {
  const truth = tables("derived/job_stats_truth.json") as Readonly<Record<string, readonly TrueJob[]>>;

  it.each(Object.keys(truth))("%s: every job, stamp and counter", (file) => {
    const jobs = truth[file] as readonly TrueJob[];
    const { items } = readLustre(source(join("derived", file)));
    expect(items.length).toBe(1);
    const reading = items[0] as Reading;
    expect(reading.rows).toBe(jobs.length);
    for (const [row, job] of jobs.entries()) {
      const raw = reading.rawId(row);
      expect(latinText(raw)).toBe(job.shown_latin1);
      // Releases from 2.8 to 2.15.1 replace what is not printable.
      if (!job.shown_latin1.includes("?")) expect(latinText(unescapeJobId(raw))).toBe(job.id_latin1);
      const snapshot = reading.snapshotNs[row] as bigint;
      const last = BigInt(job.last_update_ns);
      expect(snapshot).toBe(snapshot % SECOND === 0n ? (last / SECOND) * SECOND : last);
      if (job.start_ns !== null) expect(reading.startNs[row]).toBe(BigInt(job.start_ns));
      const counters = reading.counters(row);
      expect(counters.map(({ name }) => name)).toEqual(Object.keys(job.counters));
      for (const counter of counters) {
        const expected = job.counters[counter.name] as TrueCounter;
        expect(counter.samples).toBe(BigInt(expected.n));
        if (counter.sum === undefined) expect(counter.unit).toBe("reqs");
        else {
          expect([counter.min, counter.max, counter.sum]).toEqual(
            [expected.min, expected.max, expected.sum].map(BigInt),
          );
        }
        const hist = Object.entries(expected.hist ?? {}).map(([log2, count]) => ({
          upTo: 2 ** Number(log2),
          count: BigInt(count),
        }));
        expect(counter.hist ?? []).toEqual(hist);
      }
    }
  });

  it("prints sums beyond 2^53 and squares beyond 2^63 as they are", () => {
    const texts = Object.keys(truth).map(
      (file) => [file, readFileSync(lustreData("derived", file), "latin1")] as const,
    );
    for (const [file, text] of texts) {
      const reading = readLustre(source(join("derived", file))).items[0] as Reading;
      const printed = [...text.matchAll(/\bsumsq: *(\d+)/g)].map((match) => BigInt(match[1] ?? ""));
      const found = Array.from({ length: reading.rows }, (_, row) => reading.counters(row))
        .flat()
        .flatMap(({ sumsq }) => (sumsq === undefined ? [] : [sumsq]));
      expect(found).toEqual(printed);
    }
  });
});

type TrueDeltas = Readonly<Record<string, Readonly<Record<string, readonly [bytes: number, calls: number]>>>>;

describe("differences of the planted series", () => {
  it.each([
    ["ost0000_v2.12_expiry", { expired: 4, suspect: 1, restarted: 0, reset: 0 }],
    ["ost0000_v2.17_expiry", { expired: 4, suspect: 0, restarted: 2, reset: 0 }],
    ["ost0001_v2.12_restart", { expired: 0, suspect: 0, restarted: 0, reset: 1 }],
  ])("%s", (series, counts) => {
    const folder = join("derived", "series", series);
    const { deltas } = tables(join(folder, "truth.json")) as { deltas: TrueDeltas };
    const parser = new LustreParser();
    const tracker = new DeltaTracker(parser.table, { everyNs: 60n * SECOND });
    const column = parser.table.column("write_bytes", "bytes");
    const found: Record<string, Record<string, [number, number]>> = {};
    const files = readdirSync(lustreData(folder)).filter((name) => name.endsWith(".job_stats"));
    expect(files.length).toBe(31);
    for (const file of files.sort()) {
      const at = file.replace(".job_stats", "");
      const options = {
        path: `obdfilter/lustre1-${series.slice(0, 7)}/job_stats`,
        readAtNs: BigInt(at) * SECOND,
      };
      parser.parse(source(join(folder, file)), options, (item) => {
        const result = tracker.feed(item as Reading);
        const { changed, carriedIn } = result as NonNullable<typeof result>;
        expect(carriedIn.count).toBe(0);
        for (let i = 0; i < changed.count; i++) {
          if (changed.column[i] !== column) continue;
          const job = (item as Reading).jobId(changed.row[i] as number);
          const value: [number, number] = [Number(changed.sum[i]), Number(changed.samples[i])];
          found[job] = { ...found[job], [at]: value };
        }
      });
    }
    // The truth also names requests that moved nothing.
    const expected = Object.fromEntries(
      Object.entries(deltas).map(([job, values]) => [
        job,
        Object.fromEntries(Object.entries(values).filter(([, [bytes, calls]]) => bytes > 0 || calls > 0)),
      ]),
    );
    expect(found).toEqual(expected);
    expect(tracker.counts).toMatchObject({ ...counts, outOfOrder: 0, cut: 0, gaps: 0, carriedIn: 0 });
  });
});

describe("dumps of InfluxDB", () => {
  /** Cumulative bytes and calls by job and time, as the files of the series have them. */
  function fromInflux(file: string) {
    const points = readInflux(source(join("derived/influx", file)));
    expect(points.notes).toMatchObject({ broken: 0, otherPoints: 0, otherFields: 0, cutIds: 0 });
    expect(points.warnings()).toEqual([]);
    const found = new Map<string, string>();
    const odd = new Map<string, bigint | undefined>();
    points.eachReading((reading) => {
      expect(reading.target).toBe("lustre1-OST0000");
      for (let row = 0; row < reading.rows; row++) {
        const [counter] = reading.counters(row);
        if (!/^\d+$/.test(reading.jobId(row))) {
          odd.set(reading.jobId(row), counter?.sum);
          continue;
        }
        expect(counter).toMatchObject({ name: "write_bytes", unit: "bytes" });
        found.set(
          `${reading.jobId(row)} ${reading.readAtNs / SECOND}`,
          `${counter?.sum} ${counter?.samples}`,
        );
      }
    });
    // Two points were added by hand: an id with a blank, and one in quotes with the largest number there is.
    const isLines = file === "telegraf_lines.txt";
    expect([...odd]).toEqual(
      isLines
        ? [
            ["my prog.1001", 4096n],
            ["bash:0:node-1", 2n ** 64n - 1n],
          ]
        : [],
    );
    return found;
  }

  function fromSeries() {
    const folder = "derived/series/ost0000_v2.12_expiry";
    const found = new Map<string, string>();
    for (const file of readdirSync(lustreData(folder)).filter((name) => name.endsWith(".job_stats"))) {
      const reading = readLustre(source(join(folder, file)), { path: "obdfilter/x-OST0000/job_stats" })
        .items[0] as Reading;
      for (let row = 0; row < reading.rows; row++) {
        const counter = reading.counters(row).find(({ name }) => name === "write_bytes");
        found.set(`${reading.jobId(row)} ${file.slice(0, 10)}`, `${counter?.sum} ${counter?.samples}`);
      }
    }
    return found;
  }

  it.each(["telegraf_lines.txt", "influx1_group_by.csv", "influx1_select_star.csv", "influx2_annotated.csv"])(
    "%s holds what the server printed",
    (file) => {
      expect(
        recognizeInflux(readFileSync(lustreData("derived/influx", file)).subarray(0, 4096)),
      ).toBeDefined();
      const found = fromInflux(file);
      const truth = fromSeries();
      expect(found.size).toBeGreaterThan(15);
      for (const [key, value] of found) expect(truth.get(key), key).toBe(value);
    },
  );
});

describeWithPublicData("published Telegraf samples", () => {
  it("Telegraf's own expected output has the counters of its own files", () => {
    const folder = "telegraf/plugins/inputs/lustre2/testcases/custom_locations";
    const points = readInflux(source(join(folder, "expected.out")));
    const values: string[] = [];
    points.eachReading((reading) => {
      for (let row = 0; row < reading.rows; row++)
        for (const { name, samples, sum } of reading.counters(row))
          values.push(`${name} ${samples} ${sum ?? ""}`);
    });
    expect(points.notes.broken).toBe(0);
    expect(values.length).toBeGreaterThan(0);
  });
});

/** The columns that XDMoD asks sacct for; its logs have no header line. */
const XDMOD = (
  "JobID JobIDRaw Cluster Partition QOS Account Group GID User UID Submit Eligible Start End Elapsed ExitCode State " +
  "NNodes NCPUS ReqCPUS ReqMem ReqTRES AllocTRES Timelimit NodeList JobName"
).split(" ");

describe("Slurm samples", () => {
  const read = (file: string, options = {}) => readSlurm(source(file), options);

  it("text with a bar inside names and comments is put right; epochs and local times agree", () => {
    const text = read("slurm-generated/sacct_X_parsable2.txt", { cluster: "tiny" });
    expect(text.notes).toMatchObject({ broken: 0, repaired: 2, nodeMismatches: 0, unknownStates: 0 });
    const epochs = read("slurm-generated/sacct_epoch_us_delim.txt", { cluster: "tiny" });
    expect(epochs.notes).toMatchObject({ broken: 0, repaired: 0, localTimes: 0 });
    const facts = ({ jobs }: typeof text) =>
      jobs.map(
        ({ key, name, user, state, startUnix, endUnix, elapsedSeconds, nodes, nodeList, arrayTaskId }) => [
          key,
          name,
          user,
          state,
          startUnix,
          endUnix,
          elapsedSeconds,
          nodes,
          nodeList,
          arrayTaskId,
        ],
      );
    expect(facts(text)).toEqual(facts(epochs));
    expect(text.jobs.find(({ jobId }) => jobId === "333")?.name).toBe("pipe|name");
    expect(text.jobs.find(({ jobId }) => jobId === "336")).toMatchObject({
      state: "CANCELLED",
      cancelledBy: "5101",
    });
    expect(text.jobs.find(({ jobId }) => jobId === "332")).toMatchObject({
      arrayJobId: "332",
      arrayTaskId: "5",
    });
  });

  it("JSON says the same as text", () => {
    const json = read("slurm-generated/sacct.json");
    const text = read("slurm-generated/sacct_epoch_us_delim.txt", { cluster: "tiny" });
    expect(json.notes.broken).toBe(0);
    for (const job of text.jobs) {
      const same = json.jobs.filter(
        ({ jobId, startUnix }) => jobId === job.jobId && startUnix === job.startUnix,
      );
      expect(same.length, job.jobId).toBe(1);
      const { key, state, endUnix, nodes, nodeList, user, arrayTaskId, elapsedSeconds } = job;
      expect(same[0]).toMatchObject({
        key,
        state,
        endUnix,
        nodes,
        nodeList,
        user,
        arrayTaskId,
        elapsedSeconds,
      });
    }
  });

  it("steps are no jobs, and the bar at the end of --parsable is none of the fields", () => {
    const steps = read("slurm-generated/sacct_steps_parsable2.txt");
    expect(steps.notes.broken).toBe(0);
    expect(steps.notes.steps).toBeGreaterThan(10);
    expect(steps.notes.rows - steps.notes.steps).toBe(steps.jobs.length);
    const trailing = read("slurm-generated/sacct_parsable_trailing.txt");
    expect(trailing.jobs.map(({ state }) => state)).toEqual(["COMPLETED", "COMPLETED", "FAILED", "TIMEOUT"]);
  });

  it("the completion file is cut at its keys", () => {
    const { jobs, notes } = read("slurm-generated/jobcomp_filetxt.txt");
    const lines = readFileSync(lustreData("slurm-generated/jobcomp_filetxt.txt"), "utf8")
      .trimEnd()
      .split("\n");
    expect(notes).toMatchObject({ broken: 0, nodeMismatches: 0, rows: lines.length });
    for (const [i, job] of jobs.entries()) {
      const line = lines[i] as string;
      const end = /EndTime=(\S+) NodeList/.exec(line)?.[1];
      expect(job.endUnix).toBe(Date.parse(`${end}Z`) / 1000);
      expect(line).toContain(` Name=${job.name} JobState=${job.state} `);
      expect(line).toContain(` NodeCnt=${job.nodes} `);
      expect(line.startsWith(`JobId=${job.jobId} UserId=${job.user}(${job.uid}) `)).toBe(true);
    }
    expect(jobs.filter(({ arrayTaskId }) => arrayTaskId !== undefined).length).toBeGreaterThan(0);
  });
});

describeWithPublicData("published Slurm samples", () => {
  const read = (file: string, options = {}) => readSlurm(source(file), options);

  it("XDMoD's logs without a header, as its own tests expect them", () => {
    const folder = "xdmod/tests/artifacts/xdmod/unit/shredder/slurm";
    const file = (name: string) => read(`${folder}/input/${name}`, { columns: XDMOD });
    const logs = file("accounting-logs.log");
    const truth = tables(`${folder}/output/accounting-logs.json`) as readonly Readonly<
      Record<string, unknown>
    >[];
    // One job has nodes in its list and none in NNodes.
    expect(logs.notes).toMatchObject({ broken: 0, nodeMismatches: 1 });
    expect(logs.jobs.length).toBe(truth.length);
    for (const [i, job] of logs.jobs.entries()) {
      const expected = truth[i] as Readonly<Record<string, unknown>>;
      expect(job).toMatchObject({
        jobId: expected.job_id_raw,
        submitUnix: expected.submit_time,
        startUnix: expected.start_time,
        endUnix: expected.end_time,
        elapsedSeconds: expected.elapsed,
        state: String(expected.state).split(" ")[0],
        user: expected.user_name,
      });
      expect(String(job.nodes)).toBe(expected.nnodes);
      expect(expandNodeList(job.nodeList)?.length).toBe(job.jobId === "5692623" ? 2 : job.nodes);
    }
    expect(file("accounting-logs-with-job-arrays.log").notes.broken).toBe(0);
    expect(file("unknown-job-state.log").notes.unknownStates).toBe(2);
    expect(file("non-ended-job-state.log").jobs[1]).toMatchObject({ state: "PENDING", startUnix: undefined });
    expect(file("utf8-multibyte-chars.log").jobs[0]?.name).toBe("aàb");
  });
});
