import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ChildProgram, exitOf } from "./child-program.ts";
import { isAlive, ticksOf } from "./processes.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-child-"));
const program = join(folder, "program.mjs");
const children: ChildProgram[] = [];

beforeAll(() => {
  writeFileSync(
    program,
    `
process.on("message", (message) => {
  if (message.kind === "echo") process.send(message.bytes);
  else if (message.kind === "stubborn") { process.on("SIGTERM", () => {}); process.send("ready"); }
  else if (message.kind === "fail") { process.stderr.write("first line\\nlast line\\n", () => process.exit(7)); }
  else for (let i = 0; i < message.times; i++) process.send(i, i + 1 === message.times ? () => process.exit() : undefined);
});
process.send(process.argv.slice(2));
`,
  );
});
afterAll(async () => {
  await Promise.all(children.map((child) => child.kill()));
  rmSync(folder, { recursive: true, force: true });
});

function start(options?: ConstructorParameters<typeof ChildProgram>[1]): ChildProgram {
  const child = new ChildProgram(program, options);
  children.push(child);
  return child;
}

const next = (child: ChildProgram) =>
  new Promise<unknown>((resolve) => child.process.once("message", resolve));

it("gets its words and messages with bytes", async () => {
  const child = start({ args: ["one", "two"] });
  expect(await next(child)).toEqual(["one", "two"]);
  child.tell({ kind: "echo", bytes: Uint8Array.of(1, 2) });
  expect(await next(child)).toEqual(Uint8Array.of(1, 2));
  await child.kill();
  expect(child.how).toBe("SIGKILL");
  // Nobody hears it, and nothing fails.
  child.tell({ kind: "echo" });
  await child.gone;
  await child.kill();
  await child.end(10);
});

it("tells how it ended, and what it printed last", async () => {
  const child = start();
  child.tell({ kind: "fail" });
  await child.gone;
  expect([child.how, child.lastLine]).toEqual(["ended with code 7", "last line"]);
});

it("prints into a file that is given", async () => {
  const log = openSync(join(folder, "log"), "w");
  const child = start({ stderr: log });
  closeSync(log);
  child.tell({ kind: "fail" });
  await child.gone;
  expect(readFileSync(join(folder, "log"), "utf8")).toBe("first line\nlast line\n");
  expect(child.lastLine).toBe("");
});

it("is gone when all that it said has been heard", async () => {
  const child = start();
  await next(child);
  let heard = 0;
  child.process.on("message", () => heard++);
  child.tell({ kind: "many", times: 3000 });
  await child.gone;
  expect([heard, child.how]).toEqual([3000, "ended with code 0"]);
});

it("ends when it is asked to, or is killed after a while", async () => {
  const [obedient, stubborn] = [start(), start()];
  await Promise.all([next(obedient), next(stubborn)]);
  stubborn.tell({ kind: "stubborn" });
  await next(stubborn);
  await Promise.all([obedient.end(60_000), stubborn.end(50)]);
  expect([obedient.how, stubborn.how]).toEqual(["SIGTERM", "SIGKILL"]);
});

it("lets it go on alone", async () => {
  const child = start({ detached: true });
  await next(child);
  const pid = child.process.pid as number;
  const id = { pid, ticks: ticksOf(pid) };
  child.letGo();
  expect(isAlive(id)).toBe(true);
  await child.kill();
  expect(isAlive(id)).toBe(false);
});

it("says why it could not be started", async () => {
  const child = start({ execPath: join(folder, "no-node") });
  await child.gone;
  expect(child.startError?.message).toMatch(/ENOENT/);
  expect(child.how).toBe(child.startError?.message);
  child.tell({ kind: "echo" });
  await child.kill();
});

it("waits for an exit, asks for one when told to, and says when there was no start", async () => {
  expect(await exitOf(spawn("sh", ["-c", "exit 3"]))).toEqual({ code: 3, signal: null });
  const stop = new AbortController();
  const exit = exitOf(spawn("sleep", ["60"]), stop.signal);
  stop.abort();
  expect(await exit).toEqual({ code: null, signal: "SIGTERM" });
  await expect(exitOf(spawn(join(folder, "nothing")))).rejects.toThrow("ENOENT");
});
