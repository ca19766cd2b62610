// Reports as the command writes them, of very different logs, in a real browser: at two widths, light and dark.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Random } from "../../src/base/prng.ts";
import { inside } from "../../src/cli/darshan/test-kit.ts";
import type { PageAssets } from "../../src/report/compose.ts";
import { dxtPosix, posix } from "../../src/formats/darshan/modules/index.ts";
import { counterRecord } from "../../src/formats/darshan/records.ts";
import { LogWriter, memorySink } from "../../src/formats/darshan/writer.ts";
import { recordLog } from "../../src/generate/recorder/record.ts";
import { Application } from "../../src/generate/single/application.ts";
import { makeSingle, SINGLE_LOGS } from "../../src/generate/single/index.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { describeWithPublicData, publicLogs } from "../reference-data.ts";

const executablePath = process.env.PLIMSOLL_CHROMIUM ?? "/usr/bin/chromium";
const hasBrowser = existsSync(executablePath);
if (!hasBrowser && process.env.PLIMSOLL_REQUIRE_ALL === "1")
  throw new Error(`report pages: no Chromium at ${executablePath}; set PLIMSOLL_CHROMIUM to its path`);

/** The page's script and styles as they are now, whatever dist/ holds. */
const assets = vi.hoisted((): { current: PageAssets } => ({ current: { script: "", style: "" } }));
vi.mock("../../src/report/page/assets.ts", async (original) => ({
  ...(await original<typeof import("../../src/report/page/assets.ts")>()),
  builtAssets: () => assets.current,
}));

/** In any order: those that were not recorded come last. */
const JOB_SECTIONS = [
  "Causes, by cost",
  "Overview",
  "Look closer",
  "Ranks over time",
  "Timeline of calls",
  "BPS and related metrics",
  "Access sizes",
  "Where the time goes",
  "Operations",
  "Layers",
  "Files",
  "Folders",
  "Storage targets",
  "Raw counters",
  "Logs and definitions",
];
const WITHOUT_MPI = JOB_SECTIONS.map((title) =>
  title === "Ranks over time" ? "Processes over time" : title,
);
const DIFF_SECTIONS = [
  "Overview",
  "Look closer",
  "Findings",
  "Ranks over time",
  "Layers",
  "Access sizes",
  "Files",
  "Storage targets",
  "Raw counters",
];

const WIDTHS = [1280, 360] as const;

let folder: string;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-browser-"));
  const { bundlePage } = await import(new URL("../../scripts/build.mjs", import.meta.url).href);
  assets.current = await bundlePage(build, "web/report");
  if (hasBrowser)
    browser = await chromium.launch({
      executablePath,
      args: ["--headless=new", "--no-sandbox", "--disable-gpu"],
    });
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

function save(name: string, bytes: Uint8Array): string {
  const path = join(folder, `${name}.darshan`);
  writeFileSync(path, bytes);
  return path;
}

function single(id: string): string {
  const log = SINGLE_LOGS.find((one) => one.id === id);
  if (log === undefined) throw new Error(`no single log is called ${id}`);
  return save(id, makeSingle(log, 1, nodeEncoders).bytes);
}

/** The page of a command, made by the command. */
async function made(name: string, ...words: string[]): Promise<string> {
  const page = join(folder, `${name}.html`);
  const { code, err } = await inside(...words, "-o", page);
  expect({ name, code, err }).toEqual({ name, code: 0, err: "" });
  return page;
}

