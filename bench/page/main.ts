/** `npm run bench page`: from the drop to the report in Chromium, and the same logs by the command. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { Random } from "../../src/base/prng.ts";
import { recordLog } from "../../src/generate/recorder/record.ts";
import { bytesSource } from "../../src/base/source.ts";
import { type ModuleEntry, NEW_LAYOUT, readHeader } from "../../src/formats/darshan/header.ts";
import { sampleLogs } from "../../src/generate/samples.ts";
import { Application, osts } from "../../src/generate/single/index.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { manyCalls, manyFiles } from "../darshan/inputs.ts";

const [root = "."] = process.argv.slice(2);
/** It finds its own files beside it, so it cannot be bundled. */
const { chromium } = createRequire(join(root, "package.json"))(
  "playwright-core",
) as typeof import("playwright-core");
const TURNS = Number(process.env.PLIMSOLL_BENCH_TURNS ?? 5);
const executablePath = process.env.PLIMSOLL_CHROMIUM ?? "/usr/bin/chromium";
const PATIENCE_MS = 600_000;
const TICKS_PER_SECOND = 100;

const work = mkdtempSync(join(tmpdir(), "plimsoll-bench-page-"));
const browser = await chromium.launch({
  executablePath,
  args: ["--headless=new", "--no-sandbox", "--disable-gpu"],
});
try {
  const page = join(root, "dist", "plimsoll.html");
  console.log(
    `${cpus()[0]?.model ?? "?"}, Chromium ${browser.version()}, Node ${process.version}; ${TURNS} turns, medians; page ${(statSync(page).size / 1e3).toFixed(0)} kB`,
  );
  console.log(
    "log\tMB\tdrop to report s\tto the timeline's first picture s\trenderer peak MiB\tCPU s\tcommand s\tCPU s\tratio of CPU",
  );
  for (const [label, make, turns] of inputs()) {
    const paths = make();
    const inPage: Measured[] = [];
    const byCommand: Measured[] = [];
    for (let turn = 0; turn < turns; turn++) {
      inPage.push(await dropped(browser, page, paths));
      byCommand.push(command(paths));
    }
    const median = (list: readonly Measured[], key: keyof Measured) =>
      list.map((one) => one[key]).sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
    const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
    const [cpu, theirs] = [median(inPage, "cpuSeconds"), median(byCommand, "cpuSeconds")];
    console.log(
      [
        label,
        (bytes / 1e6).toFixed(2),
        median(inPage, "seconds").toFixed(2),
        median(inPage, "pictureSeconds").toFixed(2),
        median(inPage, "peakMib").toFixed(0),
        cpu.toFixed(2),
        median(byCommand, "seconds").toFixed(2),
        theirs.toFixed(2),
        (cpu / theirs).toFixed(2),
      ].join("\t"),
    );
  }
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true });
}

interface Measured {
  readonly seconds: number;
  /** NaN for what has no calls. */
  readonly pictureSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMib: number;
}

/** A new page each time, as somebody opens it; the files come by the button, which costs the same as a drop. */
async function dropped(browser: Browser, path: string, files: readonly string[]): Promise<Measured> {
  const context = await browser.newContext();
  const page = await context.newPage();
  try {
    await page.goto(pathToFileURL(path).href);
    await page.waitForTimeout(500);
    const renderer = await rendererOf(page);
    const before = cpuSeconds(renderer);
    const began = performance.now();
    await page.locator("#pick-files").setInputFiles([...files]);
    const end = page.locator("#dock:not([hidden]), #failed:not([hidden])");
    await end.waitFor({ state: "visible", timeout: PATIENCE_MS });
    const failure = await page.locator("#failed h2").getAttribute("title");
    if (failure) throw new Error(failure);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0))));
    const seconds = (performance.now() - began) / 1000;
    const measured = { seconds, cpuSeconds: cpuSeconds(renderer) - before, peakMib: peakMib(renderer) };
    return { ...measured, pictureSeconds: await firstPicture(page, began) };
  } finally {
    await context.close();
  }
}

/** The reader goes to the timeline as soon as the report is there. */
async function firstPicture(page: Page, began: number): Promise<number> {
  const timeline = page.locator(".trace-host").first();
  if ((await timeline.count()) === 0) return Number.NaN;
  await timeline.scrollIntoViewIfNeeded();
  await page.waitForSelector('.trace-host[data-trace-state="ready"]', { timeout: PATIENCE_MS });
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0))));
  return (performance.now() - began) / 1000;
}

type Page = Awaited<ReturnType<Awaited<ReturnType<Browser["newContext"]>>["newPage"]>>;

