/**
 * Stand-ins for what a log says of people, places and times, made with a key: the same name has the same stand-in under
 * the same key, and nobody without the key can find the name by trying. What stays readable: standard streams, the
 * names that the recording library gives its own records, types of file systems, the top folder of a mount point.
 */
import { createHmac } from "node:crypto";
import { decode } from "../../formats/darshan/job.ts";
import type { DarshanLog } from "../../formats/darshan/log.ts";
import type { Renaming } from "../../formats/darshan/rename.ts";

const KEPT =
  /^(<STDIN>|<STDOUT>|<STDERR>|heatmap:[A-Z]+|darshan-(apmpi|apxc)-header|APMPI|APXC|darshan-bgq-record|)$/;

/** A mount point below its top folder can name a person, a project or a job: /home/alice, /run/user/1001. */
const MOUNT_KEPT = /^\/(dev\/shm|var\/tmp|var\/opt\/cray\/dws|[^/]*)(?=\/|$)/;

/** The version of the recording library says how to read counters; other metadata are hints and notes of users. */
const VERSION = /^lib_ver=\d[\w.+-]{0,31}$/;

/** A job seems to run 2.1 to 4.3 years earlier: far enough that its time is of no use to find it, and not before 1970. */
const EARLIER_SECONDS_MIN = 2 ** 26;
const EARLIER_SECONDS_SPREAD = 2 ** 26;

export function obfuscation(log: DarshanLog, key: string): Renaming {
  const digest = (purpose: string, text: string | Uint8Array) =>
    createHmac("sha256", key).update(`${purpose}\0`).update(text).digest();
  const part = (text: string) => digest("name", text).toString("hex", 0, 8);
  const encode = (text: string) => new TextEncoder().encode(text);
  const label = (prefix: string, bytes: number) => (text: Uint8Array) =>
    text.length === 0 ? text : encode(`${prefix}-${digest(prefix, text).toString("hex", 0, bytes)}`);
  // Raw bytes as Latin-1 text, so that names that are not UTF-8 have stand-ins of their own.
  const latin = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
  const raw = (text: string) => Uint8Array.from(Buffer.from(text, "latin1"));
  const parts = (text: string) => text.replace(/[^/]+/g, part);
  const mountPoint = (path: string) => {
    const kept = MOUNT_KEPT.exec(path)?.[0] ?? "";
    return kept + parts(path.slice(kept.length));
  };
  const path = (name: string) => {
    const mount = log.job.mountOf(Buffer.from(name, "latin1"));
    const prefix = mount === undefined ? "" : latin(mount.pathBytes);
    return mountPoint(prefix) + parts(name.slice(prefix.length));
  };
  const time = digest("time", "");
  return {
    name(bytes) {
      const name = latin(bytes);
      if (KEPT.test(name)) return bytes;
      // Datasets and variables: the path of the file, a colon, their own name.
      const colon = name.startsWith("/") ? name.indexOf(":") : -1;
      return raw(colon < 0 ? path(name) : `${path(name.slice(0, colon))}:${part(name.slice(colon + 1))}`);
    },
    id: (id) => digest("id", id.toString()).readBigUInt64LE(0),
    host: label("host", 6),
    pool: label("pool", 5),
    // A user id stays below 2^31 and a job id below 2^48, so that tools that expect such numbers are content.
    uid: (uid) => BigInt(digest("uid", uid.toString()).readUInt32LE(0) >>> 1),
    jobId: (jobId) => BigInt(digest("job", jobId.toString()).readUIntLE(0, 6)),
    mount: (bytes) => raw(mountPoint(latin(bytes))),
    metadata: (bytes) =>
      encode(
        decode(bytes)
          .split("\n")
          .filter((line) => VERSION.test(line))
          .map((line) => `${line}\n`)
          .join(""),
      ),
    identifier: (bytes) => digest("identifier", bytes).subarray(0, bytes.length),
    place: (places) =>
      places.map((_, i) => BigInt(digest("place", places.slice(0, i + 1).join(" ")).readUInt32LE(0) >>> 1)),
    commandLine(bytes) {
      const program = latin(bytes).trim().split(/\s+/)[0] ?? "";
      return program === "" ? bytes : encode(`app-${digest("program", program).toString("hex", 0, 6)}`);
    },
    earlierNs:
      BigInt(EARLIER_SECONDS_MIN + (time.readUInt32LE(0) % EARLIER_SECONDS_SPREAD)) * 1_000_000_000n +
      BigInt(time.readUInt32LE(4) % 1_000_000_000),
  };
}
