// Every log and trace at hand, dropped into the page and given to the command: the same JSON and the same HTML, in both browsers.

import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publicLogs, referenceLogs } from "../reference-data.ts";
import { BROWSERS, type Driver } from "./browsers.ts";
import { agree, buildPage, root } from "./kit.ts";

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

describe("the page and the command", () => {
  it("have logs to agree on", () => {
    expect(INPUTS.length).toBeGreaterThan(40);
    expect(INPUTS.length).toBeGreaterThan(publicLogs.length);
  });

  describe.each(BROWSERS)("in $name", ({ isThere, start }) => {
    describe.skipIf(!isThere)("agree", () => {
      let driver: Driver;
      let folder: string;
      let page: string;

      beforeAll(async () => {
        folder = mkdtempSync(join(tmpdir(), "plimsoll-equal-"));
        page = await buildPage(folder);
        driver = await start();
      });
      afterAll(async () => {
        await driver?.close();
        rmSync(folder, { recursive: true, force: true });
      });

      it.each(INPUTS.map((path) => [basename(path), path]))("on %s", async (name, path) => {
        const copy = join(folder, name);
        if (!existsSync(copy)) cpSync(path, copy);
        const open = await driver.open(page);
        try {
          await agree(open, copy, join(folder, "report.html"));
        } finally {
          await open.close();
        }
      });
    });
  });
});
