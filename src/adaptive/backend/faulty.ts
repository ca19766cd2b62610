/** Wraps a back end with configured failures and delays. */
import { setTimeout as sleep } from "node:timers/promises";
import { systemError } from "../../base/errors.ts";
import type { Backend, FailingCall, SlowCall, TargetFault, TargetFile } from "./backend.ts";

const SYSTEM_CALLS = { create: "open", write: "write", sync: "fsync" } as const;

export function faulty(inner: Backend, faults: readonly TargetFault[]): Backend {
  const failing = faults.filter((fault): fault is FailingCall => fault.code !== "slow");
  const slow = faults.filter((fault): fault is SlowCall => fault.code === "slow");
  const written = new Map<number, number>();
  const strike = (call: FailingCall["call"], target: number, path: string, bytes = 0) => {
    const sum = (written.get(target) ?? 0) + bytes;
    for (const fault of failing)
      if (fault.call === call && fault.target === target && sum > (fault.afterBytes ?? -1))
        throw systemError(fault.code, SYSTEM_CALLS[call], path);
    written.set(target, sum);
  };
  const hold = async (call: SlowCall["call"], target: number, bytes: number) => {
    for (const fault of slow)
      if (fault.call === call && fault.target === target && bytes <= (fault.bytesMax ?? bytes))
        await sleep(1000 * fault.seconds);
  };
  const watched = (file: TargetFile, target: number, path: string): TargetFile => ({
    ...file,
    async write(bytes, at) {
      await hold("write", target, bytes.length);
      strike("write", target, path, bytes.length);
      await file.write(bytes, at);
    },
    async sync() {
      await hold("sync", target, 0);
      strike("sync", target, path);
      await file.sync();
    },
  });
  return {
    ...inner,
    name: `${inner.name}, faulty`,
    async create(path, target) {
      strike("create", target, path);
      return watched(await inner.create(path, target), target, path);
    },
    open: async (path, target) => watched(await inner.open(path, target), target, path),
  };
}