/** More calls than a page keeps, so that it shows sums. */
function manyCalls(): Uint8Array {
  const job = new Application(64, new Random(1));
  for (const file of [job.lustre("shared.dat", [0, 1, 2, 3]), job.lustre("other.dat", [4, 5])])
    for (let rank = 0; rank < job.ranks; rank++) {
      job.open("POSIX", rank, file);
      for (let k = 0; k < 900; k++)
        job.write("POSIX", rank, file, { offset: (k * job.ranks + rank) * 65536, bytes: 65536 });
      job.close("POSIX", rank, file);
    }
  return recordLog(job.plan("heavy", { traces: true }), nodeEncoders).bytes;
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const HOSTILE_NAMES: readonly Uint8Array[] = [
  utf8(`/scratch/<img src=x onerror="window.pwned=1">`),
  utf8("/scratch/</script><script>window.pwned=2</script>"),
  utf8(`/scratch/"onmouseover="alert(1)" onfocus='alert(2)' autofocus x='`),
  utf8("/scratch/\u001b[31mred\u001b]0;title\u0007\r\n\u009b2J"),
  utf8(`/scratch/${"long".repeat(2560)}`),
  Uint8Array.of(...utf8("/scratch/bad-"), 0xff, 0xfe, 0xc3, 0x28, 0x80),
  utf8("/scratch/\u202egnp.exe\u2066\u200b"),
  utf8("javascript:window.pwned=3"),
  utf8("/scratch/]]><!--<svg onload=window.pwned=6>"),
];

function hostile(): Uint8Array {
  const files = HOSTILE_NAMES.map((name, i) => ({ id: 1000n + BigInt(i), name }));
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders: nodeEncoders });
  writer.job({
    uid: 1,
    startSeconds: 1_700_000_000,
    endSeconds: 1_700_000_060,
    nprocs: 4,
    jobId: 77,
    metadata: [["lib_ver", "3.5.0<script>window.pwned=4</script>"]],
    commandLine: `/apps/<img/src=x/onerror=window.pwned=5>\u001b[2J${"A".repeat(1500)} --in "<b>"`,
    mounts: [
      { type: "<script>window.pwned=7</script>", path: "/scratch" },
      { type: "xfs", path: "/" },
    ],
  });
  writer.names(files);
  const values = {
    POSIX_OPENS: 4,
    POSIX_WRITES: 4000,
    POSIX_BYTES_WRITTEN: 400_000,
    POSIX_SIZE_WRITE_0_100: 4000,
    POSIX_MAX_BYTE_WRITTEN: 399_999,
    POSIX_ACCESS1_ACCESS: 100,
    POSIX_ACCESS1_COUNT: 4000,
    POSIX_FILE_ALIGNMENT: 4096,
    POSIX_FILE_NOT_ALIGNED: 3900,
    POSIX_F_META_TIME: 1,
    POSIX_F_SLOWEST_RANK_TIME: 4,
    POSIX_F_FASTEST_RANK_TIME: 1,
    POSIX_SLOWEST_RANK: 2,
    POSIX_FASTEST_RANK: 1,
    POSIX_F_OPEN_START_TIMESTAMP: 1,
    POSIX_F_CLOSE_END_TIMESTAMP: 50,
  };
  writer.module(
    posix,
    files.map(({ id }, i) =>
      counterRecord(posix, { id, rank: -1 }, { ...values, POSIX_F_WRITE_TIME: 10 + i }),
    ),
  );
  writer.module(
    dxtPosix,
    files.map(({ id }, i) => ({
      id,
      rank: BigInt(i % 4),
      host: `<b onclick=alert(1)>node${i}</b>`,
      writes: Array.from({ length: 20 }, (_, k) => ({
        offset: BigInt(k * 100),
        length: 100n,
        start: 1 + k,
        end: 1.5 + k,
        thread: 1n,
      })),
      reads: [],
    })),
  );
  writer.finish();
  return sink.bytes();
}

interface Opened {
  readonly page: Page;
  /** Errors, dialogs and requests beyond the page itself. */
  readonly trouble: string[];
}

async function open(context: BrowserContext, path: string): Promise<Opened> {
  const address = pathToFileURL(path).href;
  const trouble: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) trouble.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => trouble.push(`error: ${error}`));
  page.on("dialog", (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== address && !url.startsWith("data:") && !url.startsWith("blob:"))
      trouble.push(`request: ${url}`);
  });
  await page.goto(address);
  return { page, trouble };
}

