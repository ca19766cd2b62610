/** What the commands of a store have in common. */
import type { OptionSpecs } from "../command.ts";
import { option } from "../option.ts";

export const STORE_ARGUMENT = { name: "store", help: "store folder", kind: "file" } as const;

export const ENGINE_OPTIONS = {
  memory: option.bytes("database memory limit; beyond it, spill to disk (default: half of RAM)", {
    min: 32 * 1024 * 1024,
  }),
  threads: option.whole("number of threads (default: all cores)", { min: 1, max: 1024 }),
  temp: option.text("DIR", "folder for spill files (default: tmp in the store)"),
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
