/** The drop page in a real Chromium, with everything that it asks for or stores written down. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inflateRawSync } from "node:zlib";
import { build } from "esbuild";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

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

/** What both browsers can be asked. */
export interface AnyPage {
  /** Requests beyond the page itself, and errors. */
  readonly trouble: string[];
  /** Files or folders let go over the page. */
  drop(paths: readonly string[]): Promise<void>;
  /** By the buttons. */
  pick(paths: readonly string[]): Promise<void>;
  report(): Promise<void>;
  /** The one line of an error. */
  failure(): Promise<string>;
  save(id: string): Promise<string>;
  run<Given, Made>(work: (given: Given) => Made | Promise<Made>, given: Given): Promise<Made>;
  /** Writes to any storage. */
  stored(): Promise<string[]>;
  press(key: string): Promise<void>;
  type(selector: string, text: string): Promise<void>;
  url(): Promise<string>;
  text(selector: string): Promise<string>;
  close(): Promise<void>;
}

export interface DropPage extends AnyPage {
  readonly page: Page;
  drop(paths: readonly string[], where?: "upper" | "lower"): Promise<void>;
  save(
    id: string,
    options?: { readonly withoutNames?: boolean; readonly encoding?: BufferEncoding },
  ): Promise<string>;
}

/** Whatever could store something says so. */
export const SPIES = `
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

export const storedBy = (): string[] => (window as unknown as { stored: string[] }).stored;

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
      return (await page.locator("#failed h2").getAttribute("title")) ?? "";
    },
    async save(id, { withoutNames = false, encoding = "utf8" } = {}) {
      await page.locator('#dock [data-do="save"]').click();
      await page.locator("#nameless").setChecked(withoutNames);
      const [download] = await Promise.all([
        page.waitForEvent("download", { timeout: 50_000 }),
        page.locator(`[data-saver="${id}"]`).click(),
      ]);
      await page.locator('#save [data-do="close"]').click();
      return readFileSync(await download.path(), encoding);
    },
    run: (work, given) => page.evaluate(work as never, given as never) as never,
    stored: () => page.evaluate(storedBy),
    press: (key) => page.keyboard.press(key),
    type: (selector, text) => page.locator(selector).first().pressSequentially(text),
    url: async () => page.url(),
    text: async (selector) => (await page.locator(selector).first().textContent()) ?? "",
    close: () => context.close(),
  };
}

const axe = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8");

/** What axe-core calls serious or critical. */
export async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate("axe.run()")) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

interface CommandReport {
  readonly html: string;
  readonly json: string;
}

/** What the command makes of inputs of one folder under the names that the page knows them by. */
export function commandReport(paths: string | readonly string[], output: string): CommandReport {
  const inputs = typeof paths === "string" ? [paths] : paths;
  const run = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      join(root, "bin", "plimsoll"),
      ["report", ...inputs.map((path) => basename(path)), ...words],
      {
        cwd: dirname(inputs[0] ?? ""),
        encoding: "utf8",
        maxBuffer: 1 << 28,
      },
    );
    if (status !== 0) throw new Error(stderr);
    return stdout;
  };
  run("-o", output);
  // The command names its own output.
  const html = readFileSync(output, "utf8").replaceAll(output, "report.html");
  return { html, json: run("--json") };
}

/** Traces compress to other bytes with another zlib; what is in them must be the same. */
const plain = (html: string) =>
  html.replace(
    /(<script type="application\/json" id="trace-\d+">")([^"]*)/g,
    (_, head: string, text: string) => head + inflateRawSync(Buffer.from(text, "base64")).toString("latin1"),
  );

/** Gives inputs to the page and to the command: the same numbers and the same page, or the same refusal. */
export async function agree(
  open: AnyPage,
  paths: string | readonly string[],
  output: string,
): Promise<"report" | "refusal"> {
  const inputs = typeof paths === "string" ? [paths] : paths;
  let expected: CommandReport | undefined;
  let refusal = "";
  try {
    expected = commandReport(inputs, output);
  } catch (error) {
    refusal = (error as Error).message;
  }
  await open.drop(inputs);
  if (expected === undefined) {
    // What is wrong, in the same words.
    expect(refusal).toContain((await open.failure()).replace(/^[^:]*: /, ""));
    return "refusal";
  }
  await open.report();
  expect(JSON.parse(await open.save("json"))).toEqual(JSON.parse(expected.json));
  expect(plain(await open.save("html")) === plain(expected.html), "HTML").toBe(true);
  expect(open.trouble).toEqual([]);
  return "report";
}
