/** `plimsoll interfere`: the artificial interference of the adaptive I/O paper, bounded in bytes and time. */
import { existsSync, statSync } from "node:fs";
import { interfere } from "../adaptive/runtime/index.ts";
import { UsageError } from "../base/errors.ts";
import { formatBytes, formatMany, formatRate, formatSeconds } from "../base/units.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { option } from "./option.ts";

const FILE_BYTES = 1 << 30;

export default defineCommand({
  name: "interfere",
  description:
    "Writes files of --file-bytes to each target in a loop, with several concurrent streams, like the external interference of the adaptive I/O paper: three streams of 1 GiB each on eight targets. Stops after --seconds or --bytes, whichever comes first, or on Ctrl-C, and removes its files. Run it next to plimsoll write to see the effect of a loaded target. Needs streams × file-bytes of free space on each target.",
  arguments: [{ name: "target", help: "a folder on the target to load", variadic: true, kind: "file" }],
  options: {
    streams: option.whole("concurrent writers per target", { min: 1, max: 64, default: 3 }),
    seconds: option.number("stop after this time", { min: 0.1, max: 86_400, default: 60 }),
    bytes: option.bytes("stop after this many bytes in total", { min: 1 }),
    "file-bytes": option.bytes("file size of each stream, overwritten in a loop", {
      min: 4096,
      default: FILE_BYTES,
    }),
    "block-bytes": option.bytes("size of one write", { min: 1, max: 2 ** 30, default: 1 << 20 }),
    sync: option.flag("no fsync at the end of each file", { default: true }),
  },
  examples: {
    "plimsoll interfere --seconds 30 /ost0 /ost1": "three writers on each of two targets",
    "plimsoll interfere --streams 1 --bytes 10G /ost0": "one writer, max 10 GiB",
  },
  async run({ arguments: folders, options }, context) {
    for (const folder of folders) {
      if (!existsSync(folder) || !statSync(folder).isDirectory())
        throw new UsageError(`${folder}: not a folder; name a folder on the target to load`);
    }
    const done = await interfere({ ...options, folders }, context);
    const perTarget = folders.map((target, i) => ({ target, bytes: done.bytesPerFolder[i] as number }));
    report(perTarget, done.seconds, options.streams, context);
  },
});

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