/** What holds for every page, in the colours that are set. */
async function look(page: Page) {
  return page.evaluate(() => ({
    titles: [...document.querySelectorAll("main h2")].map((title) => title.textContent?.trim() ?? "").sort(),
    scrolls: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    pwned: (window as { pwned?: number }).pwned,
    traces: [...document.querySelectorAll<HTMLElement>(".trace-host")].map((host) => host.dataset.traceState),
    ground: getComputedStyle(document.body).backgroundColor,
  }));
}

async function expectSoundAt(width: number, path: string, hasTrace: boolean, sections: readonly string[]) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: "light" });
  try {
    const { page, trouble } = await open(context, path);
    if (hasTrace) {
      // It is drawn when it comes near.
      await page.locator("#timeline").evaluate((section) => section.scrollIntoView());
      await page.waitForFunction(
        () => document.querySelector<HTMLElement>(".trace-host")?.dataset.traceState === "ready",
      );
    }
    const expected = {
      titles: [...sections].sort(),
      scrolls: false,
      pwned: undefined,
      traces: hasTrace ? ["ready"] : [],
    };
    const light = await look(page);
    expect({ width, ...light }).toEqual({ width, ...expected, ground: light.ground });
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await look(page);
    expect({ width, ...dark }).toEqual({ width, ...expected, ground: dark.ground });
    expect(dark.ground).not.toBe(light.ground);
    expect(trouble).toEqual([]);
    const text = (await page.locator("main").textContent()) ?? "";
    expect(text).not.toMatch(/\bNaN\b|\bundefined\b|\[object/);
    return text;
  } finally {
    await context.close();
  }
}

/** Wide and narrow, light and dark; gives all text of the page. */
async function expectSound(
  path: string,
  hasTrace: boolean,
  sections: readonly string[] = JOB_SECTIONS,
): Promise<string> {
  const [text = ""] = await Promise.all(
    WIDTHS.map((width) => expectSoundAt(width, path, hasTrace, sections)),
  );
  return text;
}

async function withPage<T>(path: string, use: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
  try {
    const opened = await open(context, path);
    const result = await use(opened.page);
    expect(opened.trouble).toEqual([]);
    return result;
  } finally {
    await context.close();
  }
}

