// Threads are real ones: a program of a few tasks is bundled as the build does it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FormatError, LimitError, UsageError } from "../base/errors.ts";
import { ThreadPool, type ThreadPoolOptions } from "./thread-pool.ts";

const PROGRAM = `
import { readFileSync } from "node:fs";
import { threadId, workerData } from "node:worker_threads";
import { FormatError, LimitError, UsageError } from "./src/base/errors.ts";
import { askPool, serveTasks, tellPool } from "./src/node/thread-tasks.ts";

const tasks = {
  echo: ({ value }) => ({ value, threadId, start: workerData?.start }),
  after: ({ flag, value }) => {
    while (Atomics.load(flag, 0) === 0) Atomics.wait(flag, 0, 0, 1000);
    return { value };
  },
  raise: ({ flag }) => { Atomics.store(flag, 0, 1); Atomics.notify(flag, 0); },
  format: () => { throw new FormatError("a.log", { line: 7 }, "no number"); },
  limit: () => { throw new LimitError("a.log", {}, "too many"); },
  usage: () => { throw new UsageError("unknown option"); },
  system: () => readFileSync("/nowhere/at/all"),
  text: () => { throw "only text"; },
  function: () => () => {},
  exit: () => process.exit(3),
  crash: () => new Promise(() => setImmediate(() => { throw new Error("out of its task"); })),
  tell: async ({ times }) => { for (let i = 0; i < times; i++) tellPool({ i }); },
  ask: ({ value }) => askPool(value),
  end: () => "ended",
};
const ends = workerData?.ends;
serveTasks((task) => tasks[task.do](task), {
  ...(ends && { afterFailure: async () => { tellPool("cleaned up"); } }),
});
`;

type Task = { readonly do: string; readonly [key: string]: unknown };

const folder = mkdtempSync(join(tmpdir(), "plimsoll-pool-"));
const program = join(folder, "program.mjs");
const pools: ThreadPool<Task, unknown>[] = [];

beforeAll(async () => {
  const resolveDir = fileURLToPath(new URL("../..", import.meta.url));
  const stdin = { contents: PROGRAM, resolveDir, loader: "js" as const };
  await build({ stdin, bundle: true, format: "esm", platform: "node", outfile: program, logLevel: "silent" });
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.stop()));
  rmSync(folder, { recursive: true, force: true });
});

function start(threads: number, options: Partial<ThreadPoolOptions> = {}): ThreadPool<Task, unknown> {
  const pool = new ThreadPool<Task, unknown>({ program, threads, ...options });
  pools.push(pool);
  return pool;
}

const newFlag = () => new Int32Array(new SharedArrayBuffer(4));

it("tasks begin in the order of arrival, and each gets its own result", async () => {
  const pool = start(2, { workerData: { start: 5 } });
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, value) => pool.run({ do: "echo", value })),
  );
  expect(results).toEqual(
    results.map((_, value) => ({ value, start: 5, threadId: expect.any(Number) as number })),
  );
  expect(new Set(results.map((one) => (one as { threadId: number }).threadId)).size).toBe(2);
  const each = (await pool.runInEach({ do: "echo", value: 1 })) as { threadId: number }[];
  expect(new Set(each.map(({ threadId }) => threadId)).size).toBe(2);
});

it("a busy thread holds nobody up, and there is room when a thread has few tasks", async () => {
  const pool = start(2, { tasksPerThread: 2 });
  const flag = newFlag();
  const slow = pool.run({ do: "after", flag, value: "slow" });
  await pool.room(1);
  for (let value = 0; value < 20; value++) {
    await pool.room(1);
    expect(await pool.run({ do: "echo", value })).toMatchObject({ value });
  }
  await Promise.all([pool.run({ do: "raise", flag }), pool.idle()]);
  expect(await slow).toEqual({ value: "slow" });
});

