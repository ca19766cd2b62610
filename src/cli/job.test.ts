/** report, findings and diff as a user runs them, on logs of known content. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RULES } from "../analyze/job/index.ts";
import { bytesSource } from "../base/source.ts";
import { DarshanLog } from "../formats/darshan/log.ts";
import { dxtPosix, type ModuleSpec, posix } from "../formats/darshan/modules/index.ts";
import { recordId } from "../formats/darshan/record-id.ts";
import { counterRecord, type DarshanRecord, type TraceObject } from "../formats/darshan/records.ts";
import { type JobFacts, LogWriter, memorySink } from "../formats/darshan/writer.ts";
import { makeSingle, SINGLE_LOGS } from "../generate/single/index.ts";
import { nodeCodecs } from "../node/codecs.ts";
import { nodeEncoders } from "../node/encoders.ts";
import { singleLog } from "../analyze/job/test-kit.ts";
import { inside, type Outcome, plimsoll } from "./darshan/test-kit.ts";
import { commands } from "./index.ts";
import { runCli } from "./run.ts";
import { fakeWorld } from "./test-kit.ts";

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../test/fixtures/darshan/${name}`, import.meta.url));
const FIXTURE = fixture("mpiio4_dxt.darshan");
const MANY_CALLS = fixture("files1000_dxt.darshan");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-job-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function save(name: string, bytes: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

const singles = new Map<string, string>();

/** The path of a log of `plimsoll generate single`. */
function single(id: string): string {
  let path = singles.get(id);
  if (path === undefined) {
    path = save(`${id}.darshan`, singleLog(id));
    singles.set(id, path);
  }
  return path;
}

interface Plan {
  readonly job?: Partial<JobFacts>;
  readonly names?: readonly { readonly id: bigint; readonly name: string | Uint8Array }[];
  readonly modules: readonly (readonly [ModuleSpec, readonly (DarshanRecord | TraceObject)[]])[];
}

function logOf({ job = {}, names = [], modules }: Plan): Uint8Array {
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders: nodeEncoders });
  writer.job({
    uid: 1001,
    startSeconds: 1_700_000_000,
    endSeconds: 1_700_000_060,
    nprocs: 1,
    jobId: 77,
    metadata: [["lib_ver", "3.5.0"]],
    commandLine: "/apps/solver deck.in",
    mounts: [{ type: "lustre", path: "/scratch" }],
    ...job,
  });
  writer.names(names);
  for (const [spec, records] of modules) writer.module(spec, records);
  writer.finish();
  return sink.bytes();
}

const named = (name: string) => ({ id: recordId(name), name });

/** One process that writes 1 MiB to a file of its own and 1 MiB to one that others use too. */
function processLog(own: string, startSeconds: number, jobId = 77): Uint8Array {
  const names = [named(`/scratch/${own}`), named("/scratch/common")];
  const values = {
    POSIX_OPENS: 1,
    POSIX_WRITES: 1,
    POSIX_BYTES_WRITTEN: 1048576,
    POSIX_F_WRITE_TIME: 0.5,
    POSIX_F_META_TIME: 0.25,
  };
  return logOf({
    job: { startSeconds, endSeconds: startSeconds + 10, jobId },
    names,
    modules: [
      [posix, names.map(({ id }) => counterRecord(posix, { id, rank: 0 }, values))],
      [
        dxtPosix,
        [
          {
            id: recordId("/scratch/common"),
            rank: 0n,
            host: "node1",
            writes: [{ offset: 0n, length: 1048576n, start: 2, end: 2.5, thread: 1n }],
            reads: [],
          },
        ],
      ],
    ],
  });
}

/** The log cut off in the middle of its POSIX data. */
function damaged(bytes: Uint8Array): Uint8Array {
  const log = new DarshanLog(bytesSource(bytes), { codecs: nodeCodecs });
  const region = log.module("POSIX")?.region;
  if (region === undefined) throw new Error("no POSIX data");
  const broken = Uint8Array.from(bytes);
  broken.fill(0x55, region.offset + Math.floor(region.length / 2), region.offset + region.length);
  return broken;
}

interface Summary {
  readonly job: Readonly<Record<string, unknown>> & { readonly ranks: number; readonly runSeconds: number };
  readonly verdict: string;
  readonly findings: readonly (Readonly<Record<string, unknown>> & {
    readonly id: string;
    readonly threshold: readonly { name: string; value: number; source: string }[];
  })[];
  readonly quiet: readonly string[];
  readonly unjudged: readonly { readonly id: string; readonly missing: string }[];
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly files: readonly (Readonly<Record<string, unknown>> & { readonly path: string })[];
  readonly filesTotal: number;
  readonly warnings: readonly string[];
}

