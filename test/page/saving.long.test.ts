// What the drop page saves, each kind as the command writes it.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";
import { buildPage, commandReport, type DropPage, hasBrowser, launch, openPage } from "./kit.ts";
import { writeSamples } from "./samples.ts";

describe.skipIf(!hasBrowser)("what the drop page saves", () => {
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

  /** The bytes of a saved file, by the dialog. */
  const saved = async (id: string, withoutNames = false): Promise<Buffer> =>
    Buffer.from(await open.save(id, { withoutNames, encoding: "latin1" }), "latin1");

  it("saves the calls with the bytes of plimsoll export", async () => {
    open = await openPage(browser, html);
    await open.drop([at("secret-calls.csv")]);
    await open.report();
    const load = () => import("../../src/cli/export.ts");
    for (const [id, name] of [
      ["csv", "exported.csv"],
      ["perfetto", "exported.json"],
      ["parquet", "exported.parquet"],
    ] as const) {
      const words = ["export", at("secret-calls.csv"), "--to", id, "-o", at(name)];
      expect(await runCli(words, [{ name: "export", summary: "", load }], fakeWorld())).toBe(0);
      expect((await saved(id)).equals(readFileSync(at(name))), id).toBe(true);
      const nameless = await saved(id, true);
      expect(nameless.length).toBeGreaterThan(100);
      expect(nameless.toString("latin1")).not.toMatch(/alice|secret/);
    }
  });

  it.each(["shared-checkpoint.darshan", "secret-calls.csv"])(
    "saves the report on %s as the command writes it",
    async (name) => {
      open = await openPage(browser, html);
      await open.pick([at(name)]);
      await open.report();
      const expected = commandReport(at(name), at("from-command.html"));
      expect((await open.save("html")) === expected.html).toBe(true);
      expect(await open.save("json")).toBe(expected.json);
    },
  );

  it("saves figures as SVG, PNG and CSV", async () => {
    open = await openPage(browser, html);
    await open.drop([at("shared-checkpoint.darshan")]);
    await open.report();
    const savedFigure = async (label: string) => {
      const [download] = await Promise.all([
        open.page.waitForEvent("download"),
        open.page.getByRole("button", { name: label, exact: true }).first().click(),
      ]);
      return readFileSync(await download.path());
    };
    const svg = (await savedFigure("SVG")).toString("utf8");
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg).not.toMatch(/var\(--|<script|href="http/);
    const png = await savedFigure("PNG");
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    // Width and height, twice those of the figure.
    expect(png.readUInt32BE(16)).toBeGreaterThan(600);
    expect(png.readUInt32BE(20)).toBeGreaterThan(200);
    expect((await savedFigure("CSV")).toString("utf8").split("\n").length).toBeGreaterThan(2);
  });

  it("compares a job that is dropped on another as two that are dropped together", async () => {
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
});