it("a task that throws rejects with the same kind of error, and the thread goes on", async () => {
  const pool = start(1);
  const format = await pool.run({ do: "format" }).catch((error: Error) => error);
  expect(format).toBeInstanceOf(FormatError);
  expect(format).toMatchObject({ message: "a.log: line 7: no number", source: "a.log", line: 7 });
  expect((format as Error).stack).toContain("program.mjs");
  await expect(pool.run({ do: "limit" })).rejects.toBeInstanceOf(LimitError);
  await expect(pool.run({ do: "usage" })).rejects.toBeInstanceOf(UsageError);
  await expect(pool.run({ do: "system" })).rejects.toMatchObject({
    ...{ code: "ENOENT", syscall: "open", path: "/nowhere/at/all", name: "Error" },
  });
  await expect(pool.run({ do: "text" })).rejects.toThrow("only text");
  // What cannot be sent is the failure of the task too.
  await expect(pool.run({ do: "function" })).rejects.toThrow(/could not be cloned/);
  await expect(pool.run({ do: "echo", value: () => {} })).rejects.toThrow(/could not be cloned/);
  expect(await pool.run({ do: "echo", value: 1 })).toMatchObject({ value: 1 });
});

it("a thread that exits or crashes rejects its tasks and those that wait, and the pool takes no more", async () => {
  for (const [how, message] of [
    ["exit", /ended with code 3 before its work was done/],
    ["crash", /out of its task/],
  ] as const) {
    const pool = start(2);
    const flag = newFlag();
    const other = pool.run({ do: "after", flag, value: "other" });
    const tasks = [pool.run({ do: how }), pool.run({ do: "echo", value: 1 })];
    for (const task of tasks) await expect(task).rejects.toThrow(message);
    await expect(pool.run({ do: "echo", value: 2 })).rejects.toThrow(message);
    await expect(pool.room(1)).rejects.toThrow(message);
    await expect(pool.idle()).rejects.toThrow(message);
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
    // What another thread has under way is not lost.
    expect(await other).toEqual({ value: "other" });
    await expect(pool.finish({ do: "end" })).rejects.toThrow(message);
  }
});

it("a program that does not start is noticed", async () => {
  const missing = new ThreadPool<Task, unknown>({ program: join(folder, "none.mjs"), threads: 2 });
  await expect(missing.run({ do: "echo" })).rejects.toThrow(/none\.mjs/);
  await expect(missing.finish({ do: "end" })).rejects.toThrow(/none\.mjs/);
});

it("a thread tells and asks in the middle of a task", async () => {
  const told: unknown[] = [];
  const pool = start(2, {
    onMessage: (message: unknown) => told.push(message),
    onQuestion: async (value: number) => {
      if (value < 0) throw new UsageError(`${value} is below 0`);
      return value * 2;
    },
  });
  await pool.run({ do: "tell", times: 3 });
  expect(told).toEqual([{ i: 0 }, { i: 1 }, { i: 2 }]);
  expect(await Promise.all([1, 2, 3].map((value) => pool.run({ do: "ask", value })))).toEqual([2, 4, 6]);
  await expect(pool.run({ do: "ask", value: -1 })).rejects.toBeInstanceOf(UsageError);
  expect(await pool.run({ do: "ask", value: 4 })).toBe(8);
});

it("ends in order: the last task comes after all others, and all threads are gone", async () => {
  const pool = start(2);
  const flag = newFlag();
  const slow = pool.run({ do: "after", flag, value: "slow" });
  const rest = [1, 2, 3].map((value) => pool.run({ do: "echo", value }));
  const ended = pool.finish({ do: "end" });
  await Promise.all(rest);
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
  expect(await ended).toEqual(["ended", "ended"]);
  expect(await slow).toEqual({ value: "slow" });
});

it("a thread that cleans up after a failure ends with that failure; the others still end in order", async () => {
  const told: unknown[] = [];
  const pool = start(2, {
    ...{ workerData: { ends: true }, tasksPerThread: 2 },
    onMessage: (message: unknown) => told.push(message),
  });
  const failing = pool.run({ do: "usage" });
  const others = [1, 2, 3].map((value) => pool.run({ do: "echo", value }));
  await expect(failing).rejects.toThrow("unknown option");
  // The second task of the same thread is not done.
  expect((await Promise.allSettled(others)).map(({ status }) => status).sort()).toEqual([
    ...["fulfilled", "fulfilled", "rejected"],
  ]);
  await expect(pool.finish({ do: "end" })).rejects.toThrow("unknown option");
  expect(told).toEqual(["cleaned up"]);
});

it("stops at once, with the reason for tasks that are not done", async () => {
  const pool = start(2);
  const tasks = [1, 2, 3].map(() => pool.run({ do: "after", flag: newFlag() }));
  await pool.stop(new Error("enough"));
  for (const task of tasks) await expect(task).rejects.toThrow("enough");
  await expect(pool.run({ do: "echo" })).rejects.toThrow("enough");
});
