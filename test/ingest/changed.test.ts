// A file that changes while it is ingested is left out and named, and the rest of its batch is stored. Files are changed when
// the thread has told that it has read them, which is before it is told to commit.

import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Random } from "../../src/base/prng.ts";
import { recordLog } from "../../src/generate/recorder/record.ts";
import { Application } from "../../src/generate/single/application.ts";
import { type IngestOptions, ingest } from "../../src/ingest/index.ts";
import type { SqlRow } from "../../src/model/index.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { Store } from "../../src/store/index.ts";

const program = fileURLToPath(new URL("../../bin/plimsoll", import.meta.url));
let root: string;
let folder: string;
let number = 0;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "plimsoll-changed-"));
  // It builds what threads run.
  expect(spawnSync(process.execPath, [program, "--version"]).status).toBe(0);
}, 120_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  folder = join(root, String(++number));
  mkdirSync(folder);
});

const at = (name: string) => join(folder, name);

function logOf(jobId: number): Uint8Array {
  const job = new Application(1, new Random(jobId));
  job.open("POSIX", 0, "/scratch/data");
  job.write("POSIX", 0, "/scratch/data", { offset: 0, bytes: 4096 });
  job.close("POSIX", 0, "/scratch/data");
  const plan = { ...job.plan("app", { heatmap: false }), jobId };
  return recordLog(plan, nodeEncoders).bytes;
}

interface Result {
  readonly counts: Awaited<ReturnType<typeof ingest>>;
  readonly skipped: readonly string[];
}

/** Ingests, and does `change` once as many inputs have been read as are named. */
async function run(
  names: readonly string[],
  change: () => void = () => {},
  options: Partial<IngestOptions> = {},
): Promise<Result> {
  const skipped: string[] = [];
  let hasChanged = false;
  const read = (count: number) => {
    if (count < names.length || hasChanged) return;
    hasChanged = true;
    change();
  };
  const counts = await ingest(
    {
      paths: names.map(at),
      store: at("s"),
      threads: 1,
      memoryBytes: 2 ** 28,
      batchInputs: 50_000,
      jobIds: [],
      nowUnixSeconds: Date.now() / 1000,
      ...options,
    },
    {
      progress: () => ({ update: read, add() {}, end() {} }),
      skip: (path, reason) => skipped.push(`${path.slice(folder.length + 1)}: ${reason}`),
    },
  );
  return { counts, skipped };
}

async function ask(sql: string): Promise<SqlRow[]> {
  const store = await Store.open(at("s"));
  const query = await store.query();
  try {
    return await query.rows(sql);
  } finally {
    query.close();
    await store.close();
  }
}
const jobs = async () => (await ask("select job_id from runs order by job_id")).map(({ job_id }) => job_id);
const CHANGED = "the file changed while being read; ingest it again when it is complete";

