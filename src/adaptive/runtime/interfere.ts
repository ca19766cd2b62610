/** Writers that load storage targets continuously: the artificial interference of the adaptive I/O paper. */
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { namedError, UsageError } from "../../base/errors.ts";
import type { Listener } from "../../base/listener.ts";

const POLL_MS = 100;

interface Interference {
  readonly folders: readonly string[];
  /** Concurrent writers per folder. */
  readonly streams: number;
  /** Stops after this time, or after this many bytes in total. */
  readonly seconds: number;
  readonly bytes?: number | undefined;
  /** Size of each stream's file, rewritten in a loop, and of one write. */
  readonly fileBytes: number;
  readonly blockBytes: number;
  /** Make data durable at the end of each file. */
  readonly sync: boolean;
}

interface Interfered {
  readonly bytes: number;
  readonly seconds: number;
  readonly streams: number;
  readonly perTarget: readonly { readonly target: string; readonly bytes: number }[];
}

/** Loads the folders, removes its files, and returns the bytes written to each. */
export async function interfere(load: Interference, listener: Listener): Promise<Interfered> {
  for (const folder of load.folders)
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`${folder}: not a folder; name a folder on the target to load`);
  const streams = load.folders.flatMap((folder, target) =>
    Array.from({ length: load.streams }, (_, stream) => ({
      target,
      path: join(folder, `.plimsoll-interfere-${process.pid}-${stream}`),
    })),
  );
  // Eight bytes per stream: its bytes written. One more is the stop flag.
  const shared = new BigInt64Array(new SharedArrayBuffer(8 * (streams.length + 1)));
  const began = performance.now();
  const partials = streams.map(({ path }) => listener.partialOutput?.(path));
  const setting = {
    buffer: shared.buffer,
    fileBytes: load.fileBytes,
    blockBytes: Math.min(load.blockBytes, load.fileBytes),
    sync: load.sync,
  };
  const threads = streams.map(({ path }, index) => startStream(path, index, setting));
  try {
    await untilEnough(shared, load, began, threads, listener);
  } finally {
    Atomics.store(shared, streams.length, 1n);
    await Promise.allSettled(threads.map(({ ended }) => ended));
    for (const { path } of streams) rmSync(path, { force: true });
  }
  throwFailure(threads);
  for (const partial of partials) partial?.done();
  const seconds = (performance.now() - began) / 1000;
  const perTarget = load.folders.map((target, at) => ({
    target,
    bytes: streams.reduce((sum, one, i) => (one.target === at ? sum + Number(shared[i]) : sum), 0),
  }));
  const bytes = perTarget.reduce((sum, one) => sum + one.bytes, 0);
  return { bytes, seconds, streams: load.streams, perTarget };
}

function throwFailure(threads: readonly Stream[]): void {
  const failed = threads.find(({ failure }) => failure !== undefined)?.failure;
  if (failed !== undefined) throw failed;
}

interface Stream {
  readonly ended: Promise<void>;
  failure: Error | undefined;
}

interface StreamSetting {
  readonly buffer: ArrayBufferLike;
  readonly fileBytes: number;
  readonly blockBytes: number;
  readonly sync: boolean;
}

/** A thread that writes one file from start to end in a loop, until the stop flag is set. */
const STREAM = `
const { workerData: { path, index, buffer, fileBytes, blockBytes, sync } } = require("node:worker_threads");
const fs = require("node:fs");
const done = new BigInt64Array(buffer);
const stop = done.length - 1;
const block = Buffer.alloc(blockBytes, index + 1);
const file = fs.openSync(path, "w");
try {
  do {
    // At least one block, also when the time was over before this thread ran.
    for (let at = 0; at < fileBytes && (at === 0 || Atomics.load(done, stop) === 0n); ) {
      const written = fs.writeSync(file, block, 0, Math.min(blockBytes, fileBytes - at), at);
      at += written;
      Atomics.add(done, index, BigInt(written));
    }
    if (sync) fs.fdatasyncSync(file);
  } while (Atomics.load(done, stop) === 0n);
} finally {
  fs.closeSync(file);
}
`;

function startStream(path: string, index: number, setting: StreamSetting): Stream {
  const worker = new Worker(STREAM, { eval: true, workerData: { path, index, ...setting } });
  const stream: Stream = {
    failure: undefined,
    ended: new Promise((resolve) => {
      worker.on("error", (error) => {
        stream.failure = namedError(error, path) as Error;
        resolve();
      });
      worker.on("exit", () => resolve());
    }),
  };
  return stream;
}

async function untilEnough(
  shared: BigInt64Array,
  { seconds, bytes = Number.POSITIVE_INFINITY }: Interference,
  began: number,
  threads: readonly Stream[],
  listener: Listener,
): Promise<void> {
  const { signal } = listener;
  const progress = listener.progress?.({ label: "loading", unit: "bytes" });
  const total = () => threads.reduce((sum, _, i) => sum + Number(Atomics.load(shared, i)), 0);
  while (!signal?.aborted && performance.now() - began < seconds * 1000 && total() < bytes) {
    throwFailure(threads);
    progress?.update(total());
    const left = seconds * 1000 - (performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, Math.min(POLL_MS, left))));
  }
  progress?.end();
}
