/** docs/guides/add-a-format.md, followed to the letter in a copy of the sources: every fitting command reads the format. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, launch, openPage } from "../page/kit.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let copy: string;

/** Code blocks of the guide in a language, without their indentation in the list. */
function blocks(language: string): string[] {
  const guide = readFileSync(join(root, "docs/guides/add-a-format.md"), "utf8");
  return [...guide.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)]
    .filter(([, , own]) => own === language)
    .map(([, indent = "", , text = ""]) => text.replaceAll(new RegExp(`^${indent}`, "gm"), ""));
}

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "plimsoll-guide-"));
  for (const name of [
    "src",
    "web",
    "scripts",
    "bin",
    "docs",
    "native",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "biome.json",
    "vitest.config.ts",
    "test/fixtures",
    "test/inputs/capabilities.test.ts",
  ])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const [format = "", line = "", entry = "", test = ""] = blocks("ts");
  mkdirSync(join(copy, "src/formats/beacon"));
  writeFileSync(join(copy, "src/formats/beacon/format.ts"), format);
  addEntry(line, entry);
  writeFileSync(join(copy, "src/formats/beacon/beacon.test.ts"), test);
  for (const name of ["trace.txt", "test/fixtures/accesses/sample.beacon"])
    writeFileSync(join(copy, name), blocks("")[0] ?? "");
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function addEntry(line: string, entry: string): void {
  edit("src/formats/catalogue.ts", "const ENTRIES = [\n", (first) => `${first}${entry}`);
  edit("src/formats/catalogue.ts", "import ", (first) => `${line}${first}`);
}

/** Puts what `change` makes of it into the place of the first `text` in a file of the copy. */
function edit(name: string, text: string, change: (text: string) => string): void {
  const path = join(copy, name);
  const whole = readFileSync(path, "utf8");
  expect(whole).toContain(text);
  writeFileSync(
    path,
    whole.replace(text, () => change(text)),
  );
}

function run(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(copy, "bin/plimsoll"), ...words], {
    ...{ cwd: copy, encoding: "utf8" },
  });
  return { code: status, out: stdout, err: stderr.replace(/^plimsoll: building.*\n/, "") };
}

