/**
 * What the kernel counts of the I/O of processes that we have waited for, with all their children: a check on what the recorder has
 * seen. /proc/self/io is the sum of our threads, of ended threads and of waited-for children; /proc/self/task/…/io has our threads alone.
 */
import { readdirSync, readFileSync } from "node:fs";

/** Bytes of read and write calls on any descriptor, and bytes that devices moved. */
export interface KernelIo {
  readonly readBytes: number;
  readonly writtenBytes: number;
  readonly deviceReadBytes: number;
  readonly deviceWrittenBytes: number;
}

/** Undefined where the kernel does not count or does not tell us. */
export function ioOfChildren(): KernelIo | undefined {
  try {
    const threads = readdirSync("/proc/self/task").map((thread) =>
      countersOf(`/proc/self/task/${thread}/io`),
    );
    const whole = countersOf("/proc/self/io");
    return combined(whole, threads, (total, own) => total - own);
  } catch {
    return undefined;
  }
}

/** What came in between. */
export const ioSince = (before: KernelIo, after: KernelIo): KernelIo =>
  combined(after, [before], (later, earlier) => later - earlier);

function combined(
  first: KernelIo,
  rest: readonly KernelIo[],
  combine: (a: number, b: number) => number,
): KernelIo {
  const of = (name: keyof KernelIo) =>
    Math.max(
      0,
      rest.reduce((sum, one) => combine(sum, one[name]), first[name]),
    );
  return {
    ...{ readBytes: of("readBytes"), writtenBytes: of("writtenBytes") },
    ...{ deviceReadBytes: of("deviceReadBytes"), deviceWrittenBytes: of("deviceWrittenBytes") },
  };
}

function countersOf(path: string): KernelIo {
  const text = readFileSync(path, "utf8");
  const value = (name: string) => {
    const found = new RegExp(`^${name}: (\\d+)$`, "m").exec(text)?.[1];
    if (found === undefined) throw new Error(`${path} has no ${name}`);
    return Number(found);
  };
  return {
    ...{ readBytes: value("rchar"), writtenBytes: value("wchar") },
    ...{ deviceReadBytes: value("read_bytes"), deviceWrittenBytes: value("write_bytes") },
  };
}
