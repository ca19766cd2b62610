/** Names of files on servers: flat, so that no name leads anywhere else. */
import { NAME_BYTES_MAX } from "./wire.ts";

/** Why it cannot be a name; undefined when it can. */
export function nameFault(name: string): string | undefined {
  if (name === "") return "a name is empty";
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) return `a name is longer than ${NAME_BYTES_MAX} bytes`;
  if (name.startsWith(".")) return `${name}: a name does not begin with a dot`;
  if (!/^[\p{L}\p{N} ._+=@,~-]+$/u.test(name))
    return `${JSON.stringify(name)}: a name has letters, digits, spaces and ._+=@,~- only, and no folders`;
  return undefined;
}
