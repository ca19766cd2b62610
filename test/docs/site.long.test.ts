/** The documentation site: made whole, opened from a disk in Chromium, every link followed. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/index.ts";
import { hasBrowser, launch } from "../page/kit.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const INDEX_BYTES_MAX = 600_000;

interface Visited {
  readonly links: readonly string[];
  readonly ids: readonly string[];
  readonly pictures: readonly string[];
  readonly isTooWide: boolean;
}

/** In the page: where its links lead, what can be linked to, which pictures did not load. */
const look = (): Visited => ({
  links: [...document.querySelectorAll("a[href]")].map((link) => (link as HTMLAnchorElement).href),
  ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
  pictures: [...document.images]
    .filter((image) => image.complete && image.naturalWidth === 0)
    .map(({ src }) => src),
  isTooWide: document.documentElement.scrollWidth > window.innerWidth,
});

describe.skipIf(!hasBrowser)("the documentation site", () => {
  let folder: string;
  let browser: Browser;
  let pages: string[];
  beforeAll(async () => {
    folder = join(mkdtempSync(join(tmpdir(), "plimsoll-site-")), "site");
    const made = spawnSync(process.execPath, [join(root, "scripts/site.mjs"), "--output", folder], {
      encoding: "utf8",
    });
    expect([made.status, made.stderr]).toEqual([0, expect.stringContaining("pages")]);
    pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".html"),
    );
    browser = await launch();
  }, 1_200_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(dirname(folder), { recursive: true, force: true });
  });

  async function open(page: Page, name: string): Promise<Visited> {
    await page.goto(pathToFileURL(join(folder, name)).href);
    return page.evaluate(look);
  }

  it("has no dead link, no lost picture, no error, asks nobody, and fits a phone", {
    timeout: 300_000,
  }, async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
    const trouble: string[] = [];
    page.on("pageerror", (error) => trouble.push(`${page.url()}: ${error.message}`));
    page.on("request", (request) => {
      if (!request.url().startsWith("file:")) trouble.push(`${page.url()} asks ${request.url()}`);
    });
    const visited = new Map<string, Visited>();
    for (const name of pages) visited.set(name, await open(page, name));
    for (const [name, { links, pictures, isTooWide }] of visited) {
      if (isTooWide) trouble.push(`${name} is wider than a phone`);
      trouble.push(...pictures.map((picture) => `${name}: no picture ${picture}`));
      for (const link of links.filter((one) => one.startsWith("file:"))) {
        const [path = "", id = ""] = link.split("#");
        const target = relative(folder, fileURLToPath(path));
        const isThere = existsSync(join(folder, target)) && statSync(join(folder, target)).isFile();
        const known = visited.get(target)?.ids ?? [];
        if (!isThere || (id !== "" && !known.includes(decodeURIComponent(id))))
          trouble.push(`${name}: dead link ${link}`);
      }
    }
    expect(trouble).toEqual([]);
    await page.close();
  });

  it("has a page for every document and command, and a gallery with figures of every group", async () => {
    for (const { name } of commands)
      expect(pages).toContain(`man/plimsoll-${name.replaceAll(" ", "-")}.html`);
    expect(pages.filter((name) => name.startsWith("tutorials/")).length).toBe(5);
    const gallery = readFileSync(join(folder, "gallery.html"), "utf8");
    const groups = gallery.split("<h2 ").slice(1);
    expect(groups.length).toBe(8);
    for (const group of groups) expect(group).toContain("<figure>");
  });

  it("finds words from a disk, with a small index", async () => {
    expect(statSync(join(folder, "search-index.js")).size).toBeLessThan(INDEX_BYTES_MAX);
    const page = await browser.newPage();
    await open(page, "tutorials/slow-job.html");
    await page.keyboard.press("/");
    await page.keyboard.type("straggler");
    await page.locator("#results a").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/analyses\.html#/);
    await page.close();
  });

  it.each(["light", "dark"] as const)("is accessible (%s)", { timeout: 120_000 }, async (colorScheme) => {
    for (const width of [1280, 390]) {
      const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
      for (const name of [
        "index.html",
        "tutorials/slow-job.html",
        "man/plimsoll-report.html",
        "gallery.html",
      ]) {
        await open(page, name);
        await page.evaluate(axe);
        const found = (await page.evaluate(
          "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ' ' + nodes[0].html))",
        )) as string[];
        expect([name, width, found]).toEqual([name, width, []]);
      }
      await page.close();
    }
  });
});