const utf8 = ({ out }: Outcome) => Buffer.from(out, "latin1").toString("utf8");
const json = (outcome: Outcome) => JSON.parse(utf8(outcome)) as Summary;

async function summary(...words: string[]): Promise<Summary> {
  const outcome = await inside(...words, "--json");
  expect({ code: outcome.code, err: outcome.err }).toEqual({ code: 0, err: "" });
  return json(outcome);
}

/** One line on stderr, nothing on stdout. */
function expectRefusal(outcome: Outcome, code: number, line: RegExp): void {
  expect(outcome.code).toBe(code);
  expect(outcome.err).toMatch(line);
  expect(outcome.err.trimEnd().split("\n")).toHaveLength(1);
  expect(outcome.out).toBe("");
}

/** What a terminal would obey; line ends are ours. */
const CONTROLS = /[\0-\x09\x0b-\x1f\x7f-\x9f]/;

describe("report on the terminal", () => {
  it("gives verdict, tiles, findings with advice, and how to get more", async () => {
    const outcome = await inside("report", single("fix-before"));
    const text = utf8(outcome);
    expect({ code: outcome.code, err: outcome.err }).toEqual({ code: 0, err: "" });
    expect(text).toMatch(
      /^Synthetic data: Independent MPI-IO writes cost this job about [\d.]+ of its [\d.]+ seconds\.$/m,
    );
    expect(text).toMatch(/^I\/O to blame\? {2}Yes\. .* 73 % of the run in I\/O\.$/m);
    for (const tile of ["Written", "I/O share", "Throughput", "Ranks", "Files"])
      expect(text).toMatch(new RegExp(`^ {2}${tile} +\\d`, "m"));
    expect(text).toMatch(/^ {2}HIGH Independent MPI-IO writes \(independent-mpiio\)$/m);
    expect(text).toContain("/scratch/run/temperature.dat");
    expect(text).toMatch(/^ {4}→ /m);
    expect(text).toContain("-o report.html");
    expect(text).not.toContain("\x1b");
    for (const line of text.split("\n").slice(0, 30)) expect(line.length).toBeLessThanOrEqual(100);
  });

  it("--full adds the sections of detail", async () => {
    const brief = utf8(await inside("report", FIXTURE));
    const full = utf8(await inside("report", "--full", FIXTURE));
    for (const title of ["Access sizes", "Where the time goes", "Layers", "Files", "Raw counters"]) {
      expect(brief).not.toMatch(new RegExp(`^${title}$`, "m"));
      expect(full).toMatch(new RegExp(`^${title}$`, "m"));
    }
  });

  it("colours only a terminal", async () => {
    const world = fakeWorld({ terminal: true });
    expect(await runCli(["report", single("fix-before")], commands, world)).toBe(0);
    expect(world.out).toContain("\x1b[1;31mHIGH\x1b[0m");
    const dumb = fakeWorld({ terminal: true, env: { NO_COLOR: "1" } });
    await runCli(["report", single("fix-before")], commands, dumb);
    expect(dumb.out).not.toContain("\x1b");
  });

  it("says so when a log holds no I/O", async () => {
    for (const path of [single("no-io"), save("bare.darshan", logOf({ modules: [] }))]) {
      const outcome = await inside("report", "--full", path);
      expect({ code: outcome.code, err: outcome.err }).toEqual({ code: 0, err: "" });
      expect(utf8(outcome)).toContain("This log has no I/O");
      expect(utf8(outcome)).not.toMatch(/NaN|undefined|null/);
    }
    const none = await summary("report", single("no-io"));
    expect(none.findings).toEqual([]);
    expect(none.metrics).toMatchObject({ bytesRead: 0, bytesWritten: 0, throughputBytesPerSecond: null });
  });

  it("says what is not known when a log has no end", async () => {
    const { id, name } = named("/scratch/a");
    const path = save(
      "endless.darshan",
      logOf({
        job: { endSeconds: 0 },
        names: [{ id, name }],
        modules: [[posix, [counterRecord(posix, { id, rank: 0 }, { POSIX_OPENS: 1, POSIX_READS: 1 })]]],
      }),
    );
    const text = utf8(await inside("report", "--full", path));
    expect(text).toMatch(/^Run time +not recorded$/m);
    expect(text).toContain("The log has no end time");
    expect(text).not.toMatch(/NaN|undefined|infinite/);
    const page = join(folder, "endless.html");
    expect((await inside("report", path, "-o", page)).code).toBe(0);
    expect(readFileSync(page, "utf8").replace(/<script[\s\S]*?<\/script>/g, "")).not.toMatch(/\bNaN\b/);
    expect((await summary("report", path)).job.runSeconds).toBeNull();
  });

  it("never prints a raw control character, whatever a name holds", async () => {
    const hostile: (string | Uint8Array)[] = [
      "/scratch/\x1b[31mred\x1b]0;title\x07\r\n\t\x7f",
      "/scratch/\x9b2J\x85\u202etxt.exe\u2066",
      `/scratch/${"long/".repeat(2048)}`,
      Uint8Array.of(0x2f, 0xff, 0xfe, 0x1b, 0x5b, 0x32, 0x4a, 0xc3, 0x28),
      "/scratch/<script>alert(1)</script>",
    ];
    const names = hostile.map((name, i) => ({ id: BigInt(i + 1), name }));
    const small = {
      POSIX_OPENS: 1,
      POSIX_WRITES: 50_000,
      POSIX_BYTES_WRITTEN: 5_000_000,
      POSIX_SIZE_WRITE_0_100: 50_000,
      POSIX_F_WRITE_TIME: 8,
    };
    const path = save(
      "hostile\x1b[2J.darshan",
      logOf({
        job: { commandLine: "/apps/\x1b[2Jsolver\x07 \x1b]0;x\x07", metadata: [["lib_ver", "3\x1b[0m"]] },
        names,
        modules: [[posix, names.map(({ id }) => counterRecord(posix, { id, rank: 0 }, small))]],
      }),
    );
    const html = join(folder, "hostile.html");
    for (const words of [
      ["report", path],
      ["report", "--full", path],
      ["report", path, "-o", html],
      ["findings", path],
      ["diff", path, single("one-rank"), "--full"],
      ["diff", path, single("one-rank"), "-o", html],
      ["report", path, `${path}.none`],
    ]) {
      const outcome = await inside(...words);
      expect(utf8(outcome).match(CONTROLS), words.join(" ")).toBeNull();
      expect(outcome.err.match(CONTROLS), words.join(" ")).toBeNull();
    }
    expect(utf8(await inside("report", path))).toContain("␛[2Jsolver");
    // The JSON keeps names as they are, escaped as JSON escapes.
    const { files } = await summary("report", path);
    expect(files.map((file) => file.path)).toContain(hostile[0]);
  });
});

