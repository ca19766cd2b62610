/** `top runs|files|applications` over logs, against sums over the text of darshan parse, and against a store of the same logs. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { posix } from "../../src/formats/darshan/modules/index.ts";
import { recordId } from "../../src/formats/darshan/record-id.ts";
import { counterRecord, type DarshanRecord } from "../../src/formats/darshan/records.ts";
import { LogWriter, memorySink } from "../../src/formats/darshan/writer.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { inside, plimsoll } from "../../src/cli/darshan/test-kit.ts";

const fixtures = fileURLToPath(new URL("../fixtures/darshan/", import.meta.url));
const LOGS = ["files1000_dxt.darshan", "mpiio4_dxt.darshan"];
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-top-"));
  mkdirSync(join(folder, "logs/below"), { recursive: true });
  copyFileSync(join(fixtures, LOGS[0] as string), join(folder, "logs", LOGS[0] as string));
  copyFileSync(join(fixtures, LOGS[1] as string), join(folder, "logs/below", LOGS[1] as string));
  writeFileSync(join(folder, "logs/notes.txt"), "no log");
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Line {
  readonly module: string;
  readonly rank: number;
  readonly id: string;
  readonly counter: string;
  readonly value: number;
  readonly path: string;
}

/** Records below MPI-IO as the text has them. */
async function linesOf(log: string): Promise<Line[]> {
  const { out } = await inside("darshan", "parse", join(fixtures, log));
  return out
    .split("\n")
    .filter((line) => /^(POSIX|STDIO)\t/.test(line))
    .map((line) => line.split("\t"))
    .map(([module = "", rank, id = "", counter = "", value, path = ""]) => ({
      ...{ module, rank: Number(rank), id, value: Number(value), path },
      counter: counter.slice(module.length + 1),
    }));
}

const sum = (lines: readonly Line[], ...counters: string[]) =>
  lines
    .filter(({ counter }) => counters.includes(counter))
    .reduce((all, { value }) => all + Math.max(0, value), 0);
const TIMES = ["F_READ_TIME", "F_WRITE_TIME", "F_META_TIME"];

/** darshan-parser's time by slowest: the busiest rank in its own files, plus the slowest rank of each shared file. */
function slowestOf(lines: readonly Line[]): number {
  const ranks = new Map<number, number>();
  for (const { rank, counter, value } of lines)
    if (rank >= 0 && TIMES.includes(counter)) ranks.set(rank, (ranks.get(rank) ?? 0) + value);
  return (
    Math.max(0, ...ranks.values()) +
    sum(
      lines.filter(({ rank }) => rank < 0),
      "F_SLOWEST_RANK_TIME",
    )
  );
}

const json = async (...words: string[]) => JSON.parse((await inside("top", ...words, "--json")).out);

it("gives for each run what the text of its log adds up to", async () => {
  const { rows, total } = await json("runs", join(folder, "logs"), "--order", "read");
  expect(total).toBe(2);
  for (const log of LOGS) {
    const row = rows.find(({ source }: { source: string }) => source.endsWith(log));
    const lines = await linesOf(log);
    expect(row.bytesRead).toBe(sum(lines, "BYTES_READ"));
    expect(row.bytesWritten).toBe(sum(lines, "BYTES_WRITTEN"));
    expect(row.opens).toBe(sum(lines, "OPENS"));
    expect(row.reads).toBe(sum(lines, "READS"));
    expect(row.writes).toBe(sum(lines, "WRITES"));
    expect(row.files).toBe(new Set(lines.map(({ id }) => id)).size);
    // The text has six digits behind the point.
    expect(row.seconds).toBeCloseTo(sum(lines, ...TIMES), 4);
    expect(row.metadataSeconds).toBeCloseTo(sum(lines, "F_META_TIME"), 4);
    expect(row.slowestSeconds).toBeCloseTo(slowestOf(lines), 4);
    expect(row.bytesPerSecond).toBeCloseTo((row.bytesRead + row.bytesWritten) / row.slowestSeconds, 6);
  }
  expect(rows[0].bytesRead).toBeGreaterThanOrEqual(rows[1].bytesRead);
});

