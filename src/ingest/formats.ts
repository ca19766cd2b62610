/** Who makes rows of a store of the inputs that stand for themselves, by format. Samples over time are in system/series.ts. */
import { DarshanImporter } from "./darshan.ts";
import type { FileImporter, ImportSetting } from "./input-format.ts";
import { ClientImporter } from "./system/clients.ts";
import { SchedulerImporter } from "./system/scheduler.ts";
import { SegmentImporter } from "./system/segments.ts";

export const IMPORTERS: Readonly<Record<string, (setting: ImportSetting) => FileImporter>> = {
  darshan: (setting) => new DarshanImporter(setting),
  "server-samples": (setting) => new SegmentImporter(setting),
  "client-reading": (setting) => new ClientImporter(setting),
  slurm: (setting) => new SchedulerImporter(setting),
};
