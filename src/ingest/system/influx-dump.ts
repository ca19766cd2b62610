/** Dumps of InfluxDB: their points are put together to readings. */
import { InfluxPoints, readInflux } from "../../formats/influx/index.ts";
import type { SeriesReader } from "../input-format.ts";
import { count, warn } from "../notes.ts";

export const influxDump: SeriesReader = {
  place: () => ({ key: "influx", firstNs: undefined }),

  async read(source, file) {
    const points = readInflux(source, new InfluxPoints(file.parser.table));
    for (const text of points.warnings()) warn(file.notes, `${source.name}: ${text}`);
    for (const name of ["points", "otherPoints", "otherFields"] as const)
      count(file.notes.counts, name, points.notes[name]);
    const { broken, firstBrokenLine } = points.notes;
    if (broken > 0) file.damaged(`${broken} lines are not data points, the first is line ${firstBrokenLine}`);
    points.eachReading((reading) => file.take(reading));
    await file.yieldToEvents();
  },
};
