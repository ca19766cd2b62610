/** Logs whose bytes are broken. */
import { NEW_LAYOUT } from "../../formats/darshan/header.ts";
import { type ModuleSpec, posix, stdio } from "../../formats/darshan/modules/index.ts";
import { type Recipe, SOUND, SOUND_READ, SOUND_WRITTEN, soundLog } from "./plan.ts";

/** Where the header keeps offset and length of a module's region. */
function entryAt({ slots }: ModuleSpec): number {
  return NEW_LAYOUT.modulesAt + 16 * slots[2];
}

/** A copy that `change` has been at. */
function changed(bytes: Uint8Array, change: (view: DataView, bytes: Uint8Array) => void): Uint8Array {
  const copy = bytes.slice();
  change(new DataView(copy.buffer), copy);
  return copy;
}

export const BROKEN: readonly Recipe[] = [
  {
    name: "truncated.darshan",
    about: "the file ends in the middle of its last region",
    outcome: "refused",
    reason: "STDIO region",
    make: (encoders) => soundLog({}, encoders).slice(0, -20),
  },
  {
    name: "truncated-header.darshan",
    about: "the file ends in the header",
    outcome: "refused",
    reason: "header",
    make: (encoders) => soundLog({}, encoders).slice(0, 700),
  },
  {
    name: "empty.darshan",
    about: "a file of 0 bytes",
    outcome: "refused",
    reason: "empty",
    make: () => new Uint8Array(0),
  },
  {
    name: "not-a-log.darshan",
    about: "text under the name of a log",
    outcome: "refused",
    reason: "",
    make: () =>
      new TextEncoder().encode(
        "slurmstepd: error: *** JOB 777001 CANCELLED DUE TO TIME LIMIT ***\n".repeat(40),
      ),
  },
  {
    name: "bad-magic.darshan",
    about: "the magic number is wrong",
    outcome: "refused",
    reason: "",
    make: (encoders) => changed(soundLog({}, encoders), (view) => view.setUint32(8, 0x12345678, true)),
  },
  {
    name: "zlib-error.darshan",
    about: "the compressed bytes of the POSIX region are damaged",
    outcome: "refused",
    reason: "POSIX region",
    make: (encoders) =>
      changed(soundLog({}, encoders), (view, bytes) => {
        const start = Number(view.getBigUint64(entryAt(posix), true));
        bytes.fill(0xff, start + 4, start + 24);
      }),
  },
  {
    name: "unknown-module.darshan",
    about: "an unknown module, in slot 40",
    outcome: "read",
    ...SOUND,
    make: (encoders) => soundLog({ unknownSlot: 40 }, encoders),
  },
  {
    name: "newer-module-version.darshan",
    about: "STDIO records of version 99",
    outcome: "read in part",
    reason: "STDIO records have version 99",
    files: 1,
    bytesRead: BigInt(SOUND_READ),
    bytesWritten: BigInt(SOUND_WRITTEN),
    make: (encoders) =>
      changed(soundLog({}, encoders), (view) =>
        view.setUint32(NEW_LAYOUT.versionsAt + 4 * stdio.slots[2], 99, true),
      ),
  },
  {
    name: "zero-length-region.darshan",
    about: "the STDIO region has an offset but no bytes",
    outcome: "read",
    files: 1,
    bytesRead: BigInt(SOUND_READ),
    bytesWritten: BigInt(SOUND_WRITTEN),
    make: (encoders) =>
      changed(soundLog({}, encoders), (view) => view.setBigUint64(entryAt(stdio) + 8, 0n, true)),
  },
];
