/**
 * /proc/self/mountstats: a line for each mount, and behind those of NFS what its client counted. The kernel writes it in
 * nfs_show_stats (fs/nfs/super.c) and rpc_clnt_show_stats (net/sunrpc/stats.c).
 *
 *     device 10.0.0.5:/home mounted on /home with fstype nfs4 statvers=1.1
 *             age:    86400
 *             bytes:  (8 numbers)      normal read, written; direct read, written; server read, written; pages read, written
 *             events: (27 numbers)     what programs asked for; the fifth is opens, the eighteenth is closes
 *             per-op statistics
 *                     READ: 8 or 9 numbers   requests, sent, timed out, bytes sent, bytes received, ms in queue, ms of round trips, ms in all, errors
 */
import { FormatError } from "../../base/errors.ts";
import type { MountReading } from "./mount-counters.ts";

/** Types of file systems whose lines are of use: those of NFS with all that follows, of others where they are mounted. */
const DEVICE = /^device (\S+) mounted on (\S+) with fstype (nfs|nfs4|gpfs|lustre)(?: statvers=(\S+))?$/;
const ANY_DEVICE = /^(?:device \S+|no device) mounted on /;

/** Requests on names and attributes; reads, writes, commits, locks and what keeps a session alive are none. */
const METADATA = new Set(
  `OPEN OPEN_NOATTR CLOSE GETATTR SETATTR LOOKUP LOOKUP_ROOT LOOKUPP ACCESS READLINK CREATE MKDIR SYMLINK MKNOD REMOVE RMDIR
   RENAME LINK READDIR READDIRPLUS STATFS FSSTAT FSINFO PATHCONF GETACL SETACL GETXATTR SETXATTR LISTXATTRS REMOVEXATTR`.split(
    /\s+/,
  ),
);

/** Lines of mounts that count here; the rest names folders of users and pseudo file systems, and says nothing of I/O. */
export function sharedMounts(text: string): string {
  const kept: string[] = [];
  let inside = false;
  for (const line of text.split("\n")) {
    if (ANY_DEVICE.test(line)) {
      const type = DEVICE.exec(line)?.[3];
      if (type !== undefined) kept.push(line);
      inside = type === "nfs" || type === "nfs4";
    } else if (inside && line !== "") kept.push(line);
  }
  return kept.length === 0 ? "" : `${kept.join("\n")}\n`;
}

interface Section {
  readonly device: string;
  readonly mount: string;
  readonly type: string;
  readonly firstLine: number;
  readonly lines: string[];
}

interface MountStats {
  readonly nfs: readonly MountReading[];
  /** Where file systems of other types are mounted. */
  readonly others: readonly { readonly device: string; readonly mount: string; readonly type: string }[];
}

/** Throws FormatError where a line is none of the kernel's. */
export function readMountStats(text: string, name: string): MountStats {
  const sections: Section[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const found = DEVICE.exec(line);
    if (found !== null) {
      const [, device = "", mount = "", type = ""] = found;
      sections.push({
        ...{ device: unescaped(device), mount: unescaped(mount), type },
        ...{ firstLine: index + 1, lines: [] },
      });
    } else if (ANY_DEVICE.test(line)) sections.push(ignored(index));
    else if (line.trim() !== "") {
      const section = sections.at(-1);
      if (section === undefined)
        throw new FormatError(name, { line: index + 1 }, 'expected "device … mounted on … with fstype …"');
      section.lines.push(line);
    }
  }
  const nfs = sections.filter(({ type }) => type === "nfs" || type === "nfs4");
  return {
    nfs: distinct(nfs).map((section) => nfsReading(section, name)),
    others: sections.filter(({ type }) => type === "gpfs" || type === "lustre"),
  };
}

const ignored = (index: number): Section => ({
  ...{ device: "", mount: "", type: "", firstLine: index + 1, lines: [] },
});

/** The kernel writes space, tab, newline and backslash of a path as three octal digits. */
const unescaped = (text: string) =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

/**
 * A bind mount shows the counters of the mount that it is a part of once more, and so does a second folder of the same
 * export: the same device, or the same server and the same numbers.
 */
function distinct(sections: readonly Section[]): Section[] {
  const seen = new Set<string>();
  return sections.filter(({ device, lines }) => {
    const host = device.slice(0, device.lastIndexOf(":/") + 1);
    const numbers = lines.filter((line) => /^\s*(age|bytes|events):/.test(line)).join("\n");
    const keys = [device, `${host}\n${numbers}`];
    const isNew = !keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    return isNew;
  });
}

function nfsReading({ device, mount, lines, firstLine }: Section, name: string): MountReading {
  const fault = (at: number, detail: string) => new FormatError(name, { line: firstLine + at }, detail);
  const counts = new Map<string, bigint>();
  const add = (column: string, value: bigint) => counts.set(column, (counts.get(column) ?? 0n) + value);
  let ageSeconds: bigint | undefined;
  let inOperations = false;
  for (const [index, line] of lines.entries()) {
    const [, word = "", rest = ""] = /^\s*([A-Za-z_0-9-]+):?\s*(.*)$/.exec(line) ?? [];
    if (word === "per-op") inOperations = true;
    else if (inOperations) {
      const values = numbers(rest);
      if (values === undefined || values.length < 8)
        throw fault(index + 1, `${word}: expected 8 or 9 numbers, found: ${rest.slice(0, 80)}`);
      addOperation(word, values, add);
    } else if (word === "age") ageSeconds = numbers(rest)?.[0];
    else if (word === "bytes") {
      const values = numbers(rest);
      if (values === undefined || values.length < 6) throw fault(index + 1, "bytes: expected 8 numbers");
      const [read = 0n, written = 0n, directRead = 0n, directWritten = 0n, fromServer = 0n, toServer = 0n] =
        values;
      add("bytes_read", read + directRead);
      add("bytes_written", written + directWritten);
      add("server_bytes_read", fromServer);
      add("server_bytes_written", toServer);
    } else if (word === "events") {
      const values = numbers(rest);
      if (values === undefined || values.length < 18) throw fault(index + 1, "events: expected 27 numbers");
      add("opens", values[4] as bigint);
      add("closes", values[17] as bigint);
    }
  }
  return { kind: "nfs", fileSystem: device, mount, ageSeconds, counts };
}

const MS = 1000n;

function addOperation(
  operation: string,
  values: readonly bigint[],
  add: (column: string, value: bigint) => void,
): void {
  const [requests = 0n, sent = 0n, timeouts = 0n, , , queueMs = 0n, roundTripMs = 0n, allMs = 0n] = values;
  if (operation === "READ") {
    add("reads", requests);
    add("read_usecs", allMs * MS);
  } else if (operation === "WRITE") {
    add("writes", requests);
    add("write_usecs", allMs * MS);
  } else if (METADATA.has(operation)) add("metadata_calls", requests);
  // A request that is still on its way may be counted on one side only.
  add("retransmits", sent > requests ? sent - requests : 0n);
  add("timeouts", timeouts);
  add("queue_usecs", queueMs * MS);
  add("round_trip_usecs", roundTripMs * MS);
}

function numbers(text: string): bigint[] | undefined {
  const words = text.trim().split(/\s+/);
  return words.every((word) => /^\d{1,20}$/.test(word)) ? words.map(BigInt) : undefined;
}