it("sums files over logs, in order, by patterns and up to a limit", async () => {
  const isIn = (path: string) => path.endsWith(".dat") && !path.includes("/d003/");
  const words = [
    "files",
    join(folder, "logs"),
    "--include",
    "*.dat",
    "--exclude",
    "**/d003/**",
    "--order",
    "write",
  ];
  const { rows, total } = await json(...words, "--limit", "5");
  const expected = new Map<string, number>();
  for (const log of LOGS)
    for (const { path, counter, value } of await linesOf(log))
      if (isIn(path))
        expected.set(path, (expected.get(path) ?? 0) + (counter === "BYTES_WRITTEN" ? value : 0));
  expect(total).toBe(expected.size);
  expect(rows).toHaveLength(5);
  const most = [...expected.values()].sort((a, b) => b - a).slice(0, 5);
  expect(rows.map(({ bytesWritten }: { bytesWritten: number }) => bytesWritten)).toEqual(most);
  for (const { path, bytesWritten } of rows) expect(expected.get(path)).toBe(bytesWritten);
});

it("says the same of a store of the same logs", async () => {
  const store = join(folder, "store");
  expect(plimsoll("ingest", join(folder, "logs"), "--store", store).code).toBe(0);
  const without = ({
    source: _s,
    slowestSeconds: _t,
    bytesPerSecond: _b,
    path,
    ...row
  }: Record<string, unknown>) => ({
    ...row,
    ...(path === undefined ? {} : { path }),
  });
  const patterns = ["--include", "*.dat", "--exclude", "**/d003/**"];
  for (const [what, chosen] of ["runs", "files", "applications"].flatMap((one) => [
    [one, []] as const,
    [one, patterns] as const,
  ])) {
    const words = ["--limit", "2000", "--order", "write", ...chosen];
    const given = await json(what, join(folder, "logs"), ...words);
    const stored = await json(what, "--store", store, ...words);
    expect(stored.total).toBe(given.total);
    const key = (row: Record<string, unknown>) => String(row.path ?? row.jobId ?? row.application);
    const sorted = (rows: Record<string, unknown>[]) =>
      rows.map(without).sort((a, b) => (key(a) < key(b) ? -1 : 1));
    for (const [index, row] of sorted(stored.rows).entries())
      for (const [name, value] of Object.entries(sorted(given.rows)[index] as object))
        if (typeof value === "number") expect(row[name as never], `${what} ${name}`).toBeCloseTo(value, 6);
        else expect(row[name as never], `${what} ${name}`).toEqual(value);
  }
});

it("gives throughput of applications from the runs that tell it, and orders by it", async () => {
  const { rows: runs } = await json("runs", join(folder, "logs"));
  const { rows } = await json("applications", join(folder, "logs"), "--order", "rate");
  for (const row of rows) {
    const own = runs.filter(({ application }: { application: string }) => application === row.application);
    const total = (...keys: string[]) =>
      own
        .flatMap((run: Record<string, number>) => keys.map((key) => run[key] ?? 0))
        .reduce((a: number, b: number) => a + b, 0);
    expect(row.slowestSeconds).toBeCloseTo(total("slowestSeconds"), 9);
    expect(row.bytesPerSecond).toBeCloseTo(total("bytesRead", "bytesWritten") / total("slowestSeconds"), 6);
  }
  const rates = rows.map(({ bytesPerSecond }: { bytesPerSecond: number }) => bytesPerSecond);
  expect(rates).toEqual([...rates].sort((a, b) => b - a));
});

it("shows the columns that fit, those of the order among them", async () => {
  const latin1 = await inside("top", "runs", join(folder, "logs"), "--order", "metadata", "--limit", "1");
  const out = Buffer.from(latin1.out, "latin1").toString();
  const lines = out.trimEnd().split("\n");
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  expect(out).toMatch(/^Log +.*Metadata time/m);
  expect(out).toContain("1 more; raise --limit");
  expect(out).toMatch(/did not fit \(--csv, --json\): .*Start/);
});

