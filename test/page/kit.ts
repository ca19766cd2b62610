/** The drop page in a real Chromium, with everything that it asks for or stores written down. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const executablePath = process.env.PLIMSOLL_CHROMIUM ?? "/usr/bin/chromium";
export const hasBrowser = existsSync(executablePath);
if (!hasBrowser && process.env.PLIMSOLL_REQUIRE_ALL === "1")
  throw new Error(`the drop page: no Chromium at ${executablePath}; set PLIMSOLL_CHROMIUM to its path`);

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: ["--headless=new", "--no-sandbox", "--disable-gpu"] });

/** The page as the sources are now. */
export async function buildPage(folder: string): Promise<string> {
  const { bundleDropPage } = await import(new URL("../../scripts/build.mjs", import.meta.url).href);
  const path = join(folder, "plimsoll.html");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, (await bundleDropPage(build)).html);
  return path;
}

export interface DropPage {
  readonly page: Page;
  /** Requests beyond the page itself, errors, and writes to any storage. */
  readonly trouble: string[];
  /** Files or folders let go over the page. */
  drop(paths: readonly string[], where?: "upper" | "lower"): Promise<void>;
  /** By the buttons. */
  pick(paths: readonly string[]): Promise<void>;
  report(): Promise<void>;
  /** The one line of an error. */
  failure(): Promise<string>;
  save(id: string, options?: { readonly withoutNames?: boolean }): Promise<string>;
}

/** Whatever could store something says so. */
const SPIES = `
  window.stored = [];
  const spy = (object, name, label) => {
    const original = object[name];
    object[name] = function (...given) { window.stored.push(label); return original.apply(this, given); };
  };
  spy(Storage.prototype, "setItem", "storage");
  spy(IDBFactory.prototype, "open", "indexedDB");
  if (window.CacheStorage) spy(CacheStorage.prototype, "open", "caches");
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
  Object.defineProperty(document, "cookie", { get: () => cookie.get.call(document), set: (v) => { window.stored.push("cookie"); cookie.set.call(document, v); } });
`;

export async function openPage(
  browser: Browser,
  path: string,
  { fragment = "", ...options }: BrowserContextOptions & { readonly fragment?: string } = {},
): Promise<DropPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    acceptDownloads: true,
    ...options,
  });
  const page = await context.newPage();
  const trouble: string[] = [];
  const url = pathToFileURL(path).href;
  await page.addInitScript(SPIES);
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(blob|data):/.test(request.url()))
      trouble.push(`request ${request.url()}`);
  });
  page.on("pageerror", (error) => trouble.push(`error ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") trouble.push(`console ${message.text()}`);
  });
  await page.goto(`${url}${fragment}`);
  const pick = async (paths: readonly string[]) => page.locator("#pick-files").setInputFiles([...paths]);
  return {
    page,
    trouble,
    pick,
    async drop(paths, where = "upper") {
      const client = await context.newCDPSession(page);
      const { height = 800 } = page.viewportSize() ?? {};
      const data = { items: [], files: [...paths], dragOperationsMask: 1 };
      for (const type of ["dragEnter", "dragOver", "drop"] as const)
        await client.send("Input.dispatchDragEvent", {
          ...{ type, x: 300, y: where === "upper" ? height / 4 : (3 * height) / 4 },
          data,
        });
    },
    async report() {
      await page.locator("#dock").waitFor({ state: "visible", timeout: 50_000 });
    },
    async failure() {
      await page.locator("#failed").waitFor({ state: "visible", timeout: 50_000 });
      return (await page.locator("#error-line").textContent()) ?? "";
    },
    async save(id, { withoutNames = false } = {}) {
      await page.locator('#dock [data-do="save"]').click();
      await page.locator("#nameless").setChecked(withoutNames);
      const [download] = await Promise.all([
        page.waitForEvent("download", { timeout: 50_000 }),
        page.locator(`[data-saver="${id}"]`).click(),
      ]);
      await page.locator('#save [data-do="close"]').click();
      return readFileSync(await download.path(), "utf8");
    },
  };
}

/** What the command makes of an input under the name that the page knows it by. */
export function commandReport(
  path: string,
  output: string,
): { readonly html: string; readonly json: string } {
  const run = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      join(root, "bin", "plimsoll"),
      ["report", basename(path), ...words],
      {
        cwd: dirname(path),
        encoding: "utf8",
        maxBuffer: 1 << 28,
      },
    );
    if (status !== 0) throw new Error(`plimsoll report ${path}: ${stderr}`);
    return stdout;
  };
  run("-o", output);
  // The command names its own output.
  const html = readFileSync(output, "utf8").replaceAll(output, "report.html");
  return { html, json: run("--json") };
}
