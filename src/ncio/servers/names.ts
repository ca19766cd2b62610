/** Names of files on servers: flat, so that no name leads outside the folder. */
import { NAME_BYTES_MAX } from "./wire.ts";

/** The fault of an invalid name; undefined for a valid one. */
export function nameFault(name: string): string | undefined {
  if (name === "") return "a name is empty";
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) return `a name is longer than ${NAME_BYTES_MAX} bytes`;
  if (name.startsWith(".")) return `${name}: a name does not begin with a dot`;
  if (!/^[\p{L}\p{N} ._+=@,~-]+$/u.test(name))
    return `${JSON.stringify(name)}: a name has letters, digits, spaces and ._+=@,~- only, and no folders`;
  return undefined;
}
