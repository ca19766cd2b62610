/** The drop page in Debian's Firefox, driven over WebDriver BiDi (docs/decisions/0015-puppeteer-core.md). */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer, { type Browser, type ElementHandle } from "puppeteer-core";
import { type AnyPage, SPIES, storedBy } from "./kit.ts";

const executablePath = process.env.PLIMSOLL_FIREFOX ?? "/usr/bin/firefox-esr";
export const hasFirefox = existsSync(executablePath);
if (!hasFirefox && process.env.PLIMSOLL_REQUIRE_ALL === "1")
  throw new Error(`the drop page: no Firefox at ${executablePath}; set PLIMSOLL_FIREFOX to its path`);

const PATIENCE_MS = 50_000;

export interface Firefox {
  readonly browser: Browser;
  readonly downloads: string;
  close(): Promise<void>;
}

export async function launchFirefox(): Promise<Firefox> {
  const downloads = mkdtempSync(join(tmpdir(), "plimsoll-firefox-"));
  const browser = await puppeteer.launch({
    ...{ browser: "firefox", executablePath, headless: true },
    extraPrefsFirefox: {
      "browser.download.dir": downloads,
      "browser.download.folderList": 2,
      "browser.download.useDownloadDir": true,
      "browser.download.always_ask_before_handling_new_types": false,
    },
  });
  return {
    browser,
    downloads,
    async close() {
      await browser.close();
      rmSync(downloads, { recursive: true, force: true });
    },
  };
}

export async function openInFirefox(
  { browser, downloads }: Firefox,
  path: string,
  { fragment = "" }: { readonly fragment?: string } = {},
): Promise<AnyPage> {
  const page = await browser.newPage();
  const trouble: string[] = [];
  const url = pathToFileURL(path).href;
  await page.evaluateOnNewDocument(SPIES + HANDED_OVER);
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(blob|data):/.test(request.url()))
      trouble.push(`request ${request.url()}`);
  });
  page.on("pageerror", (error) => trouble.push(`error ${(error as Error).message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warn") trouble.push(`console ${message.text()}`);
  });
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(`${url}${fragment}`);
  const find = async (selector: string) =>
    (await page.waitForSelector(`>>> ${selector}`, { timeout: PATIENCE_MS })) as ElementHandle<Element>;
  const pick = async (paths: readonly string[]) => {
    const input = (await find("#pick-files")) as ElementHandle<HTMLInputElement>;
    await input.uploadFile(...paths);
  };
  return {
    trouble,
    pick,
    // BiDi has no drags, so the files come by an input of the test and leave it in an event of the page.
    async drop(paths) {
      await page.evaluate(() => {
        const input = document.createElement("input");
        input.type = "file";
        input.multiple = true;
        input.id = "dropped";
        document.body.append(input);
      });
      const input = (await page.waitForSelector("#dropped")) as ElementHandle<HTMLInputElement>;
      await input.uploadFile(...paths);
      await page.evaluate(() => {
        const from = document.querySelector<HTMLInputElement>("#dropped");
        const dataTransfer = new DataTransfer();
        for (const file of from?.files ?? []) dataTransfer.items.add(file);
        from?.remove();
        const place = { bubbles: true, cancelable: true, clientX: 300, clientY: 200 };
        for (const type of ["dragenter", "dragover", "drop"])
          document.body.dispatchEvent(new DragEvent(type, { ...place, dataTransfer }));
      });
    },
    async report() {
      await find("#dock:not([hidden])");
    },
    async failure() {
      await find("#failed:not([hidden])");
      return (await find("#failed h2")).evaluate((line) => (line as HTMLElement).title);
    },
    async save(id) {
      for (const left of readdirSync(downloads)) rmSync(join(downloads, left), { force: true });
      await (await find('#dock [data-do="save"]')).evaluate((button) => (button as HTMLElement).click());
      await (await find(`[data-saver="${id}"]`)).evaluate((button) => (button as HTMLElement).click());
      const saved = await arrival(downloads, () => page.evaluate(handedOver));
      await (await find('#save [data-do="close"]')).evaluate((button) => (button as HTMLElement).click());
      return readFileSync(saved, "utf8");
    },
    run: (work, given) => page.evaluate(work as never, given) as never,
    stored: () => page.evaluate(storedBy),
    press: (key) => page.keyboard.press(key as "e"),
    async type(selector, text) {
      await (await page.waitForSelector(selector))?.type(text);
    },
    url: () => page.evaluate(() => location.href),
    text: async (selector) => (await find(selector)).evaluate((element) => element.textContent ?? ""),
    close: () => page.close(),
  };
}

/** Notes what the page hands to the browser to save. */
const HANDED_OVER = `
  window.handedOver = [];
  const sizes = new Map();
  const create = URL.createObjectURL;
  URL.createObjectURL = (blob) => { const url = create.call(URL, blob); sizes.set(url, blob.size); return url; };
  const click = HTMLAnchorElement.prototype.click;
  HTMLAnchorElement.prototype.click = function () {
    if (this.download) window.handedOver.push({ name: this.download, bytes: sizes.get(this.href) });
    click.call(this);
  };
`;

interface Handed {
  readonly name: string;
  readonly bytes: number;
}

const handedOver = (): Handed | undefined =>
  (window as unknown as { handedOver: Handed[] }).handedOver.at(-1);

/** The file that a download leaves, once it is whole: Firefox writes it under other names first. */
async function arrival(folder: string, handed: () => Promise<Handed | undefined>): Promise<string> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    const expected = await handed();
    const path = join(folder, expected?.name ?? "");
    if (expected !== undefined && statSync(path, { throwIfNoEntry: false })?.size === expected.bytes)
      return path;
    await new Promise((later) => setTimeout(later, 50));
  }
  throw new Error(`Firefox saved ${readdirSync(folder).join(", ") || "nothing"}`);
}
