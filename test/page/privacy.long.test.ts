// Both browsers: what is shown equals what the command shows, and nothing is asked for, stored or put into the address.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BROWSERS, type Driver } from "./browsers.ts";
import { type AnyPage, buildPage, commandReport } from "./kit.ts";
import { writeSamples } from "./samples.ts";

/** Names in the inputs, which nobody but the reader may see. */
const NAMES = /alice|secret|tracer|cfd|small-writes/;

describe.each(BROWSERS)("the drop page in $name", ({ isThere, start }) => {
  describe.skipIf(!isThere)("keeps to itself what it is given", () => {
    let driver: Driver;
    let folder: string;
    let html: string;
    let page: AnyPage;
    const at = (name: string) => join(folder, name);

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "plimsoll-privacy-"));
      html = await buildPage(folder);
      writeSamples(folder);
      driver = await start();
    });
    afterAll(async () => {
      await driver?.close();
      rmSync(folder, { recursive: true, force: true });
    });
    afterEach(async () => {
      expect(page.trouble).toEqual([]);
      expect(await page.stored()).toEqual([]);
      await page.close();
    });

    it("shows what the command shows, by a drop and by the button", async () => {
      page = await driver.open(html);
      for (const [way, name] of [
        ["drop", "shared-checkpoint.darshan"],
        ["pick", "small-writes.darshan"],
        ["drop", "secret-calls.csv"],
      ] as const) {
        await page[way]([at(name)]);
        await expect
          .poll(() => page.run(() => document.body.textContent ?? "", undefined), { timeout: 30_000 })
          .toContain(`plimsoll report ${name}`);
        await page.report();
        const expected = commandReport(at(name), at("from-command.html"));
        expect(JSON.parse(await page.save("json"))).toEqual(JSON.parse(expected.json));
        // Findings, numbers, tables and the data of figures: all of it is in the page.
        expect((await page.save("html")) === expected.html, name).toBe(true);
      }
    });

    it("puts no name into the address, whatever is typed or chosen", async () => {
      page = await driver.open(html);
      const seen: string[] = [];
      for (const name of ["secret-calls.csv", "small-writes.darshan"]) {
        await page.pick([at(name)]);
        await expect
          .poll(() => page.run(() => document.body.textContent ?? "", undefined), { timeout: 30_000 })
          .toContain(`plimsoll report ${name}`);
        await page.report();
        await page.run(() => {
          for (const fold of document.querySelectorAll("details")) fold.open = true;
        }, undefined);
        await page.type('#files input[type="search"]', "secret alice");
        seen.push(await page.url());
        // Every control of the report, one after the other.
        const addresses = await page.run(async () => {
          const all: string[] = [];
          for (const one of document.querySelectorAll<HTMLElement>(
            'main a[href^="#"], main th button, main tbody tr, nav a[href^="#"]',
          )) {
            one.click();
            if (all.at(-1) !== location.href) all.push(location.href);
            if (all.length > 200) break;
          }
          await new Promise((later) => setTimeout(later, 300));
          return [...all, location.href];
        }, undefined);
        seen.push(...addresses);
      }
      expect(seen.length).toBeGreaterThan(6);
      expect(seen.filter((url) => NAMES.test(url.slice(url.indexOf("#"))))).toEqual([]);
      expect(seen.every((url) => /log=[0-9a-f]{12}$/.test(url) || !url.includes("="))).toBe(true);
    });

    it("is forbidden to connect, before and after a report", async () => {
      const heard: string[] = [];
      const server = createServer((request, response) => {
        heard.push(request.url ?? "");
        response.end();
      });
      await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const knock = async (to: string) => {
        const said: string[] = [];
        document.addEventListener("securitypolicyviolation", (event) => said.push(event.effectiveDirective));
        await fetch(`${to}fetch`, { mode: "no-cors" }).catch(() => {});
        new Image().src = `${to}image`;
        navigator.sendBeacon(`${to}beacon`, "x");
        const worker = new Worker(
          URL.createObjectURL(new Blob([`fetch("${to}worker", { mode: "no-cors" }).catch(() => {})`])),
        );
        await new Promise((later) => setTimeout(later, 500));
        worker.terminate();
        return said;
      };
      page = await driver.open(html);
      expect(new Set(await page.run(knock, url))).toEqual(new Set(["connect-src", "img-src"]));
      await page.press("e");
      await page.report();
      expect(new Set(await page.run(knock, url))).toEqual(new Set(["connect-src", "img-src"]));
      expect(heard).toEqual([]);
      // The test would have noticed: what was refused is in its list, and the same knock from another page arrives.
      expect(page.trouble).not.toEqual([]);
      page.trouble.length = 0;
      const other = at("without-policy.html");
      writeFileSync(other, "<!doctype html><title>no policy</title><p>nothing");
      const open = await driver.open(other);
      await open.run(knock, url);
      await open.close();
      expect(heard).toEqual(expect.arrayContaining(["/fetch", "/image", "/worker"]));
      server.close();
    });
  });
});