describe("report -o", () => {
  const written = (name: string) => {
    const place = join(folder, name);
    mkdirSync(place);
    return place;
  };

  it("writes one file that needs nothing else, and leaves nothing beside it", async () => {
    const place = written("page");
    const page = join(place, "report.html");
    const outcome = await inside("report", FIXTURE, "-o", page);
    expect({ code: outcome.code, err: outcome.err }).toEqual({ code: 0, err: "" });
    expect(utf8(outcome)).toMatch(/^[^\n]+\nWrote [^\n]+report\.html\n$/);
    expect(readdirSync(place)).toEqual(["report.html"]);
    const html = readFileSync(page, "utf8");
    expect(html).toMatch(/^<!doctype html>/i);
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    await inside("report", single("control"), "-o", page);
    expect(readFileSync(page, "utf8")).not.toBe(html);
    expect(readdirSync(place)).toEqual(["report.html"]);
  });

  it("carries the built script and styles when the real program writes it", () => {
    const page = join(folder, "real.html");
    const outcome = plimsoll("report", FIXTURE, "-o", page);
    expect({ code: outcome.code, err: outcome.err }).toEqual({ code: 0, err: "" });
    const html = readFileSync(page, "utf8");
    expect(html.length).toBeGreaterThan(100_000);
    expect(html.length).toBeLessThan(5_000_000);
    expect(html).toMatch(/<style>[\s\S]{10000,}<\/style>/);
  });

  it("leaves nothing when it cannot write, and says where", async () => {
    const place = written("fails");
    expectRefusal(
      await inside("report", FIXTURE, "-o", join(place, "none", "report.html")),
      1,
      /cannot write .*none\/report\.html: no such folder/,
    );
    mkdirSync(join(place, "taken.html"));
    expectRefusal(await inside("report", FIXTURE, "-o", join(place, "taken.html")), 1, /taken\.html/);
    expect(readdirSync(place)).toEqual(["taken.html"]);
    if (process.getuid?.() !== 0) {
      chmodSync(place, 0o500);
      expectRefusal(await inside("report", FIXTURE, "-o", join(place, "a.html")), 1, /permission denied/);
      chmodSync(place, 0o700);
    }
  });

  it("is not written when the log cannot be read", async () => {
    const page = join(folder, "unread.html");
    const path = save("unread.darshan", damaged(makeSingle(SINGLE_LOGS[0]!, 1, nodeEncoders).bytes));
    expect((await inside("report", path, "-o", page)).code).toBe(1);
    expect(existsSync(page)).toBe(false);
  });

  it("says that the run ends before the window begins", async () => {
    expect(await inside("report", FIXTURE, "-o", join(folder, "late.html"), "--window", "5-6")).toMatchObject(
      {
        code: 2,
        err: expect.stringMatching(/--window 5-6: the run ends before, after \S+ m?s; see /),
      },
    );
  });

  it("keeps single calls as asked: all, none, or those of a window", async () => {
    const sizes = new Map<string, number>();
    for (const [name, words] of Object.entries({
      all: [],
      none: ["--calls", "0"],
      window: ["--window", "0-0.001"],
    })) {
      const page = join(folder, `calls-${name}.html`);
      expect((await inside("report", MANY_CALLS, "-o", page, ...words)).code).toBe(0);
      const html = readFileSync(page, "utf8");
      sizes.set(name, html.length);
      expect(html.includes("--window FROM-TO"), name).toBe(name !== "all");
    }
    expect(sizes.get("none")).toBeLessThan(sizes.get("all") as number);
    for (const wrong of ["5", "5-", "5-5", "6-5", "a-b", "-1-2", "0x1-5", "1-2-3", ""])
      expectRefusal(
        await inside("report", FIXTURE, `--window=${wrong}`),
        2,
        wrong === "" ? /--window/ : /is not FROM-TO in seconds.*such as 12\.5-14/,
      );
    expectRefusal(await inside("report", FIXTURE, "--calls=-1"), 2, /--calls/);
    expectRefusal(await inside("report", FIXTURE, "--calls", "1.5"), 2, /--calls/);
  });
});

