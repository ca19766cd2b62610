// The drop page as people use it: what they drop, what it says, what it keeps to itself.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { sampleLogs } from "../../src/generate/samples.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { buildPage, type DropPage, faults, hasBrowser, launch, openPage } from "./kit.ts";
import { writeSamples } from "./samples.ts";

describe.skipIf(!hasBrowser)("the drop page", () => {
  let browser: Browser;
  let folder: string;
  let html: string;
  let open: DropPage;
  const at = (name: string) => join(folder, name);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plimsoll-drop-"));
    html = await buildPage(folder);
    writeSamples(folder);
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    expect(open.trouble).toEqual([]);
    expect(await open.stored()).toEqual([]);
    await open.close();
  });

  it("says what it is, and opens the example in one key", async () => {
    open = await openPage(browser, html);
    expect(await open.page.locator("#start h1").textContent()).toContain("Nothing is uploaded");
    await open.page.keyboard.press("e");
    await open.report();
    expect(await open.page.locator(".hero h1").textContent()).toMatch(/cost/);
  });

  it("is one file below 2 MB with a policy, and holds no call that could send", async () => {
    open = await openPage(browser, html);
    const text = readFileSync(html, "utf8");
    expect(statSync(html).size).toBeLessThan(2e6);
    expect(text).toContain("default-src 'none'");
    expect(text.match(/<\/script/g)).toHaveLength(1);
    const script = text.slice(text.indexOf("<script>"));
    const calls =
      /RTCPeerConnection|XMLHttpRequest|WebSocket|sendBeacon|EventSource|WebTransport|importScripts|(?<![\w.$])fetch\s*\(|\.fetch\s*\(/;
    expect(script.match(calls)?.[0]).toBeUndefined();
    expect("x.fetch(1)").toMatch(calls);
  });

  it("takes a folder with folders in it as one job", async () => {
    const tree = at("alice/app/5003/node1");
    for (const process of [11, 12]) {
      mkdirSync(join(tree, String(process)), { recursive: true });
      // The same bytes twice would count once.
      const log = sampleLogs(process, nodeEncoders).find(({ name }) => name === "small-writes");
      writeFileSync(join(tree, String(process), "run.darshan"), log?.bytes ?? "");
    }
    open = await openPage(browser, html);
    await open.drop([at("alice")]);
    await open.report();
    expect(JSON.parse(await open.save("json")).job.logs).toHaveLength(2);
  });

  it("compares two jobs that are dropped together", async () => {
    open = await openPage(browser, html);
    await open.drop([at("shared-checkpoint.darshan"), at("file-per-process.darshan")]);
    await open.report();
    expect(await open.page.locator("#findings, .hero").first().textContent()).not.toBe("");
    expect(Object.keys(JSON.parse(await open.save("json")))).toContain("before");
  });

  it.each([
    ["cut.darshan", "ends early, at byte", "missing", false],
    ["turned.darshan", "is damaged at byte", "damaged", true],
  ])(
    "names the damage of %s with its byte, and reports on what comes before it when asked",
    async (name, heading, label, leavesSomething) => {
      open = await openPage(browser, html);
      await open.drop([at(name)]);
      expect(await open.failure()).toMatch(new RegExp(`^${name}: byte \\d+: `));
      expect(await open.page.locator("#error-line").textContent()).toContain(`${name} ${heading}`);
      expect(await open.page.locator(".bytes").isVisible()).toBe(true);
      expect(await open.page.locator(".bytes-l").textContent()).toContain(label);
      expect(await open.page.locator("#error-details").textContent()).toMatch(/byte \d+/);
      expect(await open.page.locator("#error-details").textContent()).not.toContain(name);
      await open.page.locator('[data-do="keep"]').click();
      if (!leavesSomething) {
        // As the command says too.
        await expect.poll(() => open.page.locator('[data-do="keep"]').isVisible()).toBe(false);
        return;
      }
      await open.report();
      expect(await open.page.locator("#toast").textContent()).toContain("the part before it is used");
    },
  );

  it("says in one line what cannot be opened, one drop after the other", async () => {
    open = await openPage(browser, html);
    const three = ["shared-checkpoint", "file-per-process", "small-writes"].map((name) => `${name}.darshan`);
    for (const [names, line] of [
      [["empty.darshan"], /empty|too short|0 bytes|not a Darshan log/i],
      [["notes.txt"], /unknown format/],
      [three, /logs belong to 3 jobs: .*drop the logs of one job, or of two to compare/],
    ] as const) {
      await open.drop(names.map(at));
      expect(await open.failure()).toMatch(line);
      await open.page.keyboard.press("Escape");
      expect(await open.page.locator("#start").isVisible()).toBe(true);
    }
  });

  it("drops the first reading for a second drop, and cancels with Escape", async () => {
    open = await openPage(browser, html);
    const { page } = open;
    /** A reading that takes as long as the test wants: its worker hears of nothing. */
    const startReading = async () => {
      await page.evaluate(() => {
        const { postMessage } = Worker.prototype;
        Worker.prototype.postMessage = () => {
          Worker.prototype.postMessage = postMessage;
        };
      });
      await open.drop([at("slow-checkpoint.darshan")]);
      await page.locator("#reading").waitFor({ state: "visible" });
    };
    await startReading();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("#start").isVisible()).toBe(true);
    await startReading();
    await open.drop([at("small-writes.darshan")]);
    await open.report();
    expect(await page.title()).toContain("tracer");
    // A report stays as it was when the next reading is cancelled.
    await startReading();
    await page.keyboard.press("Escape");
    await open.report();
    expect(JSON.parse(await open.save("json")).job.application).toBe("tracer");
  });

  it("keeps names out of the address, and warns when it was made for another file", async () => {
    open = await openPage(browser, html);
    await open.pick([at("secret-calls.csv")]);
    await open.report();
    await open.page.keyboard.press("g");
    await open.page.locator('.fold nav a[href="#files"]').click();
    await open.page.locator('#files input[type="search"]').fill("secret");
    await expect.poll(() => open.page.url()).toMatch(/#files&.*log=[0-9a-f]{12}$|#files&log=[0-9a-f]{12}$/);
    const address = open.page.url();
    expect(address).not.toMatch(/secret|alice/);
    const fragment = address.slice(address.indexOf("#"));
    await open.close();
    open = await openPage(browser, html, { fragment });
    expect(await open.page.locator("#waiting").textContent()).toContain("fingerprint");
    await open.pick([at("small-writes.darshan")]);
    await open.report();
    expect(await open.page.locator("#toast").textContent()).toContain("another file");
  });

  it("is reached by keyboard and has no serious fault for axe", async () => {
    open = await openPage(browser, html);
    // Every other state: states.long.test.ts.
    expect(await faults(open.page)).toEqual([]);
    const reached: string[] = [];
    for (let i = 0; i < 8; i++) {
      await open.page.keyboard.press("Tab");
      reached.push(
        await open.page.evaluate(() => {
          const element = document.activeElement?.shadowRoot?.activeElement as HTMLElement | null;
          return element?.dataset.do ?? element?.id ?? "";
        }),
      );
    }
    expect(reached).toEqual(
      expect.arrayContaining(["theme", "keys", "files", "folder", "example", "memory"]),
    );
  });
});
