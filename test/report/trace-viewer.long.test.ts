/** The view of calls in a real browser: what it draws, how it moves, what it says. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Trace } from "../../src/model/trace.ts";
import { encodeTrace } from "../../src/report/trace/encode.ts";
import { binned, type Call, checkpointTrace, emptyTrace, traceOf } from "../../src/report/trace/test-kit.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const executablePath = process.env.PLIMSOLL_CHROMIUM ?? "/usr/bin/chromium";
const present = existsSync(executablePath);
if (!present && process.env.PLIMSOLL_REQUIRE_ALL !== "1")
  console.warn(`no browser at ${executablePath}: the view of calls is NOT tested; set PLIMSOLL_CHROMIUM`);

/** Tables and labels wait until the view holds still, and machines may be busy. */
const PATIENCE = { timeout: 10_000 };
const READ = [0, 114, 178];
const WRITE = [213, 94, 0];
const WRITE_DARK = [255, 158, 74];
const HOSTILE = `/scratch/<img src=x onerror="window.hacked=1">&amp;\u202e`;

/** 10 s, 4 ranks, 3 files; places of calls are easy to compute. Rank 1 writes from 2 to 4 s, rank 2 reads from 6 to 7. */
function smallTrace(): Trace {
  const call = (
    rank: number,
    file: number,
    write: number,
    start: number,
    end: number,
    offset: number,
  ): Call => ({
    start,
    end,
    bytes: 1_000_000,
    offset,
    rank,
    file,
    layer: 0,
    write,
  });
  return traceOf(
    [
      call(1, 0, 1, 2, 4, 0),
      call(2, 1, 0, 6, 7, 1_000_000),
      call(0, 0, 1, 3, 3.5, 3_000_000),
      call(3, 2, 1, 8, 9, 0),
      { ...call(0, 0, 1, 1.5, 4.5, 0), layer: 1, bytes: 2_000_000 },
    ],
    { seconds: 10, ranks: 4, paths: ["/scratch/shared.h5", HOSTILE, "/scratch/third.dat"] },
  );
}

function packed(trace: Trace): string {
  return deflateRawSync(encodeTrace(trace)).toString("base64");
}

const big = checkpointTrace({ ranks: 64, calls: 200_000 });