describe("report --figures", () => {
  it("writes each figure as SVG and CSV with a list, and replaces an earlier one", async () => {
    const place = join(folder, "figures");
    const first = await inside("report", FIXTURE, "--figures", place);
    expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: "" });
    const list = JSON.parse(readFileSync(join(place, "figures.json"), "utf8"));
    expect(list.kind).toBe("plimsoll figures");
    const files = list.figures.flatMap((figure: { files: string[] }) => figure.files);
    expect(files.length).toBeGreaterThan(8);
    expect(readdirSync(place).sort()).toEqual([...files, "figures.json"].sort());
    for (const figure of list.figures) {
      expect(Object.keys(figure)).toEqual([
        "id",
        "title",
        "caption",
        "summary",
        "definition",
        "options",
        "files",
      ]);
      expect(figure.summary).not.toMatch(/NaN|undefined/);
      const svg = readFileSync(join(place, `${figure.id}.svg`), "utf8");
      expect(svg).toMatch(/^(<\?xml[^>]*>\s*)?<svg /);
      expect(svg).toContain('fill="#');
      expect(
        readFileSync(join(place, `${figure.id}.csv`), "utf8").split("\r\n").length,
        figure.id,
      ).toBeGreaterThan(2);
    }
    writeFileSync(join(place, "old.svg"), "");
    expect((await inside("report", single("stdio-bulk"), "--figures", `${place}/`)).code).toBe(0);
    expect(readdirSync(place)).not.toContain("old.svg");
    expect(readdirSync(folder).filter((name) => name.includes(".part-"))).toEqual([]);
  });

  it("does not touch a folder of somebody else", async () => {
    const place = join(folder, "mine");
    mkdirSync(place);
    writeFileSync(join(place, "thesis.tex"), "\\end");
    expectRefusal(
      await inside("report", FIXTURE, "--figures", place),
      2,
      /mine exists and is not an earlier folder of figures/,
    );
    expect(readdirSync(place)).toEqual(["thesis.tex"]);
  });
});

describe("report --json", () => {
  it("has the keys that scripts rely on", async () => {
    const report = await summary("report", single("fix-before"));
    for (const finding of report.findings)
      expect(Object.keys(finding)).toEqual(
        expect.arrayContaining(["id", "severity", "title", "evidence", "threshold", "advice", "statement"]),
      );
    expect(report.findings.map(({ id }) => id)).toEqual(["independent-mpiio"]);
    // 16 ranks × 2048 writes of 4 KiB.
    expect(report.metrics).toMatchObject({ bytesRead: 0, bytesWritten: 16 * 2048 * 4096, files: 1 });
    expect(report.job).toMatchObject({ ranks: 16, application: "heat" });
    expect(report.files).toHaveLength(report.filesTotal);
  });

  it("keeps bytes beyond 2^53 exact, as text", async () => {
    const files = [named("/scratch/a"), named("/scratch/b")];
    const huge = 2n ** 62n - 1n;
    const records = files.map(({ id }, rank) => {
      const record = counterRecord(posix, { id, rank }, { POSIX_OPENS: 1, POSIX_READS: 1 });
      const at = posix.integers.findIndex(({ name }) => name === "POSIX_BYTES_READ");
      record.integers[at] = huge - BigInt(rank);
      return record;
    });
    const path = save(
      "huge.darshan",
      logOf({ job: { nprocs: 2 }, names: files, modules: [[posix, records]] }),
    );
    const { metrics } = await summary("report", path);
    expect(metrics.bytesRead).toBe(String(2n * huge - 1n));
    expect(metrics.bytesWritten).toBe(0);
    const page = join(folder, "huge.html");
    await inside("report", path, "-o", page);
    expect(readFileSync(page, "utf8")).toContain(`${2n * huge - 1n} bytes`);
  });

  it("writes the page too when both are asked for, and prints only JSON", async () => {
    const page = join(folder, "both.html");
    const outcome = await inside("report", FIXTURE, "--json", "-o", page);
    expect(json(outcome).verdict).not.toBe("");
    expect(existsSync(page)).toBe(true);
  });
});

