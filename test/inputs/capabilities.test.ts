/** Every kind of input before every command that reads files: it is read, or one line says which command takes it. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/index.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";
import { CATALOGUE } from "../../src/formats/catalogue.ts";
import { results } from "../../src/formats/results/index.ts";

const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url));
let folder: string;

const CALLS = "use plimsoll report, findings, diff, bps or export";
const INGEST = "use plimsoll ingest";

/** An input of each entry of the catalogue: its text, or a fixture, and what a command says that cannot take it. */
const INPUTS: Readonly<Record<string, { of: string; text?: string; fixture?: string; says: string }>> = {
  "run.darshan": { of: "darshan", fixture: "darshan/mpiio4_dxt.darshan", says: `a Darshan log; ${CALLS}` },
  "run.txt": { of: "darshan-text", fixture: "darshan-text/mpiio4.txt", says: `darshan-dxt-parser; ${CALLS}` },
  "named.strace": { of: "strace", fixture: "accesses/named.strace", says: `a strace text (.*); ${CALLS}` },
  "plain_lat.1.log": {
    of: "fio",
    fixture: "accesses/plain_lat.1.log",
    says: `a fio latency log; ${CALLS}`,
  },
  "calls.csv": {
    of: "csv",
    text: "pid,bytes,start,end\n1,2,3,4\n",
    says: `a CSV table of accesses; ${CALLS}`,
  },
  "jobs.txt": {
    of: "slurm",
    text: "JobIDRaw|User|Start|End\n1|ada|0|1\n",
    says: `a Slurm job list .*; ${INGEST}`,
  },
  "1700000040.job_stats": {
    of: "lustre",
    fixture: "lustre/derived/job_stats_2.17_ost.txt",
    says: `a dump of Lustre counters; ${INGEST}`,
  },
  "telegraf.txt": {
    of: "influx",
    fixture: "lustre/derived/influx/telegraf_lines.txt",
    says: `an InfluxDB dump of Lustre counters; ${INGEST}`,
  },
  "before.mountstats": {
    of: "nfs-mountstats",
    fixture: "mounts/before.mountstats",
    says: "use plimsoll collect client, which reads the counters before and after a job",
  },
  "before.mmpmon": {
    of: "mmpmon",
    fixture: "mounts/before.mmpmon",
    says: "use plimsoll collect client, which reads the counters before and after a job",
  },
  "ior.txt": {
    of: "ior-text",
    text: "IOR-4.0.0: MPI Coordinated Test of Parallel I/O\n",
    says: "an IOR output; use plimsoll results",
  },
  "fio.json": {
    of: "fio-json",
    text: '{"fio version": "fio-3.36", "jobs": [{}]}\n',
    says: "a fio JSON result; use plimsoll results",
  },
  "field.bp": {
    of: "bp",
    fixture: "bp/adios.bp",
    says: "a BP dataset; use plimsoll ls, read or verify",
  },
  "store.json": {
    of: "store",
    text: '{"kind":"plimsoll store","version":8,"batches":true}\n',
    says: "a store of Plimsoll; use the option --store of plimsoll top, sql, study and others",
  },
  "report.html": {
    of: "page",
    text: '<!doctype html>\n<meta name="generator" content="Plimsoll 0.2.0">\n',
    says: "a report of Plimsoll; open it in a browser",
  },
};

/** What each command takes; the words stand around the input. */
const COMMANDS: readonly { words: readonly string[]; takes: readonly string[] }[] = [
  ...["report", "findings", "bps"].map((name) => ({
    words: [name, "@"],
    takes: ["darshan", "darshan-text", "strace", "fio", "csv"],
  })),
  { words: ["diff", "@", "run.darshan"], takes: ["darshan", "darshan-text", "strace", "fio", "csv"] },
  { words: ["export", "@", "-o", "out.csv"], takes: ["darshan", "darshan-text", "strace", "fio", "csv"] },
  { words: ["darshan", "parse", "@"], takes: ["darshan", "darshan-text"] },
  { words: ["darshan", "dxt", "@"], takes: ["darshan", "darshan-text"] },
  { words: ["darshan", "convert", "@", "out.darshan"], takes: ["darshan", "darshan-text"] },
  { words: ["top", "runs", "@"], takes: ["darshan"] },
  { words: ["lustre", "parse", "@"], takes: ["lustre"] },
  { words: ["results", "@"], takes: ["ior-text", "fio-json"] },
  { words: ["ls", "@"], takes: ["bp"] },
  { words: ["read", "@", "x"], takes: ["bp"] },
  { words: ["verify", "@"], takes: ["bp"] },
  { words: ["ingest", "@", "--store", "s"], takes: ["darshan", "slurm", "lustre", "influx"] },
];

