/** Another back end that fails where and when it is told to. */
import { type Backend, systemError, type TargetFault, type TargetFile } from "./backend.ts";

export function faulty(inner: Backend, faults: readonly TargetFault[]): Backend {
  const written = new Map<number, number>();
  const strike = (call: TargetFault["call"], target: number, path: string, bytes = 0) => {
    const sum = (written.get(target) ?? 0) + bytes;
    for (const fault of faults)
      if (fault.call === call && fault.target === target && sum > (fault.afterBytes ?? -1))
        throw systemError(fault.code, call === "sync" ? "fsync" : call === "create" ? "open" : "write", path);
    written.set(target, sum);
  };
  const watched = (file: TargetFile, target: number, path: string): TargetFile => ({
    ...file,
    async write(bytes, at) {
      strike("write", target, path, bytes.length);
      await file.write(bytes, at);
    },
    async sync() {
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