describe("several logs as one job", () => {
  let first: string;
  let second: string;
  beforeAll(() => {
    first = save("process-1.darshan", processLog("own-1", 1_700_000_000));
    second = save("process-2.darshan", processLog("own-2", 1_700_000_030));
  });

  it("adds ranks and bytes up, and has one row for a file of both", async () => {
    const { job, metrics, files } = await summary("report", first, second);
    expect(job).toMatchObject({ ranks: 2, logs: [first, second], jobId: "77", startUnixSeconds: 1.7e9 });
    // The second starts 30 s later and runs for 10.
    expect(job.runSeconds).toBe(40);
    expect(metrics).toMatchObject({ bytesRead: 0, bytesWritten: 4 * 1048576, files: 3 });
    // (0.5 + 0.25) s in each of four records, over two ranks.
    expect(metrics.ioSecondsAverage).toBe(1.5);
    expect(metrics.ioSecondsSlowest).toBe(1.5);
    expect(metrics.ioShareAverage).toBe(1.5 / 40);
    const common = files.filter(({ path }) => path === "/scratch/common");
    expect(common).toHaveLength(1);
    expect(common[0]).toMatchObject({ ranks: 2, bytesWritten: 2 * 1048576, seconds: 1.5 });
  });

  it("moves times of a later log", async () => {
    const { metrics } = await summary("report", second, first);
    const [layer] = (metrics.traced as { layers: { ioTimeSeconds: number; accesses: number }[] }).layers;
    // Both calls take 2 s to 2.5 s of their own run; unmoved they would be one half second.
    expect(layer).toMatchObject({ accesses: 2, ioTimeSeconds: 1 });
    const text = utf8(await inside("report", "--full", first, second));
    expect(text).toContain("2 in 2 logs");
    expect(text).toContain("2 logs, shown as one job");
  });

  it.each(["report", "findings"])("%s refuses logs of different jobs, with their ids", async (command) => {
    const other = single("one-rank");
    const jobId = (await summary("report", other)).job.jobId;
    expectRefusal(
      await inside(command, first, other),
      2,
      new RegExp(
        `the logs belong to 2 different jobs: 77 of user \\d+ .*process-1.*, ${jobId} of .*--force-merge`,
      ),
    );
    const third = save("third.darshan", processLog("third", 1_700_000_000, 78));
    expectRefusal(await inside(command, first, second, third), 2, /to 2 different jobs: 77 .*, 78 /);
  });

  it("--force-merge takes them as one job and says so", async () => {
    const text = utf8(await inside("report", "--force-merge", first, single("one-rank")));
    expect(text).toContain("The 2 logs are of 2 different jobs (77,");
    expect((await inside("findings", "--force-merge", first, single("one-rank"))).code).toBe(0);
  });

  it("takes the same log twice as two processes", async () => {
    const { job, metrics } = await summary("report", first, first);
    expect(job.ranks).toBe(2);
    expect(metrics.bytesWritten).toBe(4 * 1048576);
  });

  it("leaves out what cannot be read, names it, and ends with 3", async () => {
    const broken = save("broken.darshan", damaged(processLog("own-3", 1_700_000_000)));
    const text = save("notes.txt", "not a log");
    const outcome = await inside("report", first, broken, second, text, "--json");
    expect(outcome.code).toBe(3);
    expect(outcome.err).toMatch(/skipped .*broken\.darshan: byte \d+: /);
    expect(outcome.err).toMatch(/skipped .*notes\.txt: /);
    expect(json(outcome).job).toMatchObject({ ranks: 2, logs: [first, second] });
  });

  it("fails when none can be read", async () => {
    const broken = save("broken.darshan", damaged(processLog("own-3", 1_700_000_000)));
    const outcome = await inside("report", broken, broken);
    expect(outcome.code).toBe(1);
    expect(outcome.err).toContain("none of the logs could be read");
    expect(outcome.out).toBe("");
  });
});