describe("a log that changes before its batch is committed", () => {
  const names = ["a.darshan", "b.darshan", "c.darshan"];
  beforeEach(() => {
    for (const [index, name] of names.entries()) writeFileSync(at(name), logOf(index + 1));
    utimesSync(at("b.darshan"), 1_700_000_000, 1_700_000_000);
  });

  it.each<[string, () => void]>([
    ["is written over with the same bytes", () => writeFileSync(at("b.darshan"), logOf(2))],
    ["grows", () => appendFileSync(at("b.darshan"), "x")],
    [
      "gets its old time back",
      () => {
        writeFileSync(at("b.darshan"), logOf(7));
        utimesSync(at("b.darshan"), 1_700_000_000, 1_700_000_000);
      },
    ],
    [
      "is replaced by another",
      () => {
        writeFileSync(at("new"), readFileSync(at("b.darshan")));
        renameSync(at("new"), at("b.darshan"));
      },
    ],
  ])("and %s is left out and named; all others are stored", async (_, change) => {
    const { counts, skipped } = await run(names, change);
    expect(skipped).toEqual([`b.darshan: ${CHANGED}`]);
    expect(counts).toMatchObject({ read: 3, new: 2, known: 0, foreign: 0, skippedTotal: 1 });
    expect(await jobs()).toEqual(["1", "3"]);
    expect(await ask("select count(*) as n from sources")).toEqual([{ n: 2n }]);
    // The next ingest takes it as it is then.
    writeFileSync(at("b.darshan"), logOf(9));
    expect((await run(names)).counts).toMatchObject({ new: 1, known: 2, skippedTotal: 0 });
    expect(await jobs()).toEqual(["1", "3", "9"]);
  });

  it("lets a copy with the old content take its place", async () => {
    writeFileSync(at("copy.darshan"), logOf(2));
    const change = () => writeFileSync(at("b.darshan"), logOf(8));
    const { counts } = await run([...names, "copy.darshan"], change);
    expect(counts).toMatchObject({ read: 4, new: 3, known: 0, skippedTotal: 1 });
    expect(await jobs()).toEqual(["1", "2", "3"]);
  });

  it("is stored as it was when it is gone afterwards", async () => {
    const { skipped } = await run(names, () => rmSync(at("b.darshan")));
    expect(skipped).toEqual([]);
    expect(await jobs()).toEqual(["1", "2", "3"]);
  });

  it("and was damaged is named once", async () => {
    writeFileSync(at("b.darshan"), logOf(2).subarray(0, 300));
    const { counts, skipped } = await run(names, () => {
      writeFileSync(at("b.darshan"), logOf(2));
      appendFileSync(at("c.darshan"), "x");
    });
    expect(skipped).toEqual([expect.stringMatching(/^b\.darshan: /), `c.darshan: ${CHANGED}`]);
    expect(counts).toMatchObject({ read: 3, new: 1, skippedTotal: 2 });
    expect(await jobs()).toEqual(["1"]);
    expect((await run(names)).counts).toMatchObject({ new: 2, known: 1, skippedTotal: 0 });
  });

  it("does not make a pipe be read twice", async () => {
    expect(spawnSync("mkfifo", [at("pipe")]).status).toBe(0);
    const writer = spawn("sh", ["-c", 'cat "$0" > "$1"', at("c.darshan"), at("pipe")]);
    const { counts, skipped } = await run(["pipe", "a.darshan", "b.darshan"], () =>
      appendFileSync(at("b.darshan"), "x"),
    );
    writer.kill();
    expect(skipped).toEqual([`b.darshan: ${CHANGED}`]);
    expect(counts).toMatchObject({ read: 3, new: 2 });
    expect(await jobs()).toEqual(["1", "3"]);
  });
});

describe("a text of counters that changes before its batch is committed", () => {
  const text = (minute: number, bytes: number) =>
    `### ${new Date((28_000_000 + minute) * 60_000).toISOString()}
obdfilter.lustre1-OST0000.job_stats=
job_stats:
- job_id:          77
  snapshot_time:   ${(28_000_000 + minute) * 60}
  write_bytes:     { samples: ${minute}, unit: bytes, min: 1, max: 1, sum: ${bytes} }
`;
  const names = ["1.txt", "2.txt", "3.txt", "4.txt"];
  beforeEach(() => {
    for (const minute of [1, 2, 3, 4]) writeFileSync(at(`${minute}.txt`), text(minute, 1000 * minute));
  });
  const minutes = () => ask("select bytes_written as n, seconds from minutes order by minute_unix");

  it("is left out; the difference over its time is right", async () => {
    const { counts, skipped } = await run(names, () => appendFileSync(at("3.txt"), text(9, 1)));
    expect(skipped).toEqual([`3.txt: ${CHANGED}`]);
    expect(counts).toMatchObject({
      read: 4,
      new: 3,
      skippedTotal: 1,
      notes: { counts: { counterLines: 3, minuteRows: 2 } },
    });
    expect(await minutes()).toEqual([
      { n: 1000n, seconds: 60 },
      { n: 2000n, seconds: 120 },
    ]);
  });

  it.each([50_000, 1, 2, 3])(
    "as the last of its series is stored by the next ingest, once (batches of %i)",
    async (batchInputs) => {
      const change = () => appendFileSync(at("4.txt"), text(5, 5000));
      const first = await run(names, change, { batchInputs });
      // Where a batch ends with the last text, that is committed as it was, before it changes.
      const isLate = first.skipped.length === 0;
      if (batchInputs === 1 || batchInputs === 50_000) expect(isLate).toBe(batchInputs === 1);
      if (!isLate) expect(first.skipped).toEqual([`4.txt: ${CHANGED}`]);
      expect(await minutes()).toEqual(
        Array.from({ length: isLate ? 3 : 2 }, () => ({ n: 1000n, seconds: 60 })),
      );
      expect(first.counts.notes.counts).toMatchObject({ minuteRows: isLate ? 3 : 2 });
      const second = await run(names);
      expect(second.skipped).toEqual([]);
      expect(await minutes()).toEqual(Array.from({ length: 4 }, () => ({ n: 1000n, seconds: 60 })));
      expect(second.counts.notes.counts).toMatchObject({ minuteRows: isLate ? 1 : 2 });
      expect((await run(names)).counts).toMatchObject({ new: 0, skippedTotal: 0 });
    },
  );
});
