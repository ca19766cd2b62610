/** The timeline of a report as the command writes it, under its policy: its numbers are those of `bps`, its address has no names. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inflateRawSync } from "node:zlib";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "../../src/base/prng.ts";
import { formatValue } from "../../src/plot/index.ts";
import { decodeTrace } from "../../web/report/trace/index.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const executablePath = process.env.PLIMSOLL_CHROMIUM ?? "/usr/bin/chromium";
const present = existsSync(executablePath);
if (!present && process.env.PLIMSOLL_REQUIRE_ALL !== "1")
  console.warn(`no browser at ${executablePath}: timelines of reports are NOT tested; set PLIMSOLL_CHROMIUM`);

const PATIENCE = { timeout: 20_000 };
const NAMES = ["/secret-project/alpha.h5", "/secret-project/beta.nc"];

/** Reads and writes of four processes that overlap, with gaps; times in whole microseconds. */
function accesses(): string {
  const random = new Random(5);
  const rows = ["pid,op,file,offset,bytes,start,end"];
  for (let pid = 1; pid <= 4; pid++) {
    let at = 0.01 * pid;
    for (let i = 0; i < 100; i++) {
      const end = at + 0.002 + 0.05 * random.unit() ** 3;
      const bytes = 512 * (1 + Math.floor(64 * random.unit()));
      const operation = random.unit() < 0.4 ? "read" : "write";
      const file = NAMES[(pid + i) % 2];
      rows.push([pid, operation, file, 65536 * i, bytes, at.toFixed(6), end.toFixed(6)].join(","));
      at = end + 0.03 * random.unit();
    }
  }
  return `${rows.join("\n")}\n`;
}

interface Bps {
  readonly accesses: number;
  readonly bytes: number;
  readonly ioTimeSeconds: number;
  readonly bps: number;
  readonly iops: number;
  readonly bandwidthBytesPerSecond: number;
  readonly arptSeconds: number;
  readonly percentiles: Readonly<
    Record<"read" | "write", { p50Seconds: number; p95Seconds: number; p99Seconds: number }>
  >;
}