describe("bad input", () => {
  it("a damaged log ends with 1 and one line with the byte", async () => {
    const path = save("damaged.darshan", damaged(processLog("a", 1_700_000_000)));
    for (const words of [
      ["report", path],
      ["findings", path],
      ["diff", path, FIXTURE],
      ["diff", FIXTURE, path],
    ])
      expectRefusal(await inside(...words), 1, /damaged\.darshan: byte \d+: /);
  });

  it("with --keep-going it is read as far as it goes, ends with 3, and the report warns", async () => {
    const path = save("damaged.darshan", damaged(processLog("a", 1_700_000_000)));
    const page = join(folder, "damaged.html");
    const outcome = await inside("report", "--keep-going", path, "-o", page);
    expect(outcome.code).toBe(3);
    expect(outcome.err).toMatch(/skipped .*damaged\.darshan: byte \d+: .*the part before it is used/);
    expect(readFileSync(page, "utf8")).toMatch(/class="notice warning"[\s\S]*?byte \d+/);
    const { warnings } = json(await inside("report", "--keep-going", path, "--json"));
    expect(warnings.join()).toMatch(/byte \d+/);
  });

  it.each(["report", "findings", "diff"])("%s names what is no log", async (command) => {
    const other = command === "diff" ? [FIXTURE] : [];
    const files: [string, RegExp][] = [
      [save("empty.darshan", ""), /empty\.darshan: /],
      [save("text.darshan", "hello"), /text\.darshan: /],
      [mkdtempSync(join(folder, "empty-")), /empty-.*: the folder is empty/],
      [join(folder, "none.darshan"), /cannot read .*none\.darshan: no such file/],
    ];
    for (const [path, line] of files) expectRefusal(await inside(command, path, ...other), 1, line);
  });

  it("a log that a recorder left incomplete is read, with a word in red", async () => {
    const page = join(folder, "partial.html");
    const outcome = await inside("report", single("partial"), "-o", page);
    expect({ code: outcome.code, err: outcome.err }).toEqual({ code: 0, err: "" });
    expect(readFileSync(page, "utf8")).toMatch(/class="notice error"[\s\S]*?POSIX data is incomplete/);
    expect(utf8(await inside("report", single("partial")))).toContain("error: The POSIX data is incomplete");
  });
});

