/**
 * Names that say nothing, made with a key: the same name gives the same stand-in under the same key, and nobody
 * without the key can find the name by trying. Mount points, standard streams and the names that the recording
 * library gives its own records stay readable.
 */
import { createHmac } from "node:crypto";
import type { DarshanLog } from "../../formats/darshan/log.ts";
import type { Renaming } from "../../formats/darshan/convert.ts";

const KEPT =
  /^(<STDIN>|<STDOUT>|<STDERR>|heatmap:[A-Z]+|darshan-(apmpi|apxc)-header|APMPI|APXC|darshan-bgq-record|)$/;

export function obfuscation(log: DarshanLog, key: string, newIds: boolean): Renaming {
  const digest = (purpose: string, text: string | Uint8Array) =>
    createHmac("sha256", key).update(`${purpose}\0`).update(text).digest();
  const part = (text: string) => digest("name", text).toString("hex", 0, 8);
  const encode = (text: string) => new TextEncoder().encode(text);
  // Raw bytes as Latin-1 text, so that names that are not UTF-8 have stand-ins of their own.
  const latin = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
  const path = (name: string) => {
    const mount = log.job.mountOf(Buffer.from(name, "latin1"));
    const prefix = mount === undefined ? "" : latin(mount.pathBytes);
    const rest = name.slice(prefix.length);
    return prefix + rest.replace(/[^/]+/g, part);
  };
  return {
    name(bytes) {
      const name = latin(bytes);
      if (KEPT.test(name)) return bytes;
      // Datasets and variables: the path of the file, a colon, their own name.
      const colon = name.startsWith("/") ? name.indexOf(":") : -1;
      const made = colon < 0 ? path(name) : `${path(name.slice(0, colon))}:${part(name.slice(colon + 1))}`;
      return Uint8Array.from(Buffer.from(made, "latin1"));
    },
    id: (id) => (newIds ? digest("id", id.toString()).readBigUInt64LE(0) : id),
    host: (bytes) =>
      bytes.length === 0 ? bytes : encode(`host-${digest("host", bytes).toString("hex", 0, 6)}`),
    // A user id stays below 2^31, so that tools that expect one are content.
    uid: (uid) => BigInt(digest("uid", uid.toString()).readUInt32LE(0) >>> 1),
    commandLine(bytes) {
      const program = latin(bytes).trim().split(/\s+/)[0] ?? "";
      return program === "" ? bytes : encode(`app-${digest("program", program).toString("hex", 0, 6)}`);
    },
  };
}
