/** Who makes rows of a store, by format: a line for each entry of the catalogue with `rows`, and for each with `series`. */
import type { IdsWith } from "../formats/catalogue.ts";
import { DarshanImporter } from "./darshan.ts";
import type { FileImporter, ImportSetting, SeriesReader } from "./input-format.ts";
import { ClientImporter } from "./system/clients.ts";
import { influxDump } from "./system/influx-dump.ts";
import { lustreTexts } from "./system/lustre-texts.ts";
import { SchedulerImporter } from "./system/scheduler.ts";
import { SegmentImporter } from "./system/segments.ts";

/** Of inputs that stand for themselves. */
export const IMPORTERS: Readonly<Record<IdsWith<"rows">, (setting: ImportSetting) => FileImporter>> = {
  darshan: (setting) => new DarshanImporter(setting),
  "server-samples": (setting) => new SegmentImporter(setting),
  "client-reading": (setting) => new ClientImporter(setting),
  slurm: (setting) => new SchedulerImporter(setting),
};

/** Of samples over time. */
export const SERIES: Readonly<Record<IdsWith<"series">, SeriesReader>> = {
  influx: influxDump,
  lustre: lustreTexts,
};
