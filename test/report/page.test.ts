// Report pages in a real browser: what readers do with mouse and keys, on paper, on a phone, without the script.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { rankingDocument } from "../../src/analyze/load/index.ts";
import { themeCss } from "../../src/plot/theme.ts";
import { renderHtml } from "../../src/report/html/index.ts";
import { HOSTILE_SHOWN, testDocument, testParts } from "../../src/report/html/test-kit.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const executablePath = process.env.PLIMSOLL_CHROMIUM ?? "/usr/bin/chromium";
const hasBrowser = existsSync(executablePath);
if (!hasBrowser && process.env.PLIMSOLL_REQUIRE_ALL === "1")
  throw new Error(`report pages: no Chromium at ${executablePath}; set PLIMSOLL_CHROMIUM to its path`);

/** The timeline has tests of its own; here it only notes what it is asked to show. */
const TIMELINE = `export function mountTrace(host, data, { change }) {
  change(() => { host.textContent = "timeline of " + data; });
  return { destroy() {}, show(place) { window.shown = place; }, restore() {} };
}`;

const standInTimeline: Plugin = {
  name: "stand-in timeline",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/trace\/index\.ts$/ }, () => ({ path: "timeline", namespace: "stand-in" }));
    onLoad({ filter: /.*/, namespace: "stand-in" }, () => ({ contents: TIMELINE, loader: "js" }));
  },
};

/** What `plimsoll who -o` writes: ten columns, the last a row of characters for the time. */
function loadDocument() {
  const amounts = {
    ...{ bytesRead: 1_280_000_000_000n, bytesWritten: 28_600_000_000_000n, readCalls: 9_500_000n },
    ...{ writeCalls: 28_500_000n, openCalls: 0n, metadataCalls: 7_100_000n, smallWriteCalls: 0n },
  };
  const who = { jobName: "climate", cluster: "quartz", nodes: 1024, startUnix: 0, endUnix: 9, jobs: 1 };
  const when = Array.from({ length: 16 }, (_, at) => (at % 5 === 0 ? at + 1 : 0));
  const rest = { ...amounts, jobs: 158, users: 31, share: 0.0382, when: when.map(() => 1) };
  const row = {
    ...amounts,
    ...who,
    id: "40000024",
    user: "quser33",
    account: "climate",
    possibleClusters: null,
    share: 0.379,
    when,
  };
  return rankingDocument(
    {
      ...{ by: "job", measure: "bytes", order: "bytes", source: "servers", window: { from: 0, to: 960 } },
      ...{
        rows: [row],
        others: rest,
        unexplained: rest,
        unclear: { ...amounts, jobs: 0 },
        beyond: amounts,
        total: amounts,
        jobs: 168,
        users: 32,
      },
    },
    { title: "Who", targets: "all" },
    { command: "", madeBy: "", zone: "UTC" },
  );
}