describe.skipIf(!hasBrowser)("reports of logs of our own", () => {
  it("one rank", async () => {
    await expectSound(await made("one-rank", "report", single("one-rank")), false, WITHOUT_MPI);
  });

  it("16,384 ranks", async () => {
    const text = await expectSound(await made("many-ranks", "report", single("many-ranks")), false);
    expect(text).toMatch(/16,?384 ranks/);
  });

  it("more calls than a page keeps: sums, and how to get calls", async () => {
    const text = await expectSound(await made("heavy", "report", save("heavy", manyCalls())), true);
    expect(text).toContain("115,200 POSIX");
    expect(text).toContain("--window FROM-TO");
  });

  it("traces only", async () => {
    await expectSound(await made("dxt-only", "report", single("dxt-only")), true);
  });

  it("no I/O at all", async () => {
    const text = await expectSound(await made("no-io", "report", single("no-io")), false);
    expect(text).toContain("This log has no I/O");
  });

  it("an incomplete module, in red", async () => {
    const path = await made("partial", "report", single("partial"));
    await expectSound(path, false);
    await withPage(path, async (page) => {
      const notice = page.locator("#overview .notice.error");
      expect(await notice.textContent()).toContain("The POSIX data is incomplete");
      const red = await notice.evaluate((element) => getComputedStyle(element).borderColor);
      const [r = 0, g = 0, b = 0] = (red.match(/\d+/g) ?? []).map(Number);
      expect(r).toBeGreaterThan(Math.max(g, b));
    });
  });

  it("hostile names are shown as the text they are, and nothing of them runs", async () => {
    const path = await made("hostile", "report", save("hostile", hostile()));
    await expectSound(path, true);
    await withPage(path, async (page) => {
      expect(await page.locator("img, iframe, object, embed, svg[onload], main script").count()).toBe(0);
      const attributes = await page.evaluate(() =>
        [...document.querySelectorAll("*")].flatMap((element) =>
          [...element.attributes]
            .filter(({ name, value }) => name.startsWith("on") || /^\s*javascript:/i.test(value))
            .map(({ name, value }) => `${name}=${value.slice(0, 40)}`),
        ),
      );
      // A title says what the file is called; only addresses and handlers could run.
      expect(attributes.filter((one) => !/^(title|aria-label|value)=/.test(one))).toEqual([]);
      const shown = await page.locator("#table-files").evaluate((element) => element.textContent ?? "");
      expect(shown).toContain(`<img src=x onerror="window.pwned=1">`);
      expect(shown).toContain("</script><script>window.pwned=2</script>");
      expect(shown).toContain("␛[31mred");
      expect(shown).toContain("⟨U+202E⟩gnp.exe");
      const whole = (await page.locator("main").textContent()) ?? "";
      expect(whole.match(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g)).toBeNull();
      // Hover over what names the files, and click through to one.
      await page.locator("#table-files tbody th").first().hover();
      await page.locator(".finding .files a").first().click();
      expect(await page.locator("#table-files tr.selected").count()).toBe(1);
      expect(await page.evaluate("window.pwned")).toBeUndefined();
    });
  });

  it("a comparison", async () => {
    const path = await made("diff", "diff", single("fix-before"), single("fix-after"));
    const text = await expectSound(path, false, DIFF_SECTIONS);
    expect(text).toContain("1 gone, 0 new, 0 stayed.");
    await withPage(path, async (page) => {
      const pale = await page.locator("#table-main tbody tr.pale th").allTextContents();
      expect(pale).toEqual(expect.arrayContaining(["Processes", "Bytes written", "Files"]));
      expect(pale).not.toContain("Run time");
      const [dim, plain] = await page.evaluate(() => {
        const colour = (row: string) =>
          getComputedStyle(document.querySelector(`#table-main tbody tr${row} td`) as Element).color;
        return [colour(".pale"), colour(":not(.pale)")];
      });
      expect(dim).not.toBe(plain);
    });
  });

  it("can be sorted, darkened and printed", async () => {
    const path = await made("unbalanced", "report", single("unbalanced-osts"));
    await withPage(path, async (page) => {
      const cells = () =>
        page
          .locator("#table-files tbody tr:not(.spacer) > th bdi:not(.whole)")
          .evaluateAll((all) => all.slice(0, 5).map((one) => one.textContent ?? ""));
      expect(await cells()).toEqual(["/scratch/run/part.#.# (128 files)"]);
      await page.locator("#table-files .tool", { hasText: "Grouped" }).click();
      const header = page.locator("#table-files thead button.sort", { hasText: "Path" });
      await header.click();
      const sort = page.locator("#table-files th[data-key=path]");
      const once = { order: await sort.getAttribute("aria-sort"), cells: await cells() };
      await header.click();
      const again = { order: await sort.getAttribute("aria-sort"), cells: await cells() };
      expect([once.order, again.order].sort()).toEqual(["ascending", "descending"]);
      const rising = once.order === "ascending" ? once.cells : again.cells;
      const falling = once.order === "ascending" ? again.cells : once.cells;
      // 16 ranks with eight files each.
      expect(rising).toEqual([0, 1, 2, 3, 4].map((file) => `/scratch/run/part.0000.${file}`));
      expect(falling).toEqual([7, 6, 5, 4, 3].map((file) => `/scratch/run/part.0015.${file}`));
      expect(page.url()).toContain("#files&sort=path");

      const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = await ground();
      await page.locator('[data-theme-choice="dark"]').click();
      expect(await ground()).not.toBe(light);

      await page.emulateMedia({ media: "print" });
      expect(await ground()).toBe("rgb(255, 255, 255)");
      expect(await page.locator(".finding:visible").count()).toBe(1);
      expect(await page.locator(".finding .statement").first().isVisible()).toBe(true);
      expect(await page.locator(".tool:visible").count()).toBe(0);
    });
  });

  it("the timeline is zoomed and moved with keys", async () => {
    const path = await made("timeline", "report", single("dxt-only"));
    await withPage(path, async (page) => {
      await page.locator("#timeline").scrollIntoViewIfNeeded();
      await page.waitForFunction(
        () => document.querySelector<HTMLElement>(".trace-host")?.dataset.traceState === "ready",
      );
      const span = () =>
        page.evaluate(() => {
          const element = document.querySelector<HTMLElement>("[data-window-start]");
          return [Number(element?.dataset.windowStart), Number(element?.dataset.windowEnd)] as const;
        });
      const [from, to] = await span();
      expect(from).toBe(0);
      expect(to).toBeGreaterThan(1);
      await page.locator(".trace-host canvas, .trace-host [tabindex='0']").first().focus();
      await page.keyboard.press("w");
      await expect.poll(async () => (await span())[1] - (await span())[0]).toBeLessThan(to - from);
      const zoomed = await span();
      await page.keyboard.press("d");
      await expect.poll(async () => (await span())[0]).toBeGreaterThan(zoomed[0]);
      await page.keyboard.press("s");
      await page.keyboard.press("s");
      await page.keyboard.press("s");
      await expect.poll(async () => (await span())[1] - (await span())[0]).toBeCloseTo(to - from, 6);
    });
  });
});

