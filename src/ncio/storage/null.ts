/** Accepts and discards all data; reads return zeros. Measures the time of the method itself. */
import type { Storage, StorageFile } from "../storage.ts";
import { Counter } from "./counter.ts";
import { type RequestKinds, typedStorage } from "./kinds.ts";

export function nullStorage(kinds: RequestKinds = {}): Storage {
  const counter = new Counter();
  const file = nullFile(counter, kinds);
  return {
    ...typedStorage("null", kinds),
    keeps: false,
    open: async () => file,
    counts: () => counter.counts(),
    async remove() {},
    async close() {},
  };
}

function nullFile(counter: Counter, kinds: RequestKinds): StorageFile {
  const take = (data: Uint8Array): undefined => counter.add(1, data.length) as undefined;
  const give = (into: Uint8Array): undefined => take(into.fill(0));
  return {
    write: (_, bytes) => take(bytes),
    read: (_, into) => give(into),
    ...(kinds.listMax !== undefined && {
      writeList: (_: unknown, data: Uint8Array) => take(data),
      readList: (_: unknown, into: Uint8Array) => give(into),
    }),
    ...(kinds.types === true && {
      writeType: (_: unknown, __: unknown, ___: unknown, data: Uint8Array) => take(data),
      readType: (_: unknown, __: unknown, ___: unknown, into: Uint8Array) => give(into),
    }),
    sync: () => undefined,
    close: () => undefined,
  };
}