describe.runIf(present || process.env.PLIMSOLL_REQUIRE_ALL === "1")("the view of calls", () => {
  let browser: Browser;
  let html: string;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    const bundle = await build({
      stdin: {
        contents: `
          import { mountTrace } from "./web/report/trace/index.ts";
          globalThis.mount = (data) => {
            globalThis.selected = [];
            globalThis.places = [];
            globalThis.handle = mountTrace(document.querySelector("#host"), data, {
              format: (value, unit) => unit === "bytes" ? value + " B" : value.toPrecision(9) + " " + unit,
              onSelect: (text) => globalThis.selected.push(text),
              onPlace: (place) => globalThis.places.push(place),
            });
          };`,
        resolveDir: root,
        loader: "ts",
      },
      bundle: true,
      write: false,
      format: "iife",
      target: "es2022",
    });
    const css = readFileSync(`${root}/web/report/trace/trace.css`, "utf8");
    html = `<!doctype html><meta charset="utf-8"><style>
      :root { --plot-read: rgb(${READ}); --plot-write: rgb(${WRITE}); --background: #fff; }
      :root[data-theme="dark"] { --plot-write: rgb(${WRITE_DARK}); --background: #111; --text: #eee; }
      body { margin: 0; font-family: sans-serif } ${css}</style>
      <div id="host"></div><script>${bundle.outputFiles[0]?.text.replaceAll("</script", "<\\/script")}</script>`;
    browser = await chromium.launch({
      executablePath,
      args: ["--headless=new", "--no-sandbox", "--disable-gpu"],
    });
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1000, height: 1000 } });
    complaints = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.setContent(html);
  });
  afterEach(async () => {
    await page.close();
    expect(complaints).toEqual([]);
  });

  async function mount(data: string, state = "ready"): Promise<void> {
    await page.evaluate((text) => (globalThis as unknown as { mount(data: string): void }).mount(text), data);
    await page.waitForFunction(
      (wanted) => document.querySelector<HTMLElement>("#host")?.dataset.traceState === wanted,
      state,
    );
    // The first picture comes with a frame.
    await shownWindow();
  }

  function shownWindow(): Promise<[number, number]> {
    return page.evaluate(async () => {
      // The frame that draws what was asked for last, and the one behind it.
      for (let i = 0; i < 2; i++) await new Promise((done) => requestAnimationFrame(done));
      const { windowStart, windowEnd } = document.querySelector<HTMLElement>("#host")!.dataset;
      return [Number(windowStart), Number(windowEnd)];
    });
  }

  /** Colour of the timeline or the offset view at a place in CSS pixels. */
  function colourAt(canvas: string, x: number, y: number): Promise<number[]> {
    return page.evaluate(
      ([name, left, top]) => {
        // A copy, as the canvas itself is not made for reading.
        const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
        pixel.drawImage(document.querySelector<HTMLCanvasElement>(`.${name}`)!, -left, -top);
        const { data } = pixel.getImageData(0, 0, 1, 1);
        return [data[0]!, data[1]!, data[2]!];
      },
      [canvas, Math.round(x), Math.round(y)] as const,
    );
  }

  // At 1000 px: names take 156 px, the scrollbar 10 px; the whole run and the ruler 66 px; four lanes of 30 px.
  const TOP = 66;
  const LEFT = 156;
  const WIDTH = 1000 - LEFT - 10;
  const x = (seconds: number) => LEFT + (seconds / 10) * WIDTH;
  const readY = (lane: number) => TOP + lane * 30 + 7;
  const writeY = (lane: number) => TOP + lane * 30 + 22;

  /** Over the lanes, unless another height is given. */
  async function drag(from: number, to: number, y = TOP + 40): Promise<void> {
    await page.locator(".trace-timeline").hover({ position: { x: from, y } });
    const box = (await page.locator(".trace-timeline").boundingBox())!;
    await page.mouse.down();
    await page.mouse.move(box.x + to, box.y + y, { steps: 3 });
    await page.mouse.up();
  }

  /** The selected range, from the head of its numbers. */
  async function shownRange(): Promise<[number, number]> {
    const title = await page.locator(".trace-panel h4").textContent();
    const [, from = 0, to = 0] = (/([\d.]+) s to ([\d.]+) s/.exec(title ?? "") ?? []).map(Number);
    return [from, to];
  }

  it("draws calls where they are: reads in the upper half of a lane, writes in the lower", async () => {
    await mount(packed(smallTrace()));
    await expect.poll(() => colourAt("trace-timeline", x(3.8), writeY(1)), PATIENCE).toEqual(WRITE);
    expect(await colourAt("trace-timeline", x(3.8), readY(1))).not.toEqual(WRITE);
    await expect.poll(() => colourAt("trace-timeline", x(6.8), readY(2)), PATIENCE).toEqual(READ);
    expect(await colourAt("trace-timeline", x(6.8), writeY(2))).not.toEqual(READ);
    expect(await colourAt("trace-timeline", x(5), writeY(1))).not.toEqual(WRITE);
    await page.getByLabel("writes").uncheck();
    await shownWindow();
    expect(await colourAt("trace-timeline", x(3.8), writeY(1))).not.toEqual(WRITE);
  });

  it("zooms and moves by keys and wheel, and comes back", async () => {
    await mount(packed(smallTrace()));
    expect(await shownWindow()).toEqual([0, 10]);
    await page.locator(".trace-stage").first().focus();
    await page.keyboard.press("w");
    expect(await shownWindow()).toEqual([1, 9]);
    await page.keyboard.press("d");
    const [start, end] = await shownWindow();
    expect([start, end]).toEqual([expect.closeTo(1.8), expect.closeTo(9.8)]);
    await page.keyboard.press("ArrowLeft");
    expect((await shownWindow())[0]).toBeCloseTo(1);
    await page.keyboard.press("s");
    expect(await shownWindow()).toEqual([0, 10]);
    // The time under the pointer stays under the pointer.
    await page.locator(".trace-timeline").hover({ position: { x: x(2.5), y: 80 } });
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -300);
    await page.keyboard.up("Control");
    const [t0, t1] = await shownWindow();
    expect(t1 - t0).toBeLessThan(6);
    expect((2.5 - t0) / (t1 - t0)).toBeCloseTo(0.25, 1);
    await page.getByRole("button", { name: "Reset" }).click();
    expect(await shownWindow()).toEqual([0, 10]);
    await page.locator(".trace-timeline").dblclick({ position: { x: x(5), y: 160 } });
    expect((await shownWindow())[1]).toBeLessThan(7);
    await page.keyboard.press("0");
    expect(await shownWindow()).toEqual([0, 10]);
  });

  it("moves with Shift or the middle button, and shows a call that is clicked", async () => {
    await mount(packed(smallTrace()));
    await page.locator(".trace-timeline").click({ position: { x: x(2.5), y: writeY(1) } });
    const panel = page.locator(".trace-panel");
    const text = await panel.textContent();
    for (const part of ["POSIX write", "/scratch/shared.h5", "1,000,000", "2.000000 s", "500000.000 bytes/s"])
      expect(text).toContain(part);
    expect(await page.evaluate(() => (globalThis as unknown as { selected: string[] }).selected.length)).toBe(
      1,
    );
    await page.keyboard.press("w");
    const [before] = await shownWindow();
    const box = (await page.locator(".trace-timeline").boundingBox())!;
    await page.mouse.move(box.x + x(5), box.y + 100);
    await page.keyboard.down("Shift");
    await page.mouse.down();
    await page.mouse.move(box.x + x(4.5), box.y + 100, { steps: 3 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    const [after] = await shownWindow();
    expect(after).toBeGreaterThan(before);
    await page.mouse.move(box.x + x(4.5), box.y + 100);
    await page.mouse.down({ button: "middle" });
    await page.mouse.move(box.x + x(5), box.y + 100, { steps: 3 });
    await page.mouse.up({ button: "middle" });
    expect((await shownWindow())[0]).toBeCloseTo(before);
    await page.keyboard.press("Escape");
    expect(await panel.textContent()).toContain("Click a call");
  });

  it("zooms with two fingers", async () => {
    await mount(packed(smallTrace()));
    await page.locator(".trace-timeline").evaluate((canvas) => {
      const box = canvas.getBoundingClientRect();
      const send = (type: string, pointerId: number, x: number) =>
        canvas.dispatchEvent(
          new PointerEvent(type, {
            pointerId,
            pointerType: "touch",
            clientX: box.left + x,
            clientY: box.top + 100,
          }),
        );
      send("pointerdown", 1, 500);
      send("pointerdown", 2, 600);
      for (let i = 1; i <= 10; i++) {
        send("pointermove", 1, 500 - 10 * i);
        send("pointermove", 2, 600 + 10 * i);
      }
      send("pointerup", 1, 400);
      send("pointerup", 2, 700);
    });
    const [t0, t1] = await shownWindow();
    expect(t1 - t0).toBeCloseTo(10 / 3, 1);
    // Times that were under the fingers still are: 550 px was 4.72 s.
    expect((4.724 - t0) / (t1 - t0)).toBeCloseTo(0.472, 1);
  });

  it("says the numbers of a selected range as counting by hand gives them", async () => {
    const trace = checkpointTrace({ ranks: 8, calls: 4000 });
    await mount(packed(trace));
    await drag(LEFT + 0.3 * WIDTH, LEFT + 0.6 * WIDTH);
    const [from, to] = await shownRange();
    expect(from).toBeGreaterThan(170);
    const rows = await page.locator(".trace-panel tr").allInnerTexts();
    const shown = (name: string, column: number) =>
      Number(
        rows
          .find((row) => row.startsWith(name))!
          .split("\t")
          [column]!.split(" ")[0],
      );
    for (const [column, direction] of [
      [2, 0],
      [3, 1],
      [1, -1],
    ] as const) {
      const expected = bruteForce(trace, from, to, direction);
      expect(shown("calls", column)).toBe(expected.calls);
      expect(shown("bytes", column)).toBe(expected.bytes);
      expect(shown("T\t", column)).toBeCloseTo(expected.union, 5);
      expect(shown("BPS", column) / (expected.bytes / 512 / expected.union)).toBeCloseTo(1, 5);
      expect(shown("IOPS", column) / (expected.calls / expected.union)).toBeCloseTo(1, 5);
      expect(shown("bandwidth", column) / (expected.bytes / expected.union)).toBeCloseTo(1, 5);
      expect(shown("ARPT", column) / (expected.sum / expected.calls)).toBeCloseTo(1, 5);
      for (const percent of [50, 95, 99])
        expect(shown(`p${percent}`, column)).toBeCloseTo(expected.percentile(percent / 100), 8);
    }
  });

  it("selects by dragging in either direction, moves an edge, and lets go on the ruler", async () => {
    await mount(packed(smallTrace()));
    await drag(x(6), x(2));
    let [from, to] = await shownRange();
    expect([from, to]).toEqual([expect.closeTo(2, 1), expect.closeTo(6, 1)]);
    await drag(x(6), x(8));
    [from, to] = await shownRange();
    expect([from, to]).toEqual([expect.closeTo(2, 1), expect.closeTo(8, 1)]);
    await page.locator(".trace-timeline").click({ position: { x: x(9.5), y: TOP - 10 } });
    expect(await page.locator(".trace-panel").textContent()).toContain("Click a call");
    await drag(x(1), x(5), TOP - 10);
    expect(await shownRange()).toEqual([expect.closeTo(1, 1), expect.closeTo(5, 1)]);
    await page.keyboard.press("f");
    expect(await shownWindow()).toEqual([expect.closeTo(1, 1), expect.closeTo(5, 1)]);
  });

  it("chooses, moves and stretches the window on the whole run above", async () => {
    await mount(packed(smallTrace()));
    await drag(x(2), x(4), 20);
    expect(await shownWindow()).toEqual([expect.closeTo(2, 1), expect.closeTo(4, 1)]);
    await drag(x(3), x(6), 20);
    expect(await shownWindow()).toEqual([expect.closeTo(5, 1), expect.closeTo(7, 1)]);
    await drag(x(7), x(9), 20);
    expect(await shownWindow()).toEqual([expect.closeTo(5, 1), expect.closeTo(9, 1)]);
    await page.locator(".trace-timeline").click({ position: { x: x(3), y: 20 } });
    expect(await shownWindow()).toEqual([expect.closeTo(1, 1), expect.closeTo(5, 1)]);
  });

  it("can be worked by keys alone: ranges, calls, search, help", async () => {
    await mount(packed(smallTrace()));
    await page.locator(".trace-stage").first().focus();
    await page.keyboard.press("r");
    expect(await shownRange()).toEqual([0, 10]);
    await page.keyboard.press("Shift+ArrowLeft");
    expect((await shownRange())[1]).toBeCloseTo(9.8);
    expect(await shownWindow()).toEqual([0, 10]);
    await page.keyboard.press("Escape");
    const panel = page.locator(".trace-panel");
    await page.keyboard.press(".");
    expect(await panel.textContent()).toContain("3.000000 s");
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("2");
    expect(await page.locator(".trace-found").textContent()).toBe("1 found");
    await page.keyboard.press("Enter");
    expect(await panel.textContent()).toContain("rank 2");
    await page.keyboard.press("Escape");
    await page.keyboard.press(".");
    expect(await panel.textContent()).toContain("6.000000 s");
    await page.keyboard.press("?");
    expect(await page.locator(".trace-help").isVisible()).toBe(true);
    await page.keyboard.press("?");
    expect(await page.locator(".trace-help").isVisible()).toBe(false);
  });

  it("goes through what a search found with Enter, and back with Shift", async () => {
    await mount(packed(smallTrace()));
    await page.locator(".trace-stage").first().focus();
    await page.keyboard.press("/");
    await page.keyboard.type("scratch");
    const found = page.locator(".trace-found");
    for (const [key, text] of [
      ["Enter", "1 of 3"],
      ["Enter", "2 of 3"],
      ["Enter", "3 of 3"],
      ["Enter", "1 of 3"],
      ["Shift+Enter", "3 of 3"],
    ] as const) {
      await page.keyboard.press(key);
      expect(await found.textContent()).toBe(text);
    }
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("nowhere");
    await page.keyboard.press("Enter");
    expect(await found.textContent()).toBe("nothing found");
  });

  it("moves in steps, not smoothly, for who wants less motion", async () => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await mount(packed(smallTrace()));
    await page.locator(".trace-stage").first().focus();
    await page.keyboard.down("w");
    await new Promise((done) => setTimeout(done, 500));
    const steady = await shownWindow();
    expect(steady).toEqual([1, 9]);
    await page.keyboard.up("w");
  });

  it("says where it is, in numbers only, and comes back to there", async () => {
    const data = packed(smallTrace());
    const world = () => page.evaluate(() => (globalThis as unknown as { places: string[] }).places);
    await mount(data);
    await drag(x(2), x(4), 20);
    await drag(x(2), x(5));
    await page.getByRole("combobox", { name: /^Lanes/ }).selectOption("file");
    await page.getByLabel("File of the offset view").selectOption("1");
    await page.getByLabel("reads").uncheck();
    await page.getByText("Visible calls as a table").click();
    await page.locator(".trace-table").getByRole("button", { name: "duration" }).click();
    const range = await shownRange();
    await expect
      .poll(async () => (await world()).at(-1), PATIENCE)
      .toMatch(/by:file.*only:writes.*file:1.*sort:duration/);
    const place = (await world()).at(-1)!;
    expect(place).toMatch(/^[\d.]+:[\d.]+\/sel:[\d.]+:[\d.]+\/[a-z0-9.:/]*$/);
    const window = await shownWindow();
    await page.setContent(html);
    await page.evaluate(
      ([text, where]) => {
        const { mount, handle: _ } = globalThis as unknown as { mount(data: string): void; handle: unknown };
        mount(text);
        (globalThis as unknown as { handle: { restore(place: string): void } }).handle.restore(where);
      },
      [data, place] as const,
    );
    await expect.poll(shownWindow, PATIENCE).toEqual(window.map((time) => expect.closeTo(time, 8)));
    expect(await shownRange()).toEqual(range);
    expect(await page.getByLabel("reads").isChecked()).toBe(false);
    expect(await page.getByRole("combobox", { name: /^Lanes/ }).inputValue()).toBe("file");
    expect(await page.getByLabel("File of the offset view").inputValue()).toBe("1");
    await page.evaluate(() =>
      (globalThis as unknown as { handle: { restore(place: string): void } }).handle.restore(""),
    );
    await expect.poll(shownWindow, PATIENCE).toEqual([0, 10]);
    expect(await page.getByLabel("reads").isChecked()).toBe(true);
    // Coming back is not news.
    expect(await world()).toEqual([]);
  });

  it("shows the longest calls first when asked, and a call of the table in the picture", async () => {
    await mount(packed(smallTrace()));
    await page.getByText("Visible calls as a table").click();
    const table = page.locator(".trace-table");
    await table.getByRole("button", { name: "duration" }).click();
    await expect.poll(() => table.locator("tbody th").first().textContent(), PATIENCE).toBe("2.000000");
    expect(await table.locator('th[aria-sort="descending"]').textContent()).toBe("duration");
    await table.locator("tbody button").first().click();
    expect(await page.locator(".trace-panel").textContent()).toContain("POSIX write");
  });

  it("shows the offsets of the file that is chosen", async () => {
    await mount(packed(smallTrace()));
    // shared.h5 ends at 4 MB; the call of rank 0 is from 3 MB up, between 3 and 3.5 s. The plot is 6 to 220 px high.
    await expect.poll(() => colourAt("trace-offsets", x(3.25), 30), PATIENCE).toEqual(WRITE);
    expect(await colourAt("trace-offsets", x(8.5), 100)).not.toEqual(WRITE);
    await page.getByLabel("File of the offset view").selectOption("2");
    await shownWindow();
    await expect.poll(() => colourAt("trace-offsets", x(8.4), 100), PATIENCE).toEqual(WRITE);
    expect(await colourAt("trace-offsets", x(3.25), 30)).not.toEqual(WRITE);
  });

  it("goes to a place that a link asks for, even before the data is there", async () => {
    await page.evaluate(
      (data) => {
        const world = globalThis as unknown as {
          mount(data: string): void;
          handle: { show(view: object): void };
        };
        world.mount(data);
        world.handle.show({ startSeconds: 80, endSeconds: 100, fileId: "1003", rank: 61 });
      },
      packed(checkpointTrace({ ranks: 64, calls: 5000 })),
    );
    await page.waitForFunction(
      () => document.querySelector<HTMLElement>("#host")?.dataset.traceState === "ready",
    );
    expect(await shownWindow()).toEqual([expect.closeTo(79), expect.closeTo(101)]);
    expect(await page.getByLabel("File of the offset view").inputValue()).toBe("3");
    await page.getByLabel("Find a rank or part of a path").fill("restart.4");
    await page.keyboard.press("Enter");
    expect(await page.getByRole("combobox", { name: /^Lanes/ }).inputValue()).toBe("file");
    expect(await page.locator(".trace-found").textContent()).toBe("1 of 1");
  });

  it("takes paths for text, whatever they say", async () => {
    await mount(packed(smallTrace()));
    await page.getByRole("combobox", { name: /^Lanes/ }).selectOption("file");
    await page.getByLabel("File of the offset view").selectOption("1");
    await shownWindow();
    await page.locator(".trace-timeline").hover({ position: { x: 20, y: readY(1) } });
    await expect.poll(() => page.locator(".trace-tip").textContent(), PATIENCE).toContain("<img src=x");
    await page.locator(".trace-timeline").click({ position: { x: x(6.5), y: TOP + 1.2 * 30 } });
    await page.getByText("Visible calls as a table").click();
    await expect.poll(() => page.locator(".trace-table tbody tr").count(), PATIENCE).toBe(4);
    expect(await page.locator(".trace-panel").textContent()).toContain("<img src=x");
    expect(await page.locator("#host img").count()).toBe(0);
    expect(await page.evaluate(() => (globalThis as { hacked?: number }).hacked)).toBeUndefined();
  });

  it("draws again when the theme changes", async () => {
    await mount(packed(smallTrace()));
    await page.evaluate(() => {
      document.documentElement.dataset.theme = "dark";
    });
    await shownWindow();
    await expect.poll(() => colourAt("trace-timeline", x(3.8), writeY(1)), PATIENCE).toEqual(WRITE_DARK);
    await expect.poll(() => colourAt("trace-timeline", x(5.4), writeY(0)), PATIENCE).toEqual([17, 17, 17]);
  });

  it("shows another layer, and says that layers nest", async () => {
    await mount(packed(smallTrace()));
    await page.getByLabel("Layer").selectOption("1");
    await shownWindow();
    await expect.poll(() => colourAt("trace-timeline", x(4.2), writeY(0)), PATIENCE).toEqual(WRITE);
    expect(await colourAt("trace-timeline", x(8.5), writeY(3))).not.toEqual(WRITE);
    expect(await page.locator(".trace-note").textContent()).toContain("must not be added");
    await expect
      .poll(() => page.locator(".trace-timeline").getAttribute("aria-label"), PATIENCE)
      .toMatch(/MPI-IO calls, 0\.000 s to 10\.000 s, about 1 calls, rank 0 to rank 3 of 4 lanes/);
  });

  it("pins a lane to the top", async () => {
    await mount(packed(smallTrace()));
    await page.locator(".trace-timeline").click({ position: { x: x(8.5), y: writeY(3) } });
    await page.getByRole("button", { name: "Pin lane" }).click();
    await shownWindow();
    // A pinned lane of 24 px comes ahead of the others.
    await expect.poll(() => colourAt("trace-timeline", x(8.8), TOP + 17), PATIENCE).toEqual(WRITE);
    await page.locator(".trace-stage").first().focus();
    await page.keyboard.press("p");
    await shownWindow();
    expect(await colourAt("trace-timeline", x(8.8), TOP + 17)).not.toEqual(WRITE);
  });

  it("works from cells when there are no single calls, and says what cannot be known", async () => {
    const trace = binned(checkpointTrace({ ranks: 512, calls: 60_000 }), [128, 512, 2048]);
    await mount(packed(trace));
    expect(await page.locator(".trace-status").first().textContent()).toContain("--window 80:100");
    await drag(LEFT + 0.1 * WIDTH, LEFT + 0.2 * WIDTH);
    const text = await page.locator(".trace-panel").textContent();
    expect(text).toMatch(/bandwidth, bytes \/ T\s*at least/);
    expect(text).toContain("needs single calls");
    const median = await panning(page);
    expect(median).toBeLessThan(33);
  });

  it("keeps up while 200,000 calls move", async () => {
    await mount(packed(checkpointTrace({ ranks: 64, calls: 50_000 })));
    const few = await panning(page);
    await page.setContent(html);
    await mount(packed(big));
    const many = await panning(page);
    console.log(`panning 50,000 and 200,000 calls: median ${few} and ${many} ms in a frame`);
    // The work for a frame grows no faster than the calls: four times, and as much again for chance.
    expect(many).toBeLessThan(8 * few + 1);
  });

  it("fits a narrow page", async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await mount(packed(smallTrace()));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 700, height: 800 });
    await expect
      .poll(() => page.locator(".trace-timeline").evaluate((canvas) => canvas.clientWidth), PATIENCE)
      .toBe(700);
  });

  it("says so when nothing was recorded, or when the data is damaged", async () => {
    await mount(packed({ ...emptyTrace(), hint: "Set DXT_ENABLE_IO_TRACE=1." }), "empty");
    expect(await page.locator("#host").textContent()).toContain("Set DXT_ENABLE_IO_TRACE=1.");
    for (const bad of ["", "AAAA", "%%%", deflateRawSync(Buffer.from("hello, world")).toString("base64")]) {
      await page.evaluate(() => delete document.querySelector<HTMLElement>("#host")!.dataset.traceState);
      await mount(bad, "failed");
      expect(await page.locator("#host").textContent()).toContain("cannot be shown");
    }
  });
});

