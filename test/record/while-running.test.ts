/** `plimsoll bps` on a recording whose program still runs: the metrics of what was recorded so far. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { Workshop } from "./kit.ts";

const plimsoll = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), "bin", "plimsoll");
const shop = new Workshop();
afterAll(() => shop.remove());

const WRITES = 500;
/** Writes, waits for the file `goOn`, writes once more. */
const PROGRAM = `
  const fs = require("node:fs");
  const [data, done, goOn] = process.argv.slice(1);
  const file = fs.openSync(data, "w");
  for (let i = 0; i < ${WRITES}; i++) fs.writeSync(file, Buffer.alloc(4096));
  fs.closeSync(fs.openSync(done, "w"));
  const timer = setInterval(() => {
    if (!fs.existsSync(goOn)) return;
    clearInterval(timer);
    fs.writeSync(file, Buffer.alloc(4096));
  }, 20);`;

it("gives BPS of the calls so far, and of all of them afterwards", async () => {
  const [folder, data, done, goOn] = ["recording", "data", "done", "go-on"].map((name) => shop.path(name));
  const program = [process.execPath, "-e", PROGRAM, data!, done!, goOn!];
  const child = spawn(plimsoll, ["record", "-o", folder!, "--", ...program], { stdio: "ignore" });
  const ended = once(child, "exit");
  const writes = () => {
    const { stdout, stderr } = spawnSync(plimsoll, ["bps", folder!, "--json"], { encoding: "utf8" });
    expect(stdout, stderr).not.toBe("");
    const { bps, writtenBytes } = JSON.parse(stdout) as { bps: number; writtenBytes: number };
    expect(bps).toBeGreaterThan(0);
    return writtenBytes / 4096;
  };
  while (!existsSync(done!) && child.exitCode === null) await pause(20);
  expect(child.exitCode).toBeNull();
  expect(writes()).toBe(WRITES);
  expect(child.exitCode).toBeNull();
  writeFileSync(goOn!, "");
  expect(await ended).toEqual([0, null]);
  expect(writes()).toBe(WRITES + 1);
});
