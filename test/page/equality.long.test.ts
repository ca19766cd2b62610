// Every log and trace at hand, dropped into the page and given to the command: the same JSON and the same HTML.

import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { inflateRawSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publicLogs, referenceLogs } from "../reference-data.ts";
import { buildPage, commandReport, hasBrowser, launch, openPage, root } from "./kit.ts";

const fixtures = join(root, "test", "fixtures");
const namesIn = (folder: string, wanted: RegExp) =>
  readdirSync(folder)
    .filter((name) => wanted.test(name))
    .map((name) => join(folder, name));

const INPUTS = [
  ...new Set([
    ...referenceLogs.map(({ path }) => path),
    ...namesIn(join(fixtures, "darshan", "pathologies"), /\.darshan$/),
    ...namesIn(join(fixtures, "accesses"), /\.(strace|csv|log)$|24907$/),
  ]),
];

/** Traces compress to other bytes with another zlib; what is in them must be the same. */
const plain = (html: string) =>
  html.replace(
    /(<script type="application\/json" id="trace-\d+">")([^"]*)/g,
    (_, head: string, text: string) => head + inflateRawSync(Buffer.from(text, "base64")).toString("latin1"),
  );

describe.skipIf(!hasBrowser)("the page and the command", () => {
  let browser: Browser;
  let folder: string;
  let page: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plimsoll-equal-"));
    page = await buildPage(folder);
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("have logs to agree on", () => {
    expect(INPUTS.length).toBeGreaterThan(40);
    expect(INPUTS.length).toBeGreaterThan(publicLogs.length);
  });

  it.each(INPUTS.map((path) => [basename(path), path]))("agree on %s", async (name, path) => {
    const copy = join(folder, name);
    if (!existsSync(copy)) cpSync(path, copy);
    let expected: ReturnType<typeof commandReport> | undefined;
    let refusal = "";
    try {
      expected = commandReport(copy, join(folder, "report.html"));
    } catch (error) {
      refusal = (error as Error).message;
    }
    const open = await openPage(browser, page);
    try {
      await open.drop([copy]);
      if (expected === undefined) {
        // What is wrong, in the same words.
        expect(refusal).toContain((await open.failure()).replace(/^[^:]*: /, ""));
        return;
      }
      await open.report();
      expect(JSON.parse(await open.save("json"))).toEqual(JSON.parse(expected.json));
      expect(plain(await open.save("html")) === plain(expected.html), "HTML").toBe(true);
      expect(open.trouble).toEqual([]);
    } finally {
      await open.page.context().close();
    }
  });
});
