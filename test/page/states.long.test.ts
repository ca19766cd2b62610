// Every state of the drop page: axe, the keyboard alone, no motion for who wants none, nothing wider than the window.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manyFiles } from "../../bench/darshan/inputs.ts";
import { buildPage, type DropPage, faults, hasBrowser, launch, openPage } from "./kit.ts";
import { writeSamples } from "./samples.ts";

const isWide = ({ page }: DropPage) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

/** What has the focus, in the page or in the report. */
const focused = ({ page }: DropPage) =>
  page.evaluate(() => {
    const inner = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement;
    const { do: act = "", saver = "" } = (inner as HTMLElement | null)?.dataset ?? {};
    return act || saver || inner?.id || "";
  });

/** Goes on with Tab until this has the focus. */
async function tabTo(open: DropPage, wanted: string, stepsMax = 400): Promise<void> {
  for (let step = 0; step < stepsMax; step++) {
    if ((await focused(open)) === wanted) return;
    await open.page.keyboard.press("Tab");
  }
  throw new Error(`the keyboard does not reach ${wanted}`);
}

describe.skipIf(!hasBrowser)("states of the drop page", () => {
  let browser: Browser;
  let folder: string;
  let html: string;
  const at = (name: string) => join(folder, name);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plimsoll-states-"));
    html = await buildPage(folder);
    writeSamples(folder);
    writeFileSync(at("many.darshan"), manyFiles(280_000));
    browser = await launch();
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const hold = async ({ page }: DropPage, y: number) => {
    const client = await page.context().newCDPSession(page);
    const data = { items: [], files: [at("small-writes.darshan")], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver"] as const)
      await client.send("Input.dispatchDragEvent", { type, x: 150, y, data });
    await page.locator("#cover").waitFor({ state: "visible" });
  };
  const shown = async (open: DropPage, ...names: string[]) => {
    await open.pick(names.map(at));
    await open.report();
  };
  const lowest = ({ page }: DropPage) => page.locator("#memory").selectOption("268435456", { force: true });

  const STATES: readonly [string, (open: DropPage) => Promise<unknown>][] = [
    ["empty", async () => {}],
    ["held over", (open) => hold(open, 100)],
    ["keys", (open) => open.page.keyboard.press("?")],
    [
      "reading",
      async (open) => {
        await open.pick([at("many.darshan")]);
        await open.page.locator("#reading").waitFor({ state: "visible" });
      },
    ],
    [
      "an error with its place",
      async (open) => {
        await open.pick([at("turned.darshan")]);
        await open.failure();
        await open.page.locator("#failed summary").click();
      },
    ],
    [
      "an unknown format",
      async (open) => {
        await open.pick([at("notes.txt")]);
        await open.failure();
      },
    ],
    ["a report", (open) => shown(open, "slow-checkpoint.darshan")],
    ["a comparison", (open) => shown(open, "shared-checkpoint.darshan", "file-per-process.darshan")],
    [
      "held over a report",
      async (open) => {
        await shown(open, "small-writes.darshan");
        await hold(open, 500);
      },
    ],
    [
      "saving without names",
      async (open) => {
        await shown(open, "small-writes.darshan");
        await open.page.keyboard.press("s");
        await open.page.locator("#nameless").setChecked(true);
        await expect.poll(() => open.page.locator("#preview tbody tr").count()).toBeGreaterThan(1);
      },
    ],
    [
      "the timeline",
      async (open) => {
        await shown(open, "slow-checkpoint.darshan");
        await open.page.locator(".trace-host").first().scrollIntoViewIfNeeded();
        await open.page.waitForSelector('.trace-host[data-trace-state="ready"]');
      },
    ],
  ];

  describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
    describe.each([1280, 390])("%i pixels", (width) => {
      it.each(STATES)("%s: no serious fault, nothing too wide", async (_, reach) => {
        const open = await openPage(browser, html, { colorScheme, viewport: { width, height: 800 } });
        try {
          await reach(open);
          expect(await faults(open.page)).toEqual([]);
          expect(await isWide(open)).toBe(false);
        } finally {
          await open.close();
        }
      });
    });
  });

  it("too many files for the bound: one line, and a larger bound in one step", async () => {
    const open = await openPage(browser, html);
    await lowest(open);
    await open.pick([at("many.darshan")]);
    expect(await open.failure()).toBe("many.darshan: more file records than fit into memory");
    expect(await faults(open.page)).toEqual([]);
    await open.page.locator('[data-do="raise"]').click();
    await open.report();
    await open.close();
  }, 180_000);

  it("goes all the way by keyboard", async () => {
    const open = await openPage(browser, html);
    const { keyboard } = open.page;
    // Choosers come to the test from now on, which takes the browser a moment.
    open.page.on("filechooser", () => {});
    await open.page.waitForTimeout(500);
    for (const key of ["o", "f"]) {
      const [chooser] = await Promise.all([open.page.waitForEvent("filechooser"), keyboard.press(key)]);
      expect(chooser).toBeDefined();
      // A browser opens one chooser at a time.
      await open.page.waitForTimeout(800);
    }
    for (const action of ["theme", "keys", "files", "folder", "example", "memory"])
      await tabTo(open, action, 12);
    await tabTo(open, "files", 12);
    const [chooser] = await Promise.all([open.page.waitForEvent("filechooser"), keyboard.press("Enter")]);
    await chooser.setFiles(at("turned.darshan"));
    await open.failure();
    await tabTo(open, "keep", 12);
    await keyboard.press("Enter");
    await open.report();
    await tabTo(open, "dismiss");
    await keyboard.press("Enter");
    for (const action of ["save", "compare", "files", "start"]) await tabTo(open, action);
    await keyboard.press("s");
    for (const saver of ["html", "json", "perfetto", "parquet", "csv", "nameless", "close"])
      await tabTo(open, saver, 12);
    await tabTo(open, "nameless", 12);
    await keyboard.press("Space");
    await expect.poll(() => open.page.locator("#preview tbody tr").count()).toBeGreaterThan(1);
    await tabTo(open, "json", 12);
    const [download] = await Promise.all([open.page.waitForEvent("download"), keyboard.press("Enter")]);
    expect(download.suggestedFilename()).toBe("report.json");
    await keyboard.press("Escape");
    expect(await open.page.locator("#save").isVisible()).toBe(false);
    const [other] = await Promise.all([open.page.waitForEvent("filechooser"), keyboard.press("c")]);
    await other.setFiles(at("small-writes.darshan"));
    await open.page.waitForFunction(() => document.body.textContent?.includes("plimsoll diff"));
    await open.report();
    await tabTo(open, "start");
    await keyboard.press("Enter");
    await expect.poll(() => open.page.locator("#start").isVisible()).toBe(true);
    expect(open.trouble).toEqual([]);
    await open.close();
  }, 120_000);

  it("moves nothing for who wants no motion", async () => {
    const moving = async (reducedMotion: "reduce" | "no-preference") => {
      const open = await openPage(browser, html, { reducedMotion });
      await open.pick([at("many.darshan")]);
      await open.page.locator("#reading").waitFor({ state: "visible" });
      const count = await open.page.evaluate(
        () =>
          document
            .querySelector("#plimsoll-page")
            ?.shadowRoot?.getAnimations()
            .filter(({ playState }) => playState === "running").length,
      );
      await open.close();
      return count;
    };
    expect(await moving("reduce")).toBe(0);
    expect(await moving("no-preference")).toBeGreaterThan(0);
  });
});
