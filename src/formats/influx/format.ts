/** Dumps of InfluxDB and points of Telegraf in the catalogue of inputs. */
import type { InputFormat } from "../input-format.ts";
import { recognizeInflux } from "./index.ts";

export const influx = {
  id: "influx",
  label: "InfluxDB dump of Lustre counters",
  recognizes: (head) => recognizeInflux(head) !== undefined,
  series: true,
} as const satisfies InputFormat;