/** Public logs by the start of their names. */
function named(...starts: string[]): string[] {
  const found = publicLogs.filter(({ file }) => starts.some((start) => file.startsWith(start)));
  expect(found.length).toBeGreaterThanOrEqual(starts.length);
  return found.map(({ path }) => path);
}

if (hasBrowser)
  describeWithPublicData("reports of public logs", () => {
    const cases: readonly (readonly [
      what: string,
      logs: readonly string[],
      hasTrace: boolean,
      says: RegExp,
    ])[] = [
      ["a thousand traces of a Java program", ["dxt.darshan"], true, /7,623 POSIX/],
      ["HDF5 through MPI-IO, with traces", ["ior_hdf5_example"], true, /HDF5 files/],
      ["HDF5 datasets", ["shane_ior-HDF5"], false, /HDF5 datasets/],
      ["PnetCDF", ["shane_ior-PNETCDF"], false, /PnetCDF variables/],
      ["DAOS", ["snyder_ior-DFS"], false, /STDIO \+ DFS bytes of each rank/],
      ["C streams only", ["laytonjb"], false, /not recorded or not used: POSIX, MPI-IO/],
      ["nothing recorded", ["empty_log"], false, /This log has no I\/O/],
      ["an incomplete module of a thousand files", ["partial_data_stdio"], false, /STDIO data is incomplete/],
      ["four processes of a Python program", ["snyder_python3"], false, /in 4 logs/],
      ["2,048 ranks", ["sample.darshan"], false, /2048/],
      ["65,536 ranks", ["skew-app"], false, /65,536 ranks/],
      ["no POSIX data", ["noposix"], false, /C streams/],
    ];
    const withoutMpi = [
      "a thousand traces of a Java program",
      "C streams only",
      "four processes of a Python program",
    ];
    it.each(cases)("%s", async (what, starts, hasTrace, says) => {
      const text = await expectSound(
        await made(what.replace(/\W+/g, "-"), "report", ...named(...starts)),
        hasTrace,
        withoutMpi.includes(what) ? WITHOUT_MPI : JOB_SECTIONS,
      );
      expect(text).toMatch(says);
    });

    it("DAOS bytes below DFS are counted once", async () => {
      const outcome = await inside("report", ...named("snyder_ior-DFS"), "--json");
      const { metrics } = JSON.parse(outcome.out);
      // total_DFS_BYTES_* of darshan-parser, the 2,214 bytes of STDIO, and what DAOS has of its own objects.
      expect(metrics).toMatchObject({
        bytesRead: 16_777_216 + 440 + 88,
        bytesWritten: 16_777_216 + 2214 + 88,
      });
    });
  });