it("gives a format that bps, report, findings, diff and export read", () => {
  const bps = run("bps", "trace.txt", "--json");
  expect({ code: bps.code, err: bps.err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(bps.out)).toMatchObject({ accesses: 1, bytes: 2 ** 20, ioTimeSeconds: 0.004 });
  expect(run("report", "trace.txt").out).toMatch(/Recorded by +beacon trace/);
  const { job, metrics } = JSON.parse(run("findings", "trace.txt", "--json").out);
  expect(job).toMatchObject({ ranks: 1, startUnixSeconds: 1_700_000_000 });
  expect(metrics).toMatchObject({ bytesWritten: 2 ** 20, files: 1 });
  expect(run("diff", "trace.txt", "trace.txt").code).toBe(0);
  expect(run("bps", "--format", "beacon", "trace.txt").code).toBe(0);
  expect(run("export", "trace.txt", "-o", "calls.csv").code).toBe(0);
  expect(readFileSync(join(copy, "calls.csv"), "utf8")).toMatch(
    /\n[^\n]*\/scratch\/out[^\n]*write[^\n]*1048576/,
  );
}, 120_000);

it("gives a format that other commands know by name", () => {
  const says = "this is a beacon trace; use plimsoll report, findings, diff, bps or export";
  for (const words of [["lustre", "parse"], ["darshan", "parse"], ["results"], ["ls"]])
    expect(run(...words, "trace.txt")).toMatchObject({ code: 1, err: `plimsoll: trace.txt: ${says}\n` });
}, 120_000);

it("gives a format that programs read with the library", () => {
  const program = `import { jobSummary, readJob } from "./dist/analyze.js";
    console.log(String(jobSummary(await readJob(["trace.txt"])).metrics.bytesWritten));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    ...{ cwd: copy, encoding: "utf8" },
  });
  expect(stdout).toBe(`${2 ** 20}\n`);
}, 120_000);

it.skipIf(!hasBrowser)(
  "gives a format that the drop page reads",
  async () => {
    expect(run("page", "-o", "page.html").code).toBe(0);
    const browser = await launch();
    const open = await openPage(browser, join(copy, "page.html"));
    await open.drop([join(copy, "trace.txt")]);
    await open.report();
    expect(JSON.parse(await open.save("json")).metrics).toMatchObject({ bytesWritten: 2 ** 20, files: 1 });
    expect(open.trouble).toEqual([]);
    await browser.close();
  },
  120_000,
);

it("leaves generated documents as they are", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(copy, "scripts/docs.mjs"), "--check"], {
    ...{ cwd: copy, encoding: "utf8" },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
}, 120_000);

it("passes its own tests and those that ask every format", () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      ...["run", "src/formats/beacon", "src/formats/catalogue.test.ts", "test/inputs/capabilities.test.ts"],
      ...["--reporter", "verbose", "--testNamePattern", "^(?!plimsoll |a folder |what is packed )"],
    ],
    { cwd: copy, encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } },
  );
  expect({ status, failed: /FAIL.*/.exec(`${stdout}${stderr}`)?.[0] }).toEqual({ status: 0 });
  expect(stdout).toMatch(/Test Files +3 passed/);
  expect(stdout).toContain("sample.beacon is known by its content");
}, 120_000);

it("is formatted as the others are", () => {
  const { status, stderr } = spawnSync(
    join(root, "node_modules/.bin/biome"),
    ["ci", "--error-on-warnings", "--colors=off", "src/formats/beacon", "src/formats/catalogue.ts"],
    { cwd: copy, encoding: "utf8" },
  );
  expect(stderr).toMatch(/^Checked 3 files .*No fixes applied/);
  expect(status).toBe(0);
}, 120_000);

function types(...files: readonly string[]) {
  const project = join(copy, "guide.json");
  writeFileSync(project, JSON.stringify({ extends: "./tsconfig.json", include: files }));
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", project],
    { encoding: "utf8" },
  );
  return { status, stdout };
}

it("is typed as the compiler wants it", () => {
  expect(types("src/formats/catalogue.ts", "src/formats/beacon/*.ts")).toEqual({ status: 0, stdout: "" });
}, 120_000);

/** What the tracer beacon might write besides: one entry for each other capability, read by what we have for others. */
const OTHERS = `
import { findModule } from "../darshan/modules/index.ts";
import { counterRecord } from "../darshan/records.ts";
import { logInMemory } from "../darshan/writer.ts";
import type { InputFormat } from "../input-format.ts";
import { resultOf } from "../results/result.ts";

const begins = (text: string) => (head: Uint8Array) => new TextDecoder().decode(head).startsWith(text);

export const beaconSums = {
  id: "beacon-sums",
  label: "beacon summary",
  recognizes: begins("#beacon-sums "),
  counters(source) {
    const [, bytes = "0"] = /wrote (\\d+)/.exec(new TextDecoder().decode(source.read(0, 4096))) ?? [];
    const posix = findModule("POSIX")!;
    return logInMemory(source.name, (writer) => {
      writer.job({ uid: 1, startSeconds: 1_700_000_000, endSeconds: 1_700_000_010, nprocs: 2, jobId: 7, commandLine: "beacon" });
      writer.names([{ id: 5n, name: "/scratch/out" }]);
      const values = { POSIX_WRITES: 4n, POSIX_BYTES_WRITTEN: BigInt(bytes), POSIX_F_WRITE_TIME: 2 };
      writer.module(posix, [counterRecord(posix, { id: 5n, rank: 0n }, values)]);
    });
  },
} as const satisfies InputFormat;

export const beaconJobs = {
  id: "beacon-jobs",
  label: "beacon job list",
  recognizes: begins("#beacon-jobs "),
  rows: { alone: true },
} as const satisfies InputFormat;

export const beaconSamples = {
  id: "beacon-samples",
  label: "beacon samples",
  recognizes: begins("#beacon-samples "),
  series: true,
} as const satisfies InputFormat;

export const beaconResult = {
  id: "beacon-result",
  label: "beacon benchmark",
  recognizes: begins("#beacon-result "),
  results: (text) => ({
    results: [resultOf({ benchmark: "beacon", operation: "write", bytesPerSecond: Number(text.split(" ")[2]) })],
    rankTimes: [],
  }),
} as const satisfies InputFormat;
`;

const READERS = `
import { type ByteSource, bytesSource } from "../base/source.ts";
import type { FileImporter, ImportSetting, SeriesReader } from "./input-format.ts";
import { lustreTexts } from "./system/lustre-texts.ts";
import { SchedulerImporter } from "./system/scheduler.ts";

function withoutFirstLine(source: ByteSource): ByteSource {
  const bytes = source.read(0, source.byteLength);
  return bytesSource(bytes.slice(bytes.indexOf(10) + 1), source.name);
}

export class BeaconJobs extends SchedulerImporter implements FileImporter {
  constructor(setting: ImportSetting) {
    super(setting);
  }

  override add(source: ByteSource) {
    return super.add(withoutFirstLine(source));
  }
}

export const beaconSamples: SeriesReader = {
  place: (head, path) => ({ ...lustreTexts.place(head, path), key: "beacon" }),
  read: (source, file) => lustreTexts.read(withoutFirstLine(source), file),
};
`;

describe("another capability", () => {
  const entries = ["beaconSums", "beaconJobs", "beaconSamples", "beaconResult"];

  beforeAll(() => {
    writeFileSync(join(copy, "src/formats/beacon/others.ts"), OTHERS);
    addEntry(
      `import { ${entries.join(", ")} } from "./beacon/others.ts";\n`,
      entries.map((name) => `  ${name},\n`).join(""),
    );
  });

  it("without its reader is named by the compiler", () => {
    const { stdout } = types("src/ingest/formats.ts");
    expect(stdout).toMatch(/src\/ingest\/formats\.ts.*'"beacon-jobs"' is missing/);
    expect(stdout).toMatch(/src\/ingest\/formats\.ts.*'"beacon-samples"' is missing/);
  }, 120_000);

  it("with it is what the compiler wants", () => {
    writeFileSync(join(copy, "src/ingest/beacon.ts"), READERS);
    const name = "src/ingest/formats.ts";
    edit(name, "import ", (first) => `import { BeaconJobs, beaconSamples } from "./beacon.ts";\n${first}`);
    edit(name, "  slurm: ", (line) => `  "beacon-jobs": (setting) => new BeaconJobs(setting),\n${line}`);
    edit(name, "  lustre: ", (line) => `  "beacon-samples": beaconSamples,\n${line}`);
    expect(types("src/formats/catalogue.ts", name)).toEqual({ status: 0, stdout: "" });
  }, 120_000);

  it("counters: report, findings, diff, darshan parse and export read them", () => {
    writeFileSync(join(copy, "sums.txt"), "#beacon-sums 1\nwrote 4096\n");
    expect(run("report", "sums.txt").code).toBe(0);
    const { job, metrics } = JSON.parse(run("findings", "sums.txt", "--json").out);
    expect(job).toMatchObject({ ranks: 2, startUnixSeconds: 1_700_000_000 });
    expect(metrics).toMatchObject({ bytesWritten: 4096, files: 1 });
    expect(run("diff", "sums.txt", "sums.txt").code).toBe(0);
    expect(run("darshan", "parse", "sums.txt").out).toMatch(/\tPOSIX_BYTES_WRITTEN\t4096\t\/scratch\/out\t/);
    expect(run("export", "sums.txt", "--table", "counters", "-o", "counters.csv").code).toBe(0);
    expect(run("bps", "sums.txt").err).toBe(
      "plimsoll: sums.txt: this is a beacon summary; use plimsoll report, findings or diff\n",
    );
  }, 120_000);

  it("rows: ingest stores them, also packed", () => {
    const text = "#beacon-jobs 1\nJobIDRaw|User|Start|End\n1|ada|1700000000|1700000060\n";
    writeFileSync(join(copy, "jobs.txt.gz"), gzipSync(text));
    expect(run("ingest", "jobs.txt.gz", "--store", "store", "--json").code).toBe(0);
    expect(run("sql", "select job_id from jobs", "--store", "store", "--json").out).toContain('"job_id":"1"');
  }, 120_000);

  it("series: ingest reads them in the order of time", () => {
    mkdirSync(join(copy, "samples"));
    for (const [minute, bytes] of [1000, 5000].entries())
      writeFileSync(
        join(copy, `samples/lustre1-OST0001_${1_700_000_040 + 60 * minute}.txt`),
        `#beacon-samples 1\nobdfilter.lustre1-OST0001.stats=\nsnapshot_time ${1_700_000_040 + 60 * minute}.0 secs.usecs\nwrite_bytes ${minute + 1} samples [bytes] 1000 4000 ${bytes}\n`,
      );
    expect(JSON.parse(run("ingest", "samples", "--store", "store", "--json").out)).toMatchObject({ new: 2 });
    const { out } = run(
      "sql",
      "select sum(bytes_written)::int as n from targets",
      "--store",
      "store",
      "--json",
    );
    expect(out).toContain("4000");
  }, 120_000);

  it("results: the command results reads them", () => {
    writeFileSync(join(copy, "result.txt"), "#beacon-result 1 5000\n");
    const { code, out } = run("results", "result.txt", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out).results).toMatchObject([{ benchmark: "beacon", bytes_per_second: 5000 }]);
  }, 120_000);
});