/** Zooms in a little, then moves to and fro for 40 frames; the median of the time that drawing took. */
async function panning(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const host = document.querySelector<HTMLElement>("#host")!;
    const world = globalThis as unknown as { handle: { show(view: object): void } };
    const end = Number(host.dataset.windowEnd);
    const taken: number[] = [];
    for (let i = 0; i < 40; i++) {
      world.handle.show({ startSeconds: end * (0.05 + i * 0.002), endSeconds: end * (0.85 + i * 0.002) });
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      taken.push(Number(host.dataset.drawMs));
    }
    return taken.sort((a, b) => a - b)[20]!;
  });
}

/** Of calls of the first layer that start in [from, to), without any of the code under test. */
function bruteForce({ calls }: Trace, from: number, to: number, direction: number) {
  const intervals: [number, number][] = [];
  let bytes = 0;
  let sum = 0;
  for (let i = 0; i < calls.count; i++) {
    if (calls.layer[i] !== 0 || (direction >= 0 && calls.write[i] !== direction)) continue;
    if (calls.startSeconds[i]! < from || calls.startSeconds[i]! >= to) continue;
    intervals.push([calls.startSeconds[i]!, calls.endSeconds[i]!]);
    bytes += calls.bytes[i]!;
    sum += calls.endSeconds[i]! - calls.startSeconds[i]!;
  }
  let union = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const [start, end] of intervals.sort((a, b) => a[0] - b[0])) {
    union += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  const durations = intervals.map(([start, end]) => end - start).sort((a, b) => a - b);
  const percentile = (share: number) => durations.find((_, i) => i + 1 >= share * durations.length)!;
  return { calls: intervals.length, bytes, sum, union, percentile };
}