it("gives the time of the slowest rank over a store where its columns tell it", async () => {
  const logs = join(folder, "slowest");
  mkdirSync(logs);
  const save = (name: string, nprocs: number, records: readonly DarshanRecord[]) => {
    const sink = memorySink();
    const writer = new LogWriter(sink, { encoders: nodeEncoders });
    const times = { startSeconds: 1_700_000_000, endSeconds: 1_700_000_060 };
    writer.job({ uid: 1, ...times, nprocs, jobId: 7, metadata: [], commandLine: `/${name}`, mounts: [] });
    writer.names(["/a", "/b", "/c"].map((path) => ({ id: recordId(path), name: path })));
    writer.module(posix, records);
    writer.finish();
    writeFileSync(join(logs, `${name}.darshan`), sink.bytes());
  };
  const own = (path: string, rank: number, seconds: number) =>
    counterRecord(
      posix,
      { id: recordId(path), rank },
      { POSIX_OPENS: 1, POSIX_WRITES: 1, POSIX_BYTES_WRITTEN: 600, POSIX_F_WRITE_TIME: seconds },
    );
  const shared = (path: string, slowest: number) =>
    counterRecord(
      posix,
      { id: recordId(path), rank: -1 },
      {
        ...{ POSIX_OPENS: 4, POSIX_WRITES: 4, POSIX_BYTES_WRITTEN: 600, POSIX_F_WRITE_TIME: 2 * slowest },
        POSIX_F_SLOWEST_RANK_TIME: slowest,
      },
    );
  save("alone", 1, [own("/a", 0, 1), own("/b", 0, 2)]);
  save("shared", 4, [shared("/a", 3), shared("/b", 4)]);
  save("mixed", 4, [shared("/a", 3), own("/b", 0, 2), own("/b", 1, 5)]);
  // Whether one rank used both files of its own is not in a store.
  save("unknown", 4, [shared("/a", 3), own("/b", 0, 2), own("/c", 1, 5)]);
  const store = join(folder, "slowest-store");
  expect(plimsoll("ingest", logs, "--store", store).code).toBe(0);
  const timesOf = ({
    rows,
  }: {
    rows: { application: string; slowestSeconds: number; bytesPerSecond: number }[];
  }) => Object.fromEntries(rows.map((row) => [row.application, [row.slowestSeconds, row.bytesPerSecond]]));
  const expected = { alone: [3, 400], shared: [7, 1200 / 7], mixed: [8, 1800 / 8] };
  expect(timesOf(await json("runs", logs))).toEqual({ ...expected, unknown: [8, 1800 / 8] });
  expect(timesOf(await json("runs", "--store", store))).toEqual({ ...expected, unknown: [null, null] });
});

it("prints CSV, and one line for what it cannot do", async () => {
  const { out } = await inside("top", "applications", join(folder, "logs"), "--csv");
  expect(out.split("\r\n")[0]).toMatch(/^application,runs,users,runSeconds,files,bytesRead/);
  const failing = async (...words: string[]) => (await inside("top", ...words)).err;
  expect(await failing("files", join(folder, "logs"), "--order", "rate")).toMatch(
    /top files can be ordered by [^\n]*\n$/,
  );
  expect(await failing("runs")).toContain("needs logs, folders of logs, or --store");
  expect(await failing("runs", join(folder, "logs"), "--include", "*.nope")).toContain(
    "no file name matches this pattern",
  );
  expect(await failing("jobs", join(folder, "logs"))).toContain("top jobs reads a store");
});

it("names a damaged log and ranks the others", async () => {
  mkdirSync(join(folder, "bad"), { recursive: true });
  copyFileSync(join(fixtures, LOGS[0] as string), join(folder, "bad/a.darshan"));
  writeFileSync(join(folder, "bad/b.darshan"), "3.41 cut");
  const { code, out, err } = await inside("top", "runs", join(folder, "bad"), "--json");
  expect(code).toBe(3);
  expect(err).toContain("b.darshan: not a Darshan log");
  expect(JSON.parse(out).total).toBe(1);
});

it("names what has no log in it", async () => {
  const nothing = join(folder, "nothing");
  mkdirSync(nothing);
  expect(await inside("top", "runs", nothing)).toMatchObject({
    code: 1,
    err: `plimsoll: ${nothing}: no Darshan log found\n`,
  });
});
