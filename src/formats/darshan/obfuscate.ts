/**
 * Stand-ins for what a log says of people, places and times, made with a key: the same name has the same stand-in under
 * the same key, and nobody without the key can find the name by trying. What stays readable: standard streams, the
 * names that the recording library gives its own records, types of file systems, the top folder of a mount point.
 */
import { hexText, hmacSha256 } from "../../base/sha256.ts";
import { decode, type Job } from "./job.ts";
import type { Renaming } from "./rename.ts";

const KEPT =
  /^(<STDIN>|<STDOUT>|<STDERR>|heatmap:[A-Z]+|darshan-(apmpi|apxc)-header|APMPI|APXC|darshan-bgq-record|)$/;

/** A mount point below its top folder can name a person, a project or a job: /home/alice, /run/user/1001. */
const MOUNT_KEPT = /^\/(dev\/shm|var\/tmp|var\/opt\/cray\/dws|[^/]*)(?=\/|$)/;

/** The version of the recording library says how to read counters; other metadata are hints and notes of users. */
const VERSION = /^lib_ver=\d[\w.+-]{0,31}$/;

/** A job seems to run 2.1 to 4.3 years earlier: far enough that its time is of no use to find it, and not before 1970. */
const EARLIER_SECONDS_MIN = 2 ** 26;
const EARLIER_SECONDS_SPREAD = 2 ** 26;

/** `job` knows the mount points. */
export function obfuscation(job: Job, key: string): Renaming {
  const keyBytes = encode(key);
  const digest = (purpose: string, text: string | Uint8Array) =>
    hmacSha256(keyBytes, encode(`${purpose}\0`), typeof text === "string" ? encode(text) : text);
  const words = (purpose: string, text: string) => new DataView(digest(purpose, text).buffer);
  const hex = (bytes: Uint8Array, count: number) => hexText(bytes.subarray(0, count));
  const part = memo((text) => hex(digest("name", text), 8));
  const label = (prefix: string, bytes: number) => (text: Uint8Array) =>
    text.length === 0 ? text : encode(`${prefix}-${hex(digest(prefix, text), bytes)}`);
  // Raw bytes as Latin-1 text, so that names that are not UTF-8 have stand-ins of their own.
  const parts = (text: string) => text.replace(/[^/]+/g, part);
  const mountPoint = (path: string) => {
    const kept = MOUNT_KEPT.exec(path)?.[0] ?? "";
    return kept + parts(path.slice(kept.length));
  };
  const path = (name: string) => {
    const mount = job.mountOf(raw(name));
    const prefix = mount === undefined ? "" : latin(mount.pathBytes);
    return mountPoint(prefix) + parts(name.slice(prefix.length));
  };
  const time = words("time", "");
  return {
    name(bytes) {
      const name = latin(bytes);
      if (KEPT.test(name)) return bytes;
      // Datasets and variables: the path of the file, a colon, their own name.
      const colon = name.startsWith("/") ? name.indexOf(":") : -1;
      return raw(colon < 0 ? path(name) : `${path(name.slice(0, colon))}:${part(name.slice(colon + 1))}`);
    },
    id: (id) => words("id", id.toString()).getBigUint64(0, true),
    host: label("host", 6),
    pool: label("pool", 5),
    // A user id stays below 2^31 and a job id below 2^48, so that tools that expect such numbers are content.
    uid: (uid) => BigInt(words("uid", uid.toString()).getUint32(0, true) >>> 1),
    jobId: (jobId) => words("job", jobId.toString()).getBigUint64(0, true) & 0xffffffffffffn,
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
      places.map((_, i) => BigInt(words("place", places.slice(0, i + 1).join(" ")).getUint32(0, true) >>> 1)),
    commandLine(bytes) {
      const program = latin(bytes).trim().split(/\s+/)[0] ?? "";
      return program === "" ? bytes : encode(`app-${hex(digest("program", program), 6)}`);
    },
    earlierNs:
      BigInt(EARLIER_SECONDS_MIN + (time.getUint32(0, true) % EARLIER_SECONDS_SPREAD)) * 1_000_000_000n +
      BigInt(time.getUint32(4, true) % 1_000_000_000),
  };
}

const encode = (text: string) => new TextEncoder().encode(text);
/** Raw bytes as text of one character each, and back. */
const latin = (bytes: Uint8Array) => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
};
const raw = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** Folders come again in many names. */
function memo(make: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    let made = known.get(text);
    if (made === undefined) {
      made = make(text);
      if (known.size < 100_000) known.set(text, made);
    }
    return made;
  };
}
