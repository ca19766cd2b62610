// The drop page as people use it: what they drop, what it says, what it keeps to itself.

import { gzipSync } from "node:zlib";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";
import { sampleLogs } from "../../src/generate/samples.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { buildPage, type DropPage, hasBrowser, launch, openPage, root } from "./kit.ts";

describe.skipIf(!hasBrowser)("the drop page", () => {
  let browser: Browser;
  let folder: string;
  let html: string;
  let open: DropPage;
  const at = (name: string) => join(folder, name);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plimsoll-drop-"));
    html = await buildPage(folder);
    const samples = sampleLogs(1, nodeEncoders);
    for (const { name, bytes } of samples) writeFileSync(at(`${name}.darshan`), bytes);
    const [first] = samples;
    const bytes = first?.bytes ?? new Uint8Array(0);
    writeFileSync(at("packed.darshan.gz"), gzipSync(bytes));
    writeFileSync(at("cut.darshan"), bytes.subarray(0, Math.floor(bytes.length * 0.7)));
    const turned = Buffer.from(samples.find(({ name }) => name === "slow-checkpoint")?.bytes ?? []);
    turned.fill(0, Math.floor(turned.length * 0.8), Math.floor(turned.length * 0.8) + 2000);
    writeFileSync(at("turned.darshan"), turned);
    writeFileSync(at("empty.darshan"), "");
    writeFileSync(at("notes.txt"), "Lorem ipsum dolor sit amet.\n");
    writeFileSync(
      at("secret-calls.csv"),
      `pid,bytes,start,end,file,op\n${Array.from({ length: 50 }, (_, i) => `${i % 4},4096,${i / 10},${i / 10 + 0.05},/home/alice/secret.h5,write`).join("\n")}\n`,
    );
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

  it("is one file below 2 MB with a policy, and holds no call that could send", async () => {
    const text = readFileSync(html, "utf8");
    expect(statSync(html).size).toBeLessThan(2e6);
    expect(text).toContain("default-src 'none'");
    expect(text.match(/<\/script/g)).toHaveLength(1);
    const script = text.slice(text.indexOf("<script>"));
    const calls =
      /RTCPeerConnection|XMLHttpRequest|WebSocket|sendBeacon|EventSource|WebTransport|importScripts|(?<![\w.$])fetch\s*\(|\.fetch\s*\(/;
    expect(script.match(calls)?.[0]).toBeUndefined();
    expect("x.fetch(1)").toMatch(calls);
    open = await openPage(browser, html);
    await expect.poll(() => open.page.locator("#start h1").textContent()).toContain("Nothing is uploaded");
  });

  it("opens the example in one key", async () => {
    open = await openPage(browser, html);
    await open.page.keyboard.press("e");
    await open.report();
    expect(await open.page.locator(".hero h1").textContent()).toMatch(/cost/);
  });

  it("reads a gzip'd log as the log", async () => {
    open = await openPage(browser, html);
    await open.pick([at("packed.darshan.gz")]);
    await open.report();
    expect(await open.page.title()).toContain("cfd");
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

  it("compares two jobs that are dropped together, or one on the other", async () => {
    open = await openPage(browser, html);
    await open.drop([at("shared-checkpoint.darshan"), at("file-per-process.darshan")]);
    await open.report();
    expect(await open.page.locator("#findings, .hero").first().textContent()).not.toBe("");
    const together = JSON.parse(await open.save("json"));
    expect(Object.keys(together)).toContain("before");
    await open.close();
    open = await openPage(browser, html);
    await open.drop([at("shared-checkpoint.darshan")]);
    await open.report();
    await open.drop([at("file-per-process.darshan")], "lower");
    await open.page.waitForFunction(() => document.body.textContent?.includes("plimsoll diff"));
    await open.report();
    expect(await open.page.locator("#toast").isVisible()).toBe(false);
    expect(JSON.parse(await open.save("json"))).toEqual(together);
  });

  it("saves the calls as plimsoll export does", async () => {
    open = await openPage(browser, html);
    await open.drop([at("secret-calls.csv")]);
    await open.report();
    const csv = await open.save("csv");
    const output = at("exported.csv");
    const world = fakeWorld();
    const load = () => import("../../src/cli/export.ts");
    expect(
      await runCli(
        ["export", at("secret-calls.csv"), "-o", output],
        [{ name: "export", summary: "", load }],
        world,
      ),
    ).toBe(0);
    expect(csv).toBe(readFileSync(output, "utf8"));
    const trace = JSON.parse(await open.save("perfetto")) as { traceEvents: { ph: string }[] };
    expect(trace.traceEvents.filter(({ ph }) => ph === "X").length).toBe(csv.trim().split("\n").length - 1);
  });

  it("saves figures as SVG, PNG and CSV", async () => {
    open = await openPage(browser, html);
    await open.drop([at("shared-checkpoint.darshan")]);
    await open.report();
    const saved = async (label: string) => {
      const [download] = await Promise.all([
        open.page.waitForEvent("download"),
        open.page.getByRole("button", { name: label, exact: true }).first().click(),
      ]);
      return readFileSync(await download.path());
    };
    const svg = (await saved("SVG")).toString("utf8");
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg).not.toMatch(/var\(--|<script|href="http/);
    const png = await saved("PNG");
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    // Width and height, twice those of the figure.
    expect(png.readUInt32BE(16)).toBeGreaterThan(600);
    expect(png.readUInt32BE(20)).toBeGreaterThan(200);
    expect((await saved("CSV")).toString("utf8").split("\n").length).toBeGreaterThan(2);
  });

  it("refuses logs of three jobs by name", async () => {
    open = await openPage(browser, html);
    await open.drop(
      ["shared-checkpoint", "file-per-process", "small-writes"].map((name) => at(`${name}.darshan`)),
    );
    expect(await open.failure()).toMatch(/logs of 3 jobs .*drop the logs of one job, or of two to compare/);
  });

  it.each([
    ["cut.darshan", false],
    ["turned.darshan", true],
  ])(
    "names the damage of %s with its byte, and reports on what comes before it when asked",
    async (name, hasStrip) => {
      open = await openPage(browser, html);
      await open.drop([at(name)]);
      expect(await open.failure()).toMatch(new RegExp(`^${name}: byte \\d+: `));
      expect(await open.page.locator(".bytes").isVisible()).toBe(hasStrip);
      expect(await open.page.locator("#error-details").textContent()).toMatch(/byte \d+/);
      expect(await open.page.locator("#error-details").textContent()).not.toContain(name);
      await open.page.locator('[data-do="keep"]').click();
      if (!hasStrip) {
        // Of this one nothing is left, as the command says too.
        await expect.poll(() => open.page.locator('[data-do="keep"]').isVisible()).toBe(false);
        return;
      }
      await open.report();
      expect(await open.page.locator("#toast").textContent()).toContain("what comes before it is kept");
    },
  );

  it.each([
    ["empty.darshan", /empty|too short|0 bytes|not a Darshan log/i],
    ["notes.txt", /unknown format/],
  ])("says in one line what %s is", async (name, line) => {
    open = await openPage(browser, html);
    await open.drop([at(name)]);
    expect(await open.failure()).toMatch(line);
    await open.page.keyboard.press("Escape");
    expect(await open.page.locator("#start").isVisible()).toBe(true);
  });

  it("drops the first reading for a second drop, and cancels with Escape", async () => {
    open = await openPage(browser, html);
    await open.drop([at("slow-checkpoint.darshan")]);
    await open.drop([at("small-writes.darshan")]);
    await open.report();
    expect(await open.page.title()).toContain("tracer");
    await open.close();
    open = await openPage(browser, html);
    await open.drop([at("slow-checkpoint.darshan")]);
    await open.page.locator("#reading").waitFor({ state: "visible" });
    await open.page.keyboard.press("Escape");
    await expect.poll(() => open.page.locator("#start").isVisible()).toBe(true);
    await open.pick([at("small-writes.darshan")]);
    await open.report();
    // A report stays as it was when the next reading is cancelled.
    await open.drop([at("slow-checkpoint.darshan")]);
    await open.page.locator("#reading").waitFor({ state: "visible" });
    await open.page.keyboard.press("Escape");
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
    await open.page.waitForTimeout(200);
    const address = open.page.url();
    expect(address).toMatch(/#files&.*log=[0-9a-f]{12}$|#files&log=[0-9a-f]{12}$/);
    expect(address).not.toMatch(/secret|alice/);
    const fragment = address.slice(address.indexOf("#"));
    await open.close();
    open = await openPage(browser, html, { fragment });
    expect(await open.page.locator("#waiting").textContent()).toContain("fingerprint");
    await open.pick([at("small-writes.darshan")]);
    await open.report();
    expect(await open.page.locator("#toast").textContent()).toContain("another file");
  });

  it.each([
    ["secret-calls.csv", /alice|secret/],
    ["small-writes.darshan", /tracer,|>tracer|"tracer"|small-writes\.darshan/],
  ])("saves %s without names, and shows before what becomes of them", async (name, names) => {
    open = await openPage(browser, html);
    await open.pick([at(name)]);
    await open.report();
    const hasNames = (text: string) => names.test(text);
    expect(hasNames(await open.save("html"))).toBe(true);
    const plain = JSON.parse(await open.save("json"));
    for (const id of ["html", "json"])
      expect(hasNames(await open.save(id, { withoutNames: true })), id).toBe(false);
    const nameless = JSON.parse(await open.save("json", { withoutNames: true }));
    expect(nameless.metrics.bytesWritten).toBe(plain.metrics.bytesWritten);
    expect(nameless.findings.map(({ id }: { id: string }) => id)).toEqual(
      plain.findings.map(({ id }: { id: string }) => id),
    );
    await open.page.locator('#dock [data-do="save"]').click();
    await open.page.locator("#nameless").setChecked(false);
    await open.page.locator("#nameless").setChecked(true);
    await expect.poll(() => open.page.locator("#preview tbody tr").count()).toBeGreaterThan(1);
  });

  it.each(["light", "dark"] as const)(
    "is reached by keyboard and has no serious fault for axe, %s",
    async (colorScheme) => {
      open = await openPage(browser, html, { colorScheme });
      const axe = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8");
      const faults = async () => {
        await open.page.evaluate(axe);
        const { violations } = (await open.page.evaluate("axe.run()")) as {
          violations: { id: string; impact: string; nodes: { html: string }[] }[];
        };
        return violations
          .filter(({ impact }) => impact === "serious" || impact === "critical")
          .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      };
      expect(await faults()).toEqual([]);
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
      await open.drop([at("cut.darshan")]);
      await open.failure();
      expect(await faults()).toEqual([]);
      await open.pick([at("small-writes.darshan")]);
      await open.report();
      await open.page.locator('#dock [data-do="save"]').click();
      expect(await faults()).toEqual([]);
    },
  );
});