describe("findings", () => {
  it.each(SINGLE_LOGS.map(({ id, expected }) => [id, expected] as const))(
    "%s has what it was made for and nothing else",
    async (id, expected) => {
      const { findings, quiet, unjudged } = await summary("findings", single(id));
      expect(findings.map((finding) => finding.id).sort()).toEqual([...expected].sort());
      const judged = [...findings.map((finding) => finding.id), ...quiet, ...unjudged.map((one) => one.id)];
      expect(judged.sort()).toEqual(RULES.map((rule) => rule.id).sort());
    },
  );

  it("prints statement, files and advice, and how many rules were silent", async () => {
    const text = utf8(await inside("findings", single("straggler")));
    expect(text).toMatch(/\(straggler\)$/m);
    expect(text).toMatch(/^ {4}→ /m);
    expect(text).toMatch(/^1 finding; \d+ rules found nothing, \d+ could not be applied$/m);
  });

  it("--fail-on ends with 1 and one line when something is that severe", async () => {
    const high = await inside("findings", single("fix-before"), "--json", "--fail-on", "high");
    expect(high.code).toBe(1);
    expect(high.err).toBe("plimsoll: 1 finding is high: independent-mpiio\n");
    // The document is whole all the same.
    expect(json(high).findings).toHaveLength(1);
    const fine = await inside("findings", single("control"), "--fail-on", "info");
    expect({ code: fine.code, err: fine.err }).toEqual({ code: 0, err: "" });
  });

  it("--fail-on warn takes warnings too, and --fail-on high does not", async () => {
    const warned: string[] = [];
    for (const { id } of SINGLE_LOGS) {
      const { findings } = await summary("findings", single(id));
      if (findings.length > 0 && findings.every(({ severity }) => severity === "warn")) warned.push(id);
    }
    const [id = ""] = warned;
    expect(id).not.toBe("");
    expect((await inside("findings", single(id), "--fail-on", "high")).code).toBe(0);
    const warn = await inside("findings", single(id), "--fail-on", "warn");
    expect(warn.code).toBe(1);
    expect(warn.err).toMatch(/^plimsoll: 1 finding is warn or worse: [a-z-]+\n$/);
    expectRefusal(await inside("findings", single(id), "--fail-on", "bad"), 2, /--fail-on.*high.*warn.*info/);
  });

  it("--threshold changes the outcome and is named as the source", async () => {
    const plain = await summary("findings", single("small-writes"), "--only", "small-writes");
    const [before] = plain.findings[0]?.threshold.filter(({ name }) => name === "share") ?? [];
    expect(before?.source).not.toContain("--threshold");
    const low = await summary(
      "findings",
      single("small-writes"),
      "--only",
      "small-writes",
      "-t",
      "small-writes.share=0.99",
    );
    expect(low.findings[0]?.threshold).toContainEqual(
      expect.objectContaining({ name: "share", value: 0.99, source: "given with --threshold" }),
    );
    const off = await summary(
      "findings",
      single("small-writes"),
      "--threshold",
      "small-writes.calls=1e6",
      "--threshold",
      "misaligned.share=1",
      "--only",
      "small-writes",
    );
    expect(off.findings).toEqual([]);
    expect(off.quiet).toEqual(["small-writes"]);
    expect(
      (await inside("report", single("small-writes"), "-t", "small-writes.calls=1e6", "--json")).out,
    ).not.toContain('"id":"small-writes"');
  });

  it("refuses thresholds that make no sense, with a hint", async () => {
    for (const [value, line] of [
      ["nothing.share=1", /unknown finding: nothing; plimsoll findings --list/],
      ["small-writes.size=1", /small-writes has no threshold size \(have: .*share/],
      ["small-writes.share=many", /--threshold small-writes\.share=many is not ID\.NAME=NUMBER, such as/],
      ["small-writes.share=", /is not ID\.NAME=NUMBER/],
      ["small-writes=1", /is not ID\.NAME=NUMBER/],
      ["", /threshold/],
    ] as const)
      for (const command of ["findings", "report"])
        expectRefusal(await inside(command, FIXTURE, `--threshold=${value}`), 2, line);
  });

  it("--only applies the rules that are named", async () => {
    const { findings, quiet, unjudged } = await summary(
      "findings",
      single("fix-before"),
      "--only",
      "independent-mpiio",
      "--only",
      "straggler",
    );
    expect(findings.map(({ id }) => id)).toEqual(["independent-mpiio"]);
    expect([...quiet, ...unjudged.map(({ id }) => id)]).toEqual(["straggler"]);
    expectRefusal(
      await inside("findings", FIXTURE, "--only", "smal-writes"),
      2,
      /unknown finding: smal-writes/,
    );
  });

  it("--list explains every rule with thresholds and sources, without a log", async () => {
    const text = utf8(await inside("findings", "--list"));
    const listed = JSON.parse(utf8(await inside("findings", "--list", "--json"))).rules;
    expect(RULES.length).toBeGreaterThanOrEqual(35);
    expect(listed.map(({ id }: { id: string }) => id)).toEqual(RULES.map(({ id }) => id));
    const joined = text.replace(/\s+/g, " ");
    for (const { id, title, thresholds } of RULES) {
      expect(text).toContain(`${id}: ${title}\n`);
      const inList = listed.find((one: { id: string }) => one.id === id);
      for (const [name, { value, source }] of Object.entries(thresholds)) {
        expect(joined).toContain(`--threshold ${id}.${name}=${value}`);
        expect(joined).toContain(`Source: ${source.replace(/\s+/g, " ")}`);
        expect(inList.thresholds[name]).toMatchObject({ value, source });
      }
    }
    const one = utf8(await inside("findings", "--list", "--only", "straggler"));
    expect(one).toMatch(/^straggler: /);
    expect(one).not.toContain("small-writes:");
  });

  it("asks for a log", async () => {
    expectRefusal(await inside("findings"), 2, /name a log or trace, or use --list/);
    expectRefusal(await inside("report"), 2, /input/);
    expectRefusal(await inside("diff", FIXTURE), 2, /after/);
  });
});

interface Difference {
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
  readonly verdict: string;
  readonly comparable: boolean;
  readonly warnings: readonly string[];
  readonly findings: readonly { readonly id: string; readonly change: string; readonly advice: string }[];
  readonly noise: number;
  readonly metrics: Readonly<
    Record<
      string,
      {
        readonly unit: string;
        readonly before: number | null;
        readonly after: number | null;
        readonly difference: number | null;
        readonly ratio: number | null;
        readonly belowNoise: boolean;
      }
    >
  >;
}

describe("diff", () => {
  const difference = async (...words: string[]) => (await summary("diff", ...words)) as unknown as Difference;
  const changes = ({ findings }: Difference) => findings.map(({ id, change }) => `${id} ${change}`);

  it("says which findings went, and reversed that they appeared", async () => {
    const [before, after] = [single("fix-before"), single("fix-after")];
    const there = await difference(before, after);
    expect(changes(there)).toEqual(["independent-mpiio gone"]);
    expect(there.verdict).toMatch(/^I\/O is \d+ times faster .* Gone: independent MPI-IO writes\.$/);
    const back = await difference(after, before);
    expect(changes(back)).toEqual(["independent-mpiio appeared"]);
    expect(back.verdict).toMatch(/^I\/O is \d+ times slower .* New: independent MPI-IO writes\./);
    // The same work both times: nothing to warn of.
    expect(there).toMatchObject({ comparable: true, warnings: [], noise: 0.1 });
    for (const [id, { before: a, after: b, ...rest }] of Object.entries(there.metrics)) {
      const other = back.metrics[id];
      expect(other, id).toMatchObject({ before: b, after: a, belowNoise: rest.belowNoise });
      if (a !== null && b !== null) expect(rest.difference, id).toBe(b - a);
    }
    const text = utf8(await inside("diff", before, after));
    expect(text).toContain("1 gone, 0 new, 0 stayed.");
    expect(text).toMatch(/^Bytes written +134 MB +134 MB +0 +1×$/m);
  });

  it.each(["fix-before", "no-io", "dxt-only", "partial", "many-ranks", "stdio-bulk"])(
    "%s against itself differs in nothing",
    async (id) => {
      const same = await difference(single(id), single(id));
      expect(Object.entries(same.metrics).filter(([, { belowNoise }]) => !belowNoise)).toEqual([]);
      expect(same.findings.every(({ change }) => change === "stayed")).toBe(true);
      expect(same.verdict).toContain("I/O takes about as long as before");
      expect(same.verdict).toContain("The findings are the same.");
      expect(same.verdict).not.toContain("NaN");
      const text = utf8(await inside("diff", "--full", single(id), single(id)));
      expect(text).not.toMatch(/NaN|undefined/);
    },
  );

  it("draws what did not change pale", async () => {
    const page = join(folder, "same.html");
    await inside("diff", single("fix-before"), single("fix-before"), "-o", page);
    const main = /id="table-main"[\s\S]*?<\/table>/.exec(readFileSync(page, "utf8"))?.[0] ?? "";
    const rows = main.match(/<tr[^>]*>/g)?.slice(1) ?? [];
    expect(rows.length).toBe(13);
    expect(rows.every((row) => row.includes("pale"))).toBe(true);
  });

  it("warns when processes, programs or bytes differ", async () => {
    const { warnings, comparable } = await difference(single("fix-before"), single("one-rank"));
    expect(comparable).toBe(false);
    expect(warnings.join("\n")).toMatch(/^The numbers of processes differ: 16 and 1\.$/m);
    expect(warnings.join("\n")).toMatch(/^The programs differ: heat and [a-z]+\.$/m);
    expect(warnings.join("\n")).toMatch(/^The bytes written differ by more than 5 % \(134 MB and /m);
    const text = utf8(await inside("diff", single("fix-before"), single("one-rank")));
    expect(text).toContain("warning: The numbers of processes differ");
    const partial = await difference(single("control"), single("partial"));
    expect(partial.warnings.join()).toContain("The second log is incomplete in POSIX");
  });

  it("--noise says what a measured value may differ by; counts have none", async () => {
    const pair = [single("fix-before"), single("fix-after")];
    const wide = await difference(...pair, "--noise", "1");
    expect(wide.metrics.runSeconds?.belowNoise).toBe(true);
    expect(wide.verdict).toContain("about as long as before");
    expect(wide.metrics["POSIX.writes"]?.belowNoise).toBe(false);
    const none = await difference(...pair, "--noise", "0");
    expect(none.metrics.metadataSeconds?.belowNoise).toBe(false);
    for (const wrong of ["-0.1", "1.1", "some"])
      expectRefusal(await inside("diff", ...pair, `--noise=${wrong}`), 2, /--noise/);
  });

  it("has the shape that scripts rely on", async () => {
    const one = await difference(single("fix-before"), single("fix-after"));
    expect(Object.keys(one)).toEqual([
      "before",
      "after",
      "verdict",
      "comparable",
      "warnings",
      "findings",
      "noise",
      "metrics",
    ]);
    expect(one.before).toMatchObject({ application: "heat", ranks: 16 });
    for (const finding of one.findings)
      expect(Object.keys(finding)).toEqual(
        expect.arrayContaining(["change", "id", "severity", "title", "evidence", "threshold", "advice"]),
      );
    for (const change of Object.values(one.metrics))
      expect(Object.keys(change)).toEqual(["unit", "before", "after", "difference", "ratio", "belowNoise"]);
  });

  it("-o writes one page", async () => {
    const page = join(folder, "diff.html");
    const outcome = await inside("diff", single("fix-before"), single("fix-after"), "-o", page);
    expect({ code: outcome.code, err: outcome.err }).toEqual({ code: 0, err: "" });
    expect(utf8(outcome)).toMatch(
      /^Synthetic data: I\/O is \d+ times faster[^\n]*\nWrote [^\n]*diff\.html\n$/,
    );
    expect(readFileSync(page, "utf8")).toContain("fix-before.darshan → fix-after.darshan");
    expectRefusal(
      await inside("diff", FIXTURE, FIXTURE, "-o", join(folder, "none", "d.html")),
      1,
      /no such folder/,
    );
    expect(readdirSync(folder).filter((name) => name.includes(".part-"))).toEqual([]);
  });
});
