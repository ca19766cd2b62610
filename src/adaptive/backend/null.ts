/** Accepts and discards all data: measures everything but the storage. Copy it to start a new back end. */
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