const before = process.cwd();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-capabilities-"));
  for (const [name, { text, fixture }] of Object.entries(INPUTS)) {
    if (fixture === undefined) writeFileSync(join(folder, name), text ?? "");
    else copyFileSync(join(fixtures, fixture), join(folder, name));
  }
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
});

async function run(...words: string[]) {
  const world = fakeWorld();
  const code = await runCli(words, commands, world);
  return { code, lines: world.err.trim().split("\n") };
}

it("stand for every entry of the catalogue, but for those that other tests make", () => {
  const made = ["trace", "parquet", "dftracer", "server-samples", "client-reading", "paper"];
  const here = [
    ...Object.values(INPUTS).map(({ of }) => of),
    // Named by the id of their format; src/formats/catalogue.test.ts reads them all.
    ...readdirSync(join(fixtures, "accesses")).map((name) => extname(name).slice(1)),
    // src/formats/results/results.test.ts has a text of each.
    ...results.map(({ id }) => id),
  ];
  expect(CATALOGUE.map(({ id }) => id).filter((id) => !here.includes(id))).toEqual(made);
});

describe.each(COMMANDS)("plimsoll $words", ({ words, takes }) => {
  const foreign = Object.entries(INPUTS).filter(([, { of }]) => !takes.includes(of));
  it.each(foreign)("of %s names the command that takes it", async (name, { says }) => {
    const { code, lines } = await run(...words.map((word) => (word === "@" ? name : word)));
    expect(code).toBeGreaterThan(0);
    expect(lines[0]).toMatch(
      new RegExp(`^plimsoll: (skipped )?${name}: this is .*${says.replace("(.*)", "\\(.*\\)")}$`),
    );
    expect(lines).toHaveLength(1);
  });
});

describe("a folder", () => {
  it("whose files belong to another command names one of them", async () => {
    mkdirSync("site");
    copyFileSync("1700000040.job_stats", "site/1700000040.job_stats");
    expect((await run("report", "site")).lines).toEqual([
      `plimsoll: site: no input for this command in the folder; 1700000040.job_stats: this is a dump of Lustre counters; ${INGEST}`,
    ]);
  });

  it("that is a store says so, whatever its segments look like", async () => {
    mkdirSync("centre");
    copyFileSync("store.json", "centre/store.json");
    writeFileSync("centre/calls.csv", "pid,bytes,start,end\n1,2,3,4\n");
    for (const command of ["report", "bps"])
      expect((await run(command, "centre")).lines[0]).toMatch(
        /^plimsoll: centre: this is a store of Plimsoll; use the option --store /,
      );
  });
});

it("what is packed says how to unpack it", async () => {
  writeFileSync("jobs.txt.gz", gzipSync("JobIDRaw|User|Start|End\n1|ada|0|1\n"));
  for (const words of [["report"], ["lustre", "parse"], ["ls"]])
    expect((await run(...words, "jobs.txt.gz")).lines[0]).toMatch(
      /jobs\.txt\.gz: packed with gzip; unpack it first: gunzip$/,
    );
  writeFileSync("foreign.gz", gzipSync('{"traceEvents": 1}'));
  writeFileSync("empty.gz", gzipSync(""));
  for (const name of ["foreign.gz", "empty.gz"])
    for (const words of [["report"], ["bps"], ["ingest", "--store", "s"]])
      expect((await run(...words, name)).lines[0]).toMatch(
        new RegExp(`${name}: unknown content inside the gzip file$`),
      );
});
