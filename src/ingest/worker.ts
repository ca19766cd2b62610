/** A thread of an ingest: reads inputs, writes batches of its own. */
import { parentPort, workerData } from "node:worker_threads";
import { type Batch, Store } from "../store/index.ts";
import { KnownHashes } from "./known.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";
import { InputReader } from "./reader.ts";
import type { Found } from "./walk.ts";

const start = workerData as WorkerStart;
const say = (message: FromWorker) => parentPort?.postMessage(message);

const reader = new InputReader(
  new KnownHashes(start.stored),
  new KnownHashes(start.damaged),
  start.nowUnixSeconds,
);
const store = await Store.open(start.store, { threads: 1, memoryBytes: start.memoryBytes });
let batch: Batch | undefined;
let inBatch = 0;

async function flush(): Promise<void> {
  if (reader.rows === 0) return;
  batch ??= store.beginBatch({ writer: "ingest" });
  await reader.flush(batch);
}

async function commit(): Promise<void> {
  await flush();
  await batch?.commit();
  batch = undefined;
  inBatch = 0;
}

async function read(inputs: readonly Found[]): Promise<void> {
  const done = { stored: 0, known: 0, foreign: 0, bytes: 0 };
  const skipped: { path: string; reason: string }[] = [];
  for (const input of inputs) {
    const outcome = reader.read(input);
    done.bytes += outcome.bytes;
    if (outcome.status === "skipped") skipped.push({ path: input.path, reason: outcome.reason });
    else done[outcome.status]++;
    inBatch++;
    if (reader.rows >= start.rowsMax) await flush();
  }
  if (inBatch >= start.batchInputs) await commit();
  say({ kind: "done", read: inputs.length, ...done, skipped });
}

/** Messages one after the other; a batch is not to be used twice at once. */
let queue: Promise<void> = Promise.resolve();
parentPort?.on("message", (message: ToWorker) => {
  queue = queue.then(async () => {
    try {
      if (message.kind === "read") await read(message.inputs);
      else {
        await commit();
        await store.close();
        say({ kind: "ended" });
        parentPort?.close();
      }
    } catch (error) {
      const { message: text, name, code, errno, syscall, path, stack } = error as NodeJS.ErrnoException;
      await batch?.abort().catch(() => {});
      await store.close().catch(() => {});
      const facts: Record<string, string | number> = {};
      for (const [key, value] of Object.entries({ name, code, errno, syscall, path, stack }))
        if (value !== undefined) facts[key] = value;
      say({ kind: "failed", message: text, facts });
      parentPort?.close();
    }
  });
});
say({ kind: "ready" });
