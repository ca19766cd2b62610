/** Takes everything and keeps nothing: what is left is the cost of all but the storage. Copy it to begin another. */
import type { Backend, TargetFile } from "./backend.ts";

export function nullBackend(): Backend {
  const open = async (): Promise<TargetFile> => ({
    write: async () => {},
    read: async () => 0,
    flush: async () => {},
    sync: async () => {},
    size: async () => 0,
    identity: async () => "",
    truncate: async () => {},
    close: async () => {},
  });
  return { name: "null", keeps: false, create: open, open, identityOf: async () => "" };
}
