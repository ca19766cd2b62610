/** `plimsoll interfere`: the artificial interference of the adaptive I/O paper, bounded in bytes and time. */
import { interfere } from "../adaptive/runtime/index.ts";
import { formatBytes, formatMany, formatRate, formatSeconds } from "../base/units.ts";
import { defineCommand } from "./command.ts";
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
    const done = await interfere({ ...options, folders }, context);
    if (context.json) {
      context.printJson(done);
      return;
    }
    const { bytes, seconds, streams, perTarget } = done;
    for (const { target, bytes: written } of perTarget)
      context.out.write(`${target}: ${formatBytes(written)}, ${formatRate(written / seconds)}\n`);
    context.out.write(
      `${formatBytes(bytes)} in ${formatSeconds(seconds)} by ${formatMany(streams * perTarget.length, "stream")}; files removed\n`,
    );
  },
});
