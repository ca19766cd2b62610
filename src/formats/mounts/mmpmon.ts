/**
 * `mmpmon -p` of IBM Storage Scale, request `fs_io_s`: a line of keys and values for each mounted file system.
 *
 *     _fs_io_s_ _n_ 10.0.0.7 _nn_ n7 _rc_ 0 _t_ 1700000000 _tu_ 12 _cl_ c1 _fs_ gpfs1 _d_ 2
 *       _br_ bytes read _bw_ bytes written _oc_ opens _cc_ closes _rdc_ reads _wc_ writes _dir_ directory reads _iu_ inode updates
 *
 * Counters begin at 0 when the file system is mounted, and after the request `reset`.
 */
import { FormatError } from "../../base/errors.ts";
import type { MountReading } from "./mount-counters.ts";

const COLUMNS: Readonly<Record<string, string>> = {
  _br_: "bytes_read",
  _bw_: "bytes_written",
  _oc_: "opens",
  _cc_: "closes",
  _rdc_: "reads",
  _wc_: "writes",
  _iu_: "inode_updates",
};
const METADATA = ["_oc_", "_cc_", "_dir_"];

/** Throws FormatError where a line lacks a counter. A file system that answers with an error code has none. */
export function readMmpmon(text: string, name: string): MountReading[] {
  const found: MountReading[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (!line.startsWith("_fs_io_s_ ")) continue;
    const fields = pairs(line);
    if (fields.get("_rc_") !== "0" || fields.get("_fs_") === undefined) continue;
    const value = (key: string): bigint => {
      const word = fields.get(key);
      if (word === undefined || !/^\d{1,20}$/.test(word))
        throw new FormatError(
          name,
          { line: index + 1 },
          `${key}: expected a number, found ${word ?? "nothing"}`,
        );
      return BigInt(word);
    };
    const counts = new Map(Object.entries(COLUMNS).map(([key, column]) => [column, value(key)]));
    counts.set(
      "metadata_calls",
      METADATA.reduce((sum, key) => sum + value(key), 0n),
    );
    const fileSystem = fields.get("_fs_") as string;
    found.push({ kind: "gpfs", fileSystem, mount: null, ageSeconds: undefined, counts });
  }
  return found;
}

/** `_key_ value` over and over, behind the name of the request. */
function pairs(line: string): Map<string, string> {
  const words = line.trim().split(/\s+/).slice(1);
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < words.length; at += 2) fields.set(words[at] as string, words[at + 1] as string);
  return fields;
}
