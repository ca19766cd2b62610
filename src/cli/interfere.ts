/** `plimsoll interfere`: the artificial interference of the adaptive I/O paper, bounded in bytes and time. */
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { namedError, UsageError } from "../base/errors.ts";
import { formatBytes, formatMany, formatRate, formatSeconds } from "../base/units.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";

const FILE_BYTES = 1 << 30;
const POLL_MS = 100;

export default defineCommand({
  name: "interfere",
  description:
    "Writes files of --file-bytes to each target in a loop, with several concurrent streams, like the external interference of the adaptive I/O paper: three streams of 1 GiB each on eight targets. Stops after --seconds or --bytes, whichever comes first, or on Ctrl-C, and removes its files. Run it next to plimsoll write to see the effect of a loaded target. Needs streams × file-bytes of free space on each target.",
  arguments: [{ name: "target", help: "a folder on the target to load", variadic: true, kind: "file" }],
  options: {
    streams: {
      kind: "number",
      integer: true,
      min: 1,
      max: 64,
      default: 3,
      help: "concurrent writers per target",
    },
    seconds: { kind: "number", min: 0.1, max: 86_400, default: 60, help: "stop after this time" },
    bytes: { kind: "bytes", min: 1, help: "stop after this many bytes in total" },
    "file-bytes": {
      kind: "bytes",
      min: 4096,
      default: FILE_BYTES,
      help: "file size of each stream, overwritten in a loop",
    },
    "block-bytes": { kind: "bytes", min: 1, max: 2 ** 30, default: 1 << 20, help: "size of one write" },
    sync: {
      kind: "boolean",
      default: true,
      help: "no fsync at the end of each file",
    },
  },
  examples: [
    { command: "plimsoll interfere --seconds 30 /ost0 /ost1", does: "three writers on each of two targets" },
    { command: "plimsoll interfere --streams 1 --bytes 10G /ost0", does: "one writer, ten GiB at most" },
  ],
  async run({ arguments: folders, options }, context) {
    for (const folder of folders) {
      if (!existsSync(folder) || !statSync(folder).isDirectory())
        throw new UsageError(`${folder}: not a folder; name a folder on the target to load`);
    }
    const streams = folders.flatMap((folder, target) =>
      Array.from({ length: options.streams }, (_, stream) => ({
        target,
        path: join(folder, `.plimsoll-interfere-${process.pid}-${stream}`),
      })),
    );
    // Eight bytes a stream: how much it has written. One more tells all to stop.
    const shared = new BigInt64Array(new SharedArrayBuffer(8 * (streams.length + 1)));
    const began = performance.now();
    const partials = streams.map(({ path }) => context.partialOutput(path));
    const setting = {
      buffer: shared.buffer,
      fileBytes: options.fileBytes,
      blockBytes: Math.min(options.blockBytes, options.fileBytes),
      sync: options.sync,
    };
    const threads = streams.map(({ path }, index) => startStream(path, index, setting));
    try {
      await untilEnough(shared, { ...options, began }, threads, context);
    } finally {
      Atomics.store(shared, streams.length, 1n);
      await Promise.allSettled(threads.map(({ ended }) => ended));
      for (const { path } of streams) rmSync(path, { force: true });
    }
    for (const partial of partials) partial.done();
    const seconds = (performance.now() - began) / 1000;
    const perTarget = folders.map((folder, target) => ({
      target: folder,
      bytes: streams.reduce((sum, one, i) => (one.target === target ? sum + Number(shared[i]) : sum), 0),
    }));
    report(perTarget, seconds, options.streams, context);
  },
});

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

/** A thread that writes one file from its start to its end, again and again, until it is told to stop. */
const STREAM = `
const { workerData: { path, index, buffer, fileBytes, blockBytes, sync } } = require("node:worker_threads");
const fs = require("node:fs");
const done = new BigInt64Array(buffer);
const stop = done.length - 1;
const block = Buffer.alloc(blockBytes, index + 1);
const file = fs.openSync(path, "w");
try {
  while (Atomics.load(done, stop) === 0n) {
    for (let at = 0; at < fileBytes && Atomics.load(done, stop) === 0n; ) {
      const written = fs.writeSync(file, block, 0, Math.min(blockBytes, fileBytes - at), at);
      at += written;
      Atomics.add(done, index, BigInt(written));
    }
    if (sync) fs.fdatasyncSync(file);
  }
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
  { seconds, bytes, began }: { seconds: number; bytes?: number | undefined; began: number },
  threads: readonly Stream[],
  context: Context,
): Promise<void> {
  const progress = context.progress({ label: "loading", unit: "bytes" });
  const { signal } = context;
  const total = () => threads.reduce((sum, _, i) => sum + Number(Atomics.load(shared, i)), 0);
  while (
    !signal.aborted &&
    performance.now() - began < seconds * 1000 &&
    total() < (bytes ?? Number.POSITIVE_INFINITY)
  ) {
    const failed = threads.find(({ failure }) => failure !== undefined)?.failure;
    if (failed !== undefined) throw failed;
    progress.update(total());
    const left = seconds * 1000 - (performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, Math.min(POLL_MS, left))));
  }
  progress.end();
}

function report(
  perTarget: readonly { readonly target: string; readonly bytes: number }[],
  seconds: number,
  streams: number,
  context: Context,
): void {
  const bytes = perTarget.reduce((sum, one) => sum + one.bytes, 0);
  if (context.json) {
    context.printJson({ bytes, seconds, streams, perTarget });
    return;
  }
  for (const { target, bytes: written } of perTarget)
    context.out.write(`${target}: ${formatBytes(written)}, ${formatRate(written / seconds)}\n`);
  context.out.write(
    `${formatBytes(bytes)} in ${formatSeconds(seconds)} by ${formatMany(streams * perTarget.length, "stream")}; files removed\n`,
  );
}