/** The process of the page: of the renderers below us, the one that works while the page does. */
async function rendererOf(page: Page): Promise<number> {
  const ids = readdirSync("/proc")
    .map(Number)
    .filter((id) => id > 0 && isRenderer(id) && isBelow(id, process.pid));
  const before = ids.map(cpuSeconds);
  await page.evaluate(() => {
    for (const end = performance.now() + 60; performance.now() < end; );
  });
  const worked = ids.map((id, at) => cpuSeconds(id) - (before[at] ?? 0));
  return ids[worked.indexOf(Math.max(...worked))] ?? 0;
}

function isRenderer(id: number): boolean {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "utf8").includes("--type=renderer");
  } catch {
    return false;
  }
}

function isBelow(id: number, ancestor: number): boolean {
  for (let at = id; at > 1; ) {
    if (at === ancestor) return true;
    at = Number(fieldsOf(at)[1]);
  }
  return false;
}

/** Of its stat, behind the name: state, parent and so on. */
function fieldsOf(id: number): string[] {
  return readFileSync(`/proc/${id}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
}

function cpuSeconds(id: number): number {
  const fields = fieldsOf(id);
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function peakMib(id: number): number {
  return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1] ?? Number.NaN) / 1024;
}

function command(files: readonly string[]): Measured {
  const notes = join(work, "time");
  const words = [join(root, "bin", "plimsoll"), "report", ...files, "-o", join(work, "report.html")];
  const { status, stderr } = spawnSync(
    "/usr/bin/time",
    ["-o", notes, "-f", "%e %U %S %M", process.execPath, ...words],
    {
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new Error(stderr);
  const [seconds = 0, user = 0, system = 0, kib = 0] = readFileSync(notes, "utf8")
    .trim()
    .split(" ")
    .map(Number);
  return { seconds, pictureSeconds: Number.NaN, cpuSeconds: user + system, peakMib: kib / 1024 };
}

type Input = readonly [label: string, make: () => readonly string[], turns: number];

function inputs(): readonly Input[] {
  const store = (name: string, bytes: Uint8Array) => {
    const path = join(work, `${name}.darshan`);
    writeFileSync(path, bytes);
    return path;
  };
  const samples = sampleLogs(1, nodeEncoders);
  const sample = (name: string) =>
    store(name, samples.find((one) => one.name === name)?.bytes ?? new Uint8Array(0));
  mkdirSync(join(work, "many"));
  const processes = Array.from({ length: 100 }, (_, process) =>
    store(`many/${process}`, oneProcess(process)),
  );
  const large: Input = ["66 million traced calls", () => [store("large", longerTrace(manyCalls(), 66))], 1];
  if (process.env.PLIMSOLL_BENCH_LARGE === "1") return [large];
  return [
    ["a small log", () => [sample("shared-checkpoint")], TURNS],
    ["64 ranks, 24,576 traced calls", () => [sample("slow-checkpoint")], TURNS],
    ["a million traced calls", () => [store("calls", manyCalls())], 3],
    ["100 logs of a job without MPI", () => processes, 3],
    ["100,000 files", () => [store("files", manyFiles(100_000))], 3],
    ["1,000,000 files", () => [store("more-files", manyFiles(1_000_000))], 1],
  ];
}

/** The same log with its traced calls repeated: streams of a region may follow one another. */
function longerTrace(log: Uint8Array, times: number): Uint8Array {
  const { slot, region } = readHeader(bytesSource(log)).modules.find(
    ({ name }) => name === "DXT_POSIX",
  ) as ModuleEntry;
  const { offset, length } = region;
  const longer = new Uint8Array(log.length + length * times);
  longer.set(log);
  // Behind all the others, whose places stay.
  for (let at = 0; at < times; at++)
    longer.set(log.subarray(offset, offset + length), log.length + at * length);
  const view = new DataView(longer.buffer);
  const entryAt = NEW_LAYOUT.modulesAt + 16 * slot;
  view.setBigUint64(entryAt, BigInt(log.length), true);
  view.setBigUint64(entryAt + 8, BigInt(length * times), true);
  return longer;
}

/** Each process writes a log of its own, with the same job id. */
function oneProcess(seed: number): Uint8Array {
  const job = new Application(1, new Random(seed));
  for (let k = 0; k < 5; k++) {
    const file = job.lustre(`out.${seed}.${k}`, osts(k, 2));
    job.open("POSIX", 0, file);
    for (let i = 0; i < 50; i++) job.write("POSIX", 0, file, { offset: i * 65536, bytes: 65536 });
    job.close("POSIX", 0, file);
  }
  return recordLog({ ...job.plan("workers", {}), jobId: 7001 }, nodeEncoders).bytes;
}
