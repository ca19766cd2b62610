/** The units of examples/systemd: systemd's own check finds nothing, and what they start is understood. */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { plimsoll, prepare, root } from "./collect-kit.ts";

const UNITS = join(root, "examples", "systemd");
let work: string;
beforeAll(() => {
  prepare();
  work = mkdtempSync(join(tmpdir(), "plimsoll-units-"));
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** The units on a system of their own, on which plimsoll is installed; what the check says of them. */
function verify(name: string, change: (text: string) => string): { code: number | null; said: string } {
  const system = join(work, name);
  const folder = join(system, "etc", "systemd", "system");
  const program = join(system, "plimsoll");
  mkdirSync(folder, { recursive: true });
  copyFileSync("/bin/true", program);
  const files = readdirSync(UNITS).map((unit) => {
    const text = readFileSync(join(UNITS, unit), "utf8").replaceAll("/usr/bin/plimsoll", program);
    writeFileSync(join(folder, unit), change(text));
    return join(folder, unit);
  });
  const { error, status, stdout, stderr } = spawnSync(
    "systemd-analyze",
    ["verify", "--recursive-errors=no", "--man=no", ...files],
    {
      encoding: "utf8",
      env: { ...process.env, SYSTEMD_LOG_LEVEL: "warning", SYSTEMD_LOG_TARGET: "console" },
    },
  );
  if (error !== undefined) throw new Error(`systemd-analyze cannot run (${error.message}); install systemd`);
  return { code: status, said: stdout + stderr };
}

it("systemd finds nothing wrong with them", () => {
  expect(readdirSync(UNITS).length).toBe(3);
  expect(verify("shipped", (text) => text)).toEqual({ code: 0, said: "" });
});

it("systemd would find a name, a value or a program that is none", () => {
  for (const [name, from, to] of [
    ["name", "ProtectHome=", "ProtectHouse="],
    ["value", "*:0/10", "*:0/0/10"],
    ["value", "IOSchedulingClass=idle", "IOSchedulingClass=lazy"],
    ["program", "ExecStart=", "ExecStart=/nowhere"],
  ] as const) {
    const { code, said } = verify(name, (text) => text.replace(from, to));
    expect({ wrong: code !== 0 || said !== "" }, to).toEqual({ wrong: true });
  }
});

it("what they start takes its words", () => {
  const words = (unit: string) => {
    const text = readFileSync(join(UNITS, unit), "utf8");
    const [, line] = /^ExecStart=\/usr\/bin\/plimsoll (.*)$/m.exec(text) ?? [];
    return (line as string)
      .replaceAll(/\/(srv|var\/lib)\/plimsoll/g, work)
      .replace(":9177", ":0")
      .split(" ");
  };
  const tree = join(work, "tree", "proc", "fs", "lustre");
  mkdirSync(tree, { recursive: true });
  mkdirSync(join(work, "incoming"), { recursive: true });
  const collect = plimsoll(
    work,
    ...words("plimsoll-collect.service"),
    "--root",
    join(work, "tree"),
    "--once",
  );
  expect(collect.code, collect.err).toBe(0);
  const ingest = plimsoll(work, ...words("plimsoll-ingest.service"));
  // 2 is what a command that does not understand its words gives.
  expect([0, 3], ingest.err).toContain(ingest.code);
});
