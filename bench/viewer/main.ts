/**
 * `npm run bench viewer`: the timeline of saved reports in Chromium, without a GPU: how long until the first picture, and how
 * much script a frame takes while the view moves. Times of script are those of the thread, so that a busy machine does not
 * lengthen them; the first picture is also given in wall time.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, CDPSession, Page } from "playwright-core";
import { Random } from "../../src/base/prng.ts";
import { recordLog } from "../../src/generate/recorder/record.ts";
import { Application, osts } from "../../src/generate/single/application.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";

const [root = "."] = process.argv.slice(2);
// Not bundled: it finds its own files beside it.
const require = createRequire(join(root, "package.json"));
const { chromium } = require("playwright-core") as typeof import("playwright-core");
const executablePath = process.env.PLIMSOLL_CHROMIUM ?? "/usr/bin/chromium";
const FRAMES = 120;
const TURNS = 3;
const RANKS = 256;
const STEPS = 8;

/** Ranks write checkpoints, every call traced. */
function tracedLog(calls: number): Uint8Array {
  const each = Math.ceil(calls / RANKS / STEPS);
  const job = new Application(RANKS, new Random(11));
  for (let step = 0; step < STEPS; step++) {
    job.compute(5);
    const file = job.lustre(`checkpoint.${step}`, osts(8 * step, 8), { alignmentBytes: 4096 });
    for (let rank = 0; rank < RANKS; rank++) {
      job.open("POSIX", rank, file);
      for (let i = 0; i < each; i++)
        job.write("POSIX", rank, file, {
          offset: (rank * each + i) * 65536,
          bytes: 65536,
          rate: 30 * 2 ** 20,
        });
      job.close("POSIX", rank, file);
    }
    job.barrier();
  }
  return recordLog(job.plan("viewer", { traces: true }), nodeEncoders).bytes;
}

function report(work: string, calls: number): string {
  const log = join(work, `${calls}.darshan`);
  const page = join(work, `${calls}.html`);
  writeFileSync(log, tracedLog(calls));
  const child = spawnSync(
    process.execPath,
    [join(root, "bin", "plimsoll"), "report", log, "-o", page, "--calls", String(2 * calls)],
    { encoding: "utf8" },
  );
  if (child.status !== 0) throw new Error(`report of ${calls} calls: ${child.stderr}`);
  return page;
}

/** Seconds of all work or of script on the main thread so far, by its own clock. */
async function seconds(session: CDPSession, what: "TaskDuration" | "ScriptDuration"): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === what)?.value ?? Number.NaN;
}

interface Opened {
  readonly page: Page;
  readonly session: CDPSession;
  readonly wallSeconds: number;
  readonly threadSeconds: number;
}

/** From the opening of the file to the first picture of its timeline, which the address asks for. */
async function open(browser: Browser, file: string): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const began = performance.now();
  await page.goto(`${pathToFileURL(file)}#timeline`, { waitUntil: "commit" });
  await page.waitForSelector('.trace-host[data-trace-state="ready"]', { timeout: 120_000 });
  const wallSeconds = (performance.now() - began) / 1000;
  return { page, session, wallSeconds, threadSeconds: await seconds(session, "TaskDuration") };
}

/** Milliseconds of script of each frame while the middle button drags the view to and fro. */
async function panning({ page, session }: Opened, zoomSteps: number): Promise<number[]> {
  await page.locator(".trace-stage").first().focus();
  await page.keyboard.press("0");
  for (let i = 0; i < zoomSteps; i++) await page.keyboard.press("w");
  const box = await page.locator(".trace-timeline").boundingBox();
  if (box === null) throw new Error("the timeline is not on the page");
  const y = box.y + 200;
  const middle = box.x + box.width / 2;
  await page.mouse.move(middle, y);
  await page.mouse.down({ button: "middle" });
  const taken: number[] = [];
  let before = await seconds(session, "ScriptDuration");
  for (let i = 0; i < FRAMES; i++) {
    await page.mouse.move(middle + 300 * Math.sin(i / 12), y);
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    const now = await seconds(session, "ScriptDuration");
    taken.push((now - before) * 1000);
    before = now;
  }
  await page.mouse.up({ button: "middle" });
  return taken.sort((a, b) => a - b);
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN).toFixed(1);
}

const work = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
const browser = await chromium.launch({
  executablePath,
  args: ["--headless=new", "--no-sandbox", "--disable-gpu"],
});
try {
  console.log(
    `${cpus()[0]?.model ?? "?"}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Chromium ${browser.version()}`,
  );
  console.log(
    "calls\tHTML MB\tfirst picture s (wall)\tits main thread s\tzoom\tscript per frame ms: p50\tp95",
  );
  for (const calls of [50_000, 200_000, 1_000_000]) {
    const file = report(work, calls);
    for (let turn = 0; turn < TURNS; turn++) {
      const opened = await open(browser, file);
      for (const zoomSteps of [1, 6]) {
        const taken = await panning(opened, zoomSteps);
        const head = [
          calls.toLocaleString("en"),
          (statSync(file).size / 1e6).toFixed(1),
          opened.wallSeconds.toFixed(2),
          opened.threadSeconds.toFixed(2),
        ];
        console.log(
          [...head, `${(1 / 0.8 ** zoomSteps).toFixed(1)} ×`, at(taken, 0.5), at(taken, 0.95)].join("\t"),
        );
      }
      await opened.page.close();
    }
  }
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true });
}
