// Pages of a report, a comparison and a study by the rules of axe-core, light and dark, on a desk and on a phone.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { inside } from "../../src/cli/darshan/test-kit.ts";
import { makeSingle, SINGLE_LOGS } from "../../src/generate/single/index.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import type { PageAssets } from "../../src/report/compose.ts";

const executablePath = process.env.PLIMSOLL_CHROMIUM ?? "/usr/bin/chromium";
const hasBrowser = existsSync(executablePath);
if (!hasBrowser && process.env.PLIMSOLL_REQUIRE_ALL === "1")
  throw new Error(`accessibility: no Chromium at ${executablePath}; set PLIMSOLL_CHROMIUM to its path`);

/** The page's script and styles as they are now, whatever dist/ holds. */
const assets = vi.hoisted((): { current: PageAssets } => ({ current: { script: "", style: "" } }));
vi.mock("../../src/report/page/assets.ts", async (original) => ({
  ...(await original<typeof import("../../src/report/page/assets.ts")>()),
  builtAssets: () => assets.current,
}));

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

describe.skipIf(!hasBrowser)("axe-core finds nothing serious", () => {
  let folder: string;
  let browser: Browser;
  const pages = new Map<string, string>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plimsoll-axe-"));
    const { bundlePage } = await import(new URL("../../scripts/build.mjs", import.meta.url).href);
    assets.current = await bundlePage(build, "web/report");
    browser = await chromium.launch({
      executablePath,
      args: ["--headless=new", "--no-sandbox", "--disable-gpu"],
    });
    const [slow, small] = [single("straggler"), single("small-writes")];
    pages.set("report", await made("report", "report", slow));
    pages.set("comparison", await made("comparison", "diff", slow, small));
    const study = join(folder, "study");
    const words = ["study", "metric", "--simulate", "--repeats", "2", "--replicates", "100", "-o", study];
    expect(await inside(...words)).toMatchObject({ code: 0 });
    pages.set("study", join(study, "report.html"));
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function single(id: string): string {
    const log = SINGLE_LOGS.find((one) => one.id === id);
    if (log === undefined) throw new Error(`no single log is called ${id}`);
    const path = join(folder, `${id}.darshan`);
    writeFileSync(path, makeSingle(log, 1, nodeEncoders).bytes);
    return path;
  }

  async function made(name: string, ...words: string[]): Promise<string> {
    const page = join(folder, `${name}.html`);
    expect(await inside(...words, "-o", page)).toMatchObject({ code: 0, err: "" });
    return page;
  }

  const cases = ["report", "comparison", "study"].flatMap((name) =>
    [1280, 390].flatMap((width) => (["light", "dark"] as const).map((scheme) => ({ name, width, scheme }))),
  );

  it.each(cases)(
    "on a $name, $width px, $scheme",
    async ({ name, width, scheme }) => {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
      try {
        const page = await context.newPage();
        await page.goto(pathToFileURL(pages.get(name) as string).href);
        await page.evaluate(axe);
        const violations = (await page.evaluate(
          "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
        )) as Violation[];
        const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        expect(
          serious.map(({ id, nodes }) => [
            id,
            ...nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`),
          ]),
        ).toEqual([]);
      } finally {
        await context.close();
      }
    },
    60_000,
  );
});
