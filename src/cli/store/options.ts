/** What the commands of a store have in common. */
import type { OptionSpecs } from "../command.ts";

export const STORE_ARGUMENT = { name: "store", help: "store folder", kind: "file" } as const;

export const ENGINE_OPTIONS = {
  memory: {
    kind: "bytes",
    help: "database memory limit; beyond it, spill to disk (default: half of RAM)",
    min: 32 * 1024 * 1024,
  },
  threads: {
    kind: "number",
    help: "number of threads (default: all cores)",
    integer: true,
    min: 1,
    max: 1024,
  },
  temp: {
    kind: "string",
    help: "folder for spill files (default: tmp in the store)",
    valueName: "DIR",
  },
} as const satisfies OptionSpecs;

export interface EngineValues {
  readonly memory: number | undefined;
  readonly threads: number | undefined;
  readonly temp: string | undefined;
}

/** Options of the command line as those of `Store.open`. */
export function storeOptions({ memory, threads, temp }: EngineValues) {
  return {
    ...(memory === undefined ? {} : { memoryBytes: memory }),
    ...(threads === undefined ? {} : { threads }),
    ...(temp === undefined ? {} : { tempFolder: temp }),
  };
}