describe.runIf(present || process.env.PLIMSOLL_REQUIRE_ALL === "1")("the timeline of a report", () => {
  let work: string;
  let log: string;
  let address: string;
  let firstStart: number;
  let browser: Browser;

  function plimsoll(...args: readonly string[]): string {
    const child = spawnSync(process.execPath, [join(root, "bin", "plimsoll"), ...args], { encoding: "utf8" });
    expect(child.stderr).toBe("");
    return child.stdout;
  }

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), "plimsoll-timeline-"));
    log = join(work, "accesses.csv");
    const html = join(work, "report.html");
    writeFileSync(log, accesses());
    plimsoll("report", log, "-o", html);
    address = pathToFileURL(html).href;
    const data = /<script[^>]* id="trace-[^"]*"[^>]*>"([^"]*)"/.exec(readFileSync(html, "utf8"))?.[1] ?? "";
    firstStart = decodeTrace(inflateRawSync(Buffer.from(data, "base64"))).calls.startSeconds[0]!;
    browser = await chromium.launch({
      executablePath,
      args: ["--headless=new", "--no-sandbox", "--disable-gpu"],
    });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(work, { recursive: true, force: true });
  });

  /** Nothing but the file is asked for, and nothing goes wrong. */
  async function withPage(
    fragment: string,
    use: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 1000 }, ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      if (request.url().split("#")[0] !== address) complaints.push(request.url());
    });
    await page.goto(address + fragment);
    await page.waitForSelector('.trace-host[data-trace-state="ready"]', PATIENCE);
    await use(page);
    await context.close();
    expect(complaints).toEqual([]);
  }

  async function drag(page: Page, from: number, to: number): Promise<void> {
    const timeline = page.locator(".trace-timeline");
    await timeline.scrollIntoViewIfNeeded();
    const box = (await timeline.boundingBox())!;
    await page.mouse.move(box.x + from * box.width, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + to * box.width, box.y + 90, { steps: 4 });
    await page.mouse.up();
  }

  const fragment = (page: Page) => page.evaluate(() => location.hash);
  const cells = (page: Page) => page.locator(".trace-panel tr").allInnerTexts();

  it("says of a dragged range what bps says of the same window", () =>
    withPage("#timeline", async (page) => {
      await drag(page, 0.35, 0.7);
      const inAddress = async () => (/sel:([\d.]+):([\d.]+)/.exec(await fragment(page)) ?? []).map(Number);
      const inPanel = async () =>
        /([\d.]+) s to ([\d.]+) s/.exec((await page.locator(".trace-panel h4").textContent()) ?? "") ?? [];
      // On a busy machine the address may still be that of a moment ago.
      await expect
        .poll(async () => (await inAddress()).slice(1).map((time) => time.toFixed(6)), PATIENCE)
        .toEqual((await inPanel()).slice(1));
      const [, from = 0, to = 0] = await inAddress();
      expect(to - from).toBeGreaterThan(0.2);
      const ns = (seconds: number) => `${Math.round((seconds - firstStart) * 1e9)}ns`;
      const document = JSON.parse(
        plimsoll("bps", log, "--json", "--by", "direction", "--from", ns(from), "--to", ns(to)),
      ) as Bps & { groups: { direction: { rows: (Bps & { name: string })[] } } };
      const group = (name: string) => document.groups.direction.rows.find((row) => row.name === name)!;
      const rows = (await cells(page)).map((row) => row.split("\t"));
      for (const [i, bps] of [document, group("read"), group("write")].entries()) {
        expect(bps.accesses).toBeGreaterThan(20);
        // Beyond 256 the percentiles of bps are not exact.
        expect(bps.accesses).toBeLessThan(256);
        const shown = (name: string) => rows.find(([label]) => label?.startsWith(name))?.[i + 1]?.trim();
        expect(shown("calls")).toBe(formatValue(bps.accesses, "count"));
        expect(shown("bytes")).toBe(formatValue(bps.bytes, "bytes"));
        expect(shown("T")).toBe(formatValue(bps.ioTimeSeconds, "seconds"));
        expect(shown("BPS")).toBe(formatValue(bps.bps, "count"));
        expect(shown("IOPS")).toBe(formatValue(bps.iops, "count"));
        expect(shown("bandwidth")).toBe(formatValue(bps.bandwidthBytesPerSecond, "bytes/s"));
        expect(shown("ARPT")).toBe(formatValue(bps.arptSeconds, "seconds"));
        const percentiles = bps.percentiles[i === 1 ? "read" : "write"];
        if (i === 0) continue;
        expect(shown("p50")).toBe(formatValue(percentiles.p50Seconds, "seconds"));
        expect(shown("p95")).toBe(formatValue(percentiles.p95Seconds, "seconds"));
        expect(shown("p99")).toBe(formatValue(percentiles.p99Seconds, "seconds"));
      }
    }));

  it("keeps zoom, range and sort in the address without a name, and restores them", async () => {
    let saved = "";
    let numbers: string[] = [];
    await withPage("#timeline", async (page) => {
      await page.locator(".trace-stage").first().focus();
      await page.keyboard.press("w");
      await page.keyboard.press("d");
      await drag(page, 0.4, 0.6);
      await page.getByText("Visible calls as a table").click();
      await page.locator(".trace-table").getByRole("button", { name: "bytes" }).click();
      await page.getByLabel("Find a rank or part of a path").fill("beta");
      await page.keyboard.press("Enter");
      await expect
        .poll(() => fragment(page), PATIENCE)
        .toMatch(/calls=[\d.]+:[\d.]+\/sel:.*by:file.*sort:bytes/);
      saved = await fragment(page);
      numbers = await cells(page);
      const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }));
      for (const name of ["secret", "alpha", "beta"]) expect(stored).not.toContain(name);
    });
    for (const name of ["secret", "alpha", "beta", "accesses"]) expect(saved).not.toContain(name);
    await withPage(saved, async (page) => {
      await expect.poll(() => cells(page), PATIENCE).toEqual(numbers);
      await expect.poll(() => fragment(page), PATIENCE).toBe(saved);
      expect(await page.getByRole("combobox", { name: /^Lanes/ }).inputValue()).toBe("file");
    });
  });

  it("goes back with the browser, and takes no harm from an address that is wrong", async () => {
    await withPage("#timeline&calls=0.5:0.9", async (page) => {
      const shown = () =>
        page
          .locator(".trace-host")
          .first()
          .evaluate(({ dataset }) => [Number(dataset.windowStart), Number(dataset.windowEnd)]);
      await expect.poll(shown, PATIENCE).toEqual([expect.closeTo(0.5), expect.closeTo(0.9)]);
      await page.evaluate(() => {
        location.hash = "#timeline&calls=0.1:0.2";
      });
      await expect.poll(shown, PATIENCE).toEqual([expect.closeTo(0.1), expect.closeTo(0.2)]);
      await page.goBack();
      await expect.poll(shown, PATIENCE).toEqual([expect.closeTo(0.5), expect.closeTo(0.9)]);
    });
    const wrong = "calls=9:1/sel:x:/call:-5/layer:99/pin:7:1e9:a/file:3.5/top:NaN/sort:<b>/offset:5:2/:::";
    await withPage(`#timeline&${wrong}`, async (page) => {
      expect(await page.locator(".trace-panel").textContent()).toContain("Click a call");
    });
  });

  it("moves with one finger, zooms with two, and selects on the ruler", () =>
    withPage(
      "#timeline&calls=0.5:1",
      async (page) => {
        const timeline = page.locator(".trace-timeline");
        await timeline.evaluate((canvas) => canvas.scrollIntoView({ block: "center" }));
        const box = (await timeline.boundingBox())!;
        const session = await page.context().newCDPSession(page);
        const touch = (
          type: "touchStart" | "touchMove" | "touchEnd",
          ...points: readonly [number, number][]
        ) =>
          session.send("Input.dispatchTouchEvent", {
            type,
            touchPoints: points.map(([x, y], id) => ({ x: box.x + x, y: box.y + y, id })),
          });
        const span = () =>
          page
            .locator(".trace-host")
            .first()
            .evaluate(({ dataset }) => [Number(dataset.windowStart), Number(dataset.windowEnd)]);
        await touch("touchStart", [250, 90]);
        for (let x = 240; x >= 150; x -= 10) await touch("touchMove", [x, 90]);
        await touch("touchEnd");
        await expect.poll(async () => (await span())[0], PATIENCE).toBeGreaterThan(0.55);
        const [t0 = 0, t1 = 0] = await span();
        expect(t1 - t0).toBeCloseTo(0.5);
        await touch("touchStart", [180, 90], [220, 90]);
        for (let by = 5; by <= 40; by += 5) await touch("touchMove", [180 - by, 90], [220 + by, 90]);
        await touch("touchEnd");
        await expect
          .poll(async () => {
            const [from = 0, to = 0] = await span();
            return to - from;
          }, PATIENCE)
          .toBeLessThan(0.25);
        await touch("touchStart", [120, 55]);
        for (let x = 130; x <= 250; x += 10) await touch("touchMove", [x, 55]);
        await touch("touchEnd");
        await expect.poll(() => page.locator(".trace-panel tr").count(), PATIENCE).toBeGreaterThan(8);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      },
      { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true },
    ));
});