describe.skipIf(!hasBrowser)("a report page", () => {
  let browser: Browser;
  let folder: string;
  let page: Page;
  /** Errors, dialogs and requests beyond the page itself, of every test. */
  let trouble: string[] = [];

  beforeAll(async () => {
    const bundle = await build({
      entryPoints: [join(root, "web/report/main.ts")],
      bundle: true,
      write: false,
      format: "iife",
      platform: "browser",
      target: "es2022",
      logLevel: "silent",
      plugins: [standInTimeline],
    });
    const css = ["web/tokens.css", "web/report/style.css"];
    const style = css.map((path) => readFileSync(join(root, path), "utf8")).join("\n") + themeCss();
    const parts = testParts({ script: bundle.outputFiles[0]?.text ?? "", style });
    folder = mkdtempSync(join(tmpdir(), "plimsoll-page-"));
    const whole = testDocument();
    const sections = whole.sections.filter(({ id }) => id !== "many");
    writeFileSync(join(folder, "long.html"), renderHtml(whole, parts));
    writeFileSync(join(folder, "short.html"), renderHtml({ ...whole, sections }, parts));
    writeFileSync(join(folder, "load.html"), renderHtml(loadDocument(), parts));
    browser = await chromium.launch({
      executablePath,
      args: ["--headless=new", "--no-sandbox", "--disable-gpu"],
    });
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  afterEach(async () => {
    await page.context().close();
    expect(trouble).toEqual([]);
  });

  /** The short page, which has all but the table of 5000 rows, or the long one. */
  async function open(fragment = "", options: BrowserContextOptions = {}, name = "short"): Promise<void> {
    trouble = [];
    const address = pathToFileURL(join(folder, `${name}.html`)).href;
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    page = await context.newPage();
    page.setDefaultTimeout(5000);
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) trouble.push(message.text());
    });
    page.on("pageerror", (error) => trouble.push(String(error)));
    page.on("dialog", (dialog) => {
      trouble.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      const url = request.url();
      if (url.split("#")[0] !== address && !url.startsWith("data:")) trouble.push(`request ${url}`);
    });
    await page.goto(address + fragment);
  }

  const names = (table: string): Promise<string[]> =>
    page.locator(`#table-${table} tbody tr:not(.spacer) > th bdi:not(.whole)`).allTextContents();
  const fragment = (): string => decodeURIComponent(new URL(page.url()).hash);
  const header = (table: string, label: string) =>
    page.locator(`#table-${table} thead button.sort`, { hasText: label });
  const focusedText = (): Promise<string> =>
    page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");

  const [DATA, TEN, NINE] = ["/lustre/out/data.h5", "/lustre/out/chunk.10", "/lustre/out/chunk.9"];

  it("sorts numbers, exact integers and text, with what was not recorded last", async () => {
    await open();
    const shown = async () => (await names("files")).map((name) => name.slice(0, 21));
    const odd = HOSTILE_SHOWN.slice(0, 21);
    const firsts = async () =>
      (await shown()).map((name) => (odd.startsWith(name.slice(0, 8)) ? "odd" : name));
    expect(await firsts()).toEqual([NINE, DATA, TEN, "odd"]);
    await header("files", "Bytes").click();
    expect(await firsts()).toEqual([TEN, DATA, NINE, "odd"]);
    // As doubles the first two would be equal.
    await header("files", "Exact").click();
    expect(await firsts()).toEqual([NINE, DATA, TEN, "odd"]);
    await header("files", "Exact").click();
    expect(await firsts()).toEqual([TEN, DATA, NINE, "odd"]);
    await header("files", "Path").click();
    expect(await firsts()).toEqual([NINE, TEN, DATA, "odd"]);
    const sorted = page.locator('#table-files th[aria-sort="ascending"]');
    expect(await sorted.getAttribute("data-key")).toBe("path");
  });

  it("shows all digits on hover, and names what was not recorded", async () => {
    await open();
    const row = page.locator("#table-files tbody tr", { hasText: "data.h5" });
    const exact = await row.locator("td").nth(1).getAttribute("title");
    expect(exact?.replace(/\D/g, "")).toBe("9007199254740993");
    expect(await page.locator("#table-files tbody tr:last-child td").allTextContents()).toEqual([
      "not recorded",
      "not recorded",
    ]);
  });

  it("finds rows, says how many, and says when there are none", async () => {
    await open();
    await page.locator("#table-files .search").fill("CHUNK out");
    expect(await names("files")).toEqual([NINE, TEN]);
    expect(await page.locator("#table-files .table-foot").textContent()).toBe("2 found in 4 rows");
    expect(fragment()).toBe("#files&q=CHUNK out");
    await page.locator("#table-files .search").fill("nowhere");
    expect(await names("files")).toEqual([]);
    expect(await page.locator("#table-files .table-foot").textContent()).toContain("Nothing found");
  });

  it("opens and closes groups, and shows a group of one as that one", async () => {
    await open();
    expect(await names("groups")).toEqual(["a.#", "b"]);
    const toggle = page.locator("#table-groups .toggle");
    await toggle.focus();
    await page.keyboard.press("Enter");
    expect(await names("groups")).toEqual(["a.#", "a.1", "a.2", "b"]);
    expect(await toggle.getAttribute("aria-expanded")).toBe("true");
    expect(fragment()).toBe("#groups&open=0");
    await page.keyboard.press("Enter");
    expect(await names("groups")).toEqual(["a.#", "b"]);
    await page.locator("#table-groups .tool", { hasText: "Grouped" }).click();
    expect(await names("groups")).toEqual(["a.1", "a.2", "b"]);
  });

  it("keeps a table of 5000 rows small in the document, and shows each row when it comes by", async () => {
    await open("#many&sort=c1", {}, "long");
    const rows = page.locator("#table-many tbody tr:not(.spacer)");
    expect((await names("many"))[0]).toBe("row 4999");
    expect(await rows.count()).toBeLessThan(150);
    const box = page.locator("#table-many .table-box");
    await box.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.waitForFunction(() =>
      document.querySelector("#table-many tbody tr:last-child")?.textContent?.startsWith("row 0"),
    );
    expect(await rows.count()).toBeLessThan(150);
    // Thirty jumps through the table: no more rows than those around the visible part, so no jump takes long.
    const rowsMost = await box.evaluate(async (element) => {
      let most = 0;
      for (let step = 0; step < 30; step++) {
        element.scrollTop = (step * element.scrollHeight) / 30;
        await new Promise(requestAnimationFrame);
        most = Math.max(most, element.querySelectorAll("tbody tr").length);
      }
      return most;
    });
    expect(rowsMost).toBeLessThan(150);
  });

  it("shows the same after the address is opened again", async () => {
    await open();
    await header("files", "Path").click();
    await page.locator("#table-files .search").fill("chunk");
    await page.locator("#table-groups .toggle").click();
    const before = fragment();
    expect(before).toBe("#groups&files.sort=path&files.order=rising&files.q=chunk&open=0");
    await page.reload();
    expect(await names("files")).toEqual([NINE, TEN]);
    expect(await page.locator("#table-files .search").inputValue()).toBe("chunk");
    expect(await names("groups")).toEqual(["a.#", "a.1", "a.2", "b"]);
    expect(fragment()).toBe(before);
    const top = await page.locator("#groups").evaluate((element) => element.getBoundingClientRect().top);
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThan(500);
  });

  it("survives an address that makes no sense", async () => {
    await open("#nothing&sort=%zz&files.open=-1.x&file=%F0&from=soon&=&&__proto__.q=1");
    expect(await names("files")).toHaveLength(4);
  });

  it("leads from a finding to the file's row and to the place in the timeline, and back", async () => {
    await open();
    await page.locator("#finding-0 .files a").click();
    expect(fragment()).toBe("#files&file=18446744073709551615");
    await expect.poll(() => page.locator("#table-files tr.selected th").textContent()).toBe(DATA);
    await expect.poll(() => page.locator("#table-files tr.selected").evaluate(isInWindow)).toBe(true);
    await page.goBack();
    await expect.poll(() => page.locator("#table-files tr.selected").count()).toBe(0);
    await page.locator("#finding-0 .span a").click();
    expect(fragment()).toBe("#timeline&from=1.5&to=4");
    expect(await page.evaluate("window.shown")).toEqual({ startSeconds: 1.5, endSeconds: 4 });
    expect(await page.locator(".trace-host").textContent()).toBe("timeline of AAEC");
  });

  it("filters findings by severity", async () => {
    await open();
    await page.locator(".filter .tool", { hasText: "Warning 2" }).click();
    expect(await page.locator(".finding:visible").count()).toBe(2);
    expect(fragment()).toContain("severity=warn");
    await page.reload();
    expect(await page.locator(".finding:visible").count()).toBe(2);
    await page.locator(".filter .tool", { hasText: "All 5" }).click();
    expect(await page.locator(".finding:visible").count()).toBe(5);
  });

  it("copies a finding as Markdown", async () => {
    await open("", { permissions: ["clipboard-read", "clipboard-write"] });
    await page.locator("#finding-0 .finding-foot .tool").click();
    await page.locator("#finding-0 .finding-foot .tool", { hasText: "Copied" }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text).toMatch(/^### High: A high one/);
  });

  it("saves figures and tables", async () => {
    await open();
    const saved = async (button: string) => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.locator(button).click()]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    const tool = (at: number) => `#figure-sizes .block-head .tool >> nth=${at}`;
    const svg = await saved(tool(0));
    expect(svg.name).toBe("sizes.svg");
    expect(svg.bytes.toString()).toContain('fill="#d55e00"');
    expect(svg.bytes.toString()).toContain("J05@1 · layer POSIX");
    expect(svg.bytes.toString()).not.toContain("var(");
    const png = await saved(tool(1));
    expect(png.bytes.subarray(1, 4).toString()).toBe("PNG");
    expect((await saved(tool(2))).bytes.toString()).toBe("size,calls\r\nsmall,10\r\nlarge,2\r\n");
    const table = await saved("#table-files .tool >> text=CSV");
    expect(table.name).toBe("files.csv");
    expect(table.bytes.toString()).toContain(
      "18446744073709551615,/lustre/out/data.h5,500,9007199254740993\r\n",
    );
  });

  it("does not move under the reader when a timeline above is mounted", async () => {
    await open();
    const table = page.locator("#table-files .tool").first();
    // As a jump does: the timeline, never near until now, ends up just above what is read.
    const seen = await table.evaluate((element) => {
      scrollTo(0, element.getBoundingClientRect().top + scrollY - 350);
      return element.getBoundingClientRect().top;
    });
    await expect.poll(() => page.locator(".trace-host").textContent()).toBe("timeline of AAEC");
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    expect(await table.evaluate((element) => element.getBoundingClientRect().top)).toBeCloseTo(seen, 0);
  });

  it("shows all columns of who at 1280 pixels, and every stretch of time equally wide", async () => {
    await open("", { viewport: { width: 1280, height: 900 } }, "load");
    const box = page.locator("#table-loaders .table-box");
    expect(await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    const widths = await page
      .locator("#table-loaders td.blocks bdi")
      .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().width));
    expect(widths).toHaveLength(3);
    for (const width of widths) expect(width).toBeCloseTo(widths[0] as number, 0);
  });

  it("works with keys alone", async () => {
    await open();
    await page.keyboard.press("Tab");
    expect(await focusedText()).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("MAIN");
    expect(fragment()).toBe("");
    const reached = new Set<string>();
    for (let step = 0; step < 90 && !reached.has("Exact"); step++) {
      await page.keyboard.press("Tab");
      reached.add(await focusedText());
    }
    expect([...reached]).toEqual(expect.arrayContaining(["Path", "Bytes", "Exact"]));
    await page.keyboard.press("Enter");
    expect(await page.locator("#table-files th[aria-sort]").getAttribute("data-key")).toBe("exact");
    await page.keyboard.press("Space");
    expect(await page.locator("#table-files th[aria-sort]").getAttribute("aria-sort")).toBe("ascending");

    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const popover = page.locator(".popover");
    expect(await popover.textContent()).toBe("An exact integer.");
    expect(await popover.isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await popover.isVisible()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("About Exact");

    await page.keyboard.press("?");
    expect(await page.locator("dialog.keys").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.locator("dialog.keys").isVisible()).toBe(false);
    await page.keyboard.press("2");
    expect(fragment()).toMatch(/^#findings/);
    expect(await focusedText()).toBe("Findings");
    await page.keyboard.press("4");
    await page.keyboard.press("/");
    await page.keyboard.type("data");
    expect(await names("files")).toEqual([DATA]);
  });

  it("goes from cause to cause with j and k, opens with o, and to sections with g", async () => {
    await open();
    const focused = () => page.evaluate(() => document.activeElement?.closest("details.cause")?.id ?? "");
    const isOpen = (id: string) => page.locator(`#${id}`).evaluate((row) => (row as HTMLDetailsElement).open);
    expect(await isOpen("finding-0")).toBe(true);
    for (const expected of ["finding-0", "finding-1", "finding-2"]) {
      await page.keyboard.press("j");
      expect(await focused()).toBe(expected);
    }
    await page.keyboard.press("k");
    expect(await focused()).toBe("finding-1");
    expect(await isOpen("finding-1")).toBe(false);
    await page.keyboard.press("o");
    expect(await isOpen("finding-1")).toBe(true);
    await page.keyboard.press("g");
    expect(await page.locator(".fold nav").isVisible()).toBe(true);
    expect(await focusedText()).toBe("Overview");
    await page.keyboard.press("Escape");
    expect(await page.locator(".fold nav").isVisible()).toBe(false);
  });

  it("copies headline and causes as Markdown", async () => {
    await open("", { permissions: ["clipboard-read", "clipboard-write"] });
    await page.locator(".bar .tool", { hasText: "Copy as Markdown" }).click();
    await page.locator(".bar .tool", { hasText: "Copied" }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text).toMatch(/^## vpic – job 7\n/);
    expect(text.match(/^### /gm)).toHaveLength(5);
  });

  it("switches colours and keeps the choice", async () => {
    await open("", { colorScheme: "light" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.locator('[data-theme-choice="dark"]').click();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await ground()).toBe(dark);
    expect(await page.locator('[data-theme-choice="dark"]').getAttribute("aria-pressed")).toBe("true");
    await page.locator('[data-theme-choice="auto"]').click();
    expect(await ground()).toBe(light);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await ground()).toBe(dark);
  });

  it.each([360, 768])("does not scroll sideways in a window %d pixels wide", async (width) => {
    await open("", { viewport: { width, height: 740 } });
    const widths = () =>
      page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.scrollingElement!;
        return { scrollWidth, clientWidth };
      });
    await page.evaluate(() => {
      for (const fold of document.querySelectorAll<HTMLDetailsElement>("main details")) fold.open = true;
    });
    const { scrollWidth, clientWidth } = await widths();
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
    await page.locator(".fold summary").click();
    await page.locator(".fold a", { hasText: "Files" }).click();
    expect(fragment()).toBe("#files");
    expect(await page.locator(".fold nav").isVisible()).toBe(false);
    expect((await widths()).scrollWidth).toBeLessThanOrEqual(clientWidth);
  });

  it("prints in light colours, with findings open and without buttons", async () => {
    await open("", { colorScheme: "dark" }, "long");
    await page.locator(".filter .tool", { hasText: "Warning 2" }).click();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      "rgb(255, 255, 255)",
    );
    expect(await page.locator(".tool:visible, .about:visible, .search:visible").count()).toBe(0);
    expect(await page.locator(".finding:visible").count()).toBe(5);
    expect(await page.locator(".bar").isVisible()).toBe(false);
    expect(await page.locator("#many .print-only").isVisible()).toBe(true);
    expect(await page.locator("bdi.cut:visible").count()).toBe(0);
    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.subarray(0, 4).toString()).toBe("%PDF");
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    expect(await page.getByText("Every call is counted.").first().isVisible()).toBe(true);
    expect(await page.locator("#table-many tbody tr").count()).toBe(200);
  });

  it("can be read without the script", async () => {
    await open("", { javaScriptEnabled: false }, "long");
    expect(await page.locator(".verdict").isVisible()).toBe(true);
    expect(await page.locator("#finding-0 .statement").isVisible()).toBe(true);
    const text = await page.locator("main").textContent();
    expect(text).toContain("41 % of the run time went into I/O.");
    expect(text).toContain("A high one");
    expect(text).toContain("Write more at once.");
    expect(text).toContain("61.3 GB");
    expect(text).toContain("row 99");
    expect(text).toContain("The first 100 of 5,000 rows");
    expect(await page.locator("figure .wide svg").isVisible()).toBe(true);
    expect(await page.locator(".tool, .search, .sort").count()).toBe(0);
  });

  it("shows hostile names as the text they are, and runs nothing of them", async () => {
    await open();
    await page.locator("#table-files .search").fill("<img");
    expect(await page.locator("#table-files tbody th").getAttribute("title")).toBe(HOSTILE_SHOWN);
    expect(await page.locator("main").textContent()).toContain("<img src=x onerror=");
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.evaluate("window.pwned")).toBeUndefined();
    // Even markup that got in would not run: the policy allows one script only.
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.pwned = 3";
      document.body.append(script);
      return (window as { pwned?: number }).pwned;
    });
    expect(ran).toBeUndefined();
    expect(trouble.join()).toContain("Content Security Policy");
    trouble = [];
  });

  it("names landmarks, language and the current place", async () => {
    await open("#files");
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    for (const landmark of ["header.bar", "main", ".fold nav", "footer"])
      expect(await page.locator(landmark).count()).toBe(1);
    expect(await page.locator(".fold nav [aria-current]").textContent()).toBe("Files");
    const unnamed = await page.evaluate(
      () =>
        [...document.querySelectorAll("button, input, a")].filter(
          (one) => !one.textContent?.trim() && !one.getAttribute("aria-label"),
        ).length,
    );
    expect(unnamed).toBe(0);
  });
});

function isInWindow(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}
