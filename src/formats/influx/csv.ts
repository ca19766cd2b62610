/** Points in CSV: from the shell of InfluxDB 1.x, and annotated CSV of 2.x. */
import { csvFields } from "../../base/csv.ts";
import { type InfluxPoint, timeNs } from "./point.ts";

const TAGS = new Set(["host", "jobid", "name", "client", "brw_section", "bucket"]);

/** What a row was: a point, nothing of interest (a header, a comment, a blank line), or broken. */
type CsvResult = InfluxPoint | "header" | "broken";

/** Rows of the 1.x shell, one after the other. */
export class Influx1Rows {
  #columns: string[] = [];

  row(line: string): CsvResult {
    const cells = csvFields(line);
    if (cells === undefined) return "broken";
    // With GROUP BY the header comes again before each series.
    if (cells[0] === "name" && cells.includes("time")) {
      this.#columns = cells;
      return "header";
    }
    if (cells.length !== this.#columns.length) return "broken";
    const tags = new Map<string, string>();
    const fields = new Map<string, string>();
    let time: bigint | undefined;
    for (const [i, column] of this.#columns.entries()) {
      const cell = cells[i] as string;
      // The first `name` is the measurement; a second one is the target.
      if (i === 0) continue;
      if (column === "time") time = timeNs(cell);
      else if (column === "tags") addTags(cell, tags);
      else if (cell === "") continue;
      else if (TAGS.has(column)) tags.set(column, cell);
      else fields.set(column, cell);
    }
    if (time === undefined) return "broken";
    return { measurement: cells[0] ?? "", tags, fields, timeNs: time };
  }
}

/** `jobid=1001,name=lustre1-OST0000`; nothing is escaped, so a comma belongs to the value when no key follows it. */
function addTags(cell: string, tags: Map<string, string>): void {
  for (const part of cell.split(/,(?=\w+=)/)) {
    const equals = part.indexOf("=");
    if (equals > 0) tags.set(part.slice(0, equals), part.slice(equals + 1));
  }
}

const ANNOTATION = /^#(group|datatype|default)\b/;
const OWN = new Set(["", "result", "table", "_start", "_stop", "_time", "_value", "_field", "_measurement"]);

/** Rows of 2.x: one for each field, in tables with a header each. */
export class Influx2Rows {
  #columns: string[] = [];
  #defaults: string[] = [];
  #headerNext = true;

  row(line: string): CsvResult {
    if (line.trim() === "") {
      this.#headerNext = true;
      return "header";
    }
    const cells = csvFields(line);
    if (cells === undefined) return "broken";
    const annotation = ANNOTATION.exec(line)?.[1];
    if (annotation !== undefined) {
      if (annotation === "default") this.#defaults = cells;
      this.#headerNext = true;
      return "header";
    }
    if (this.#headerNext) {
      this.#columns = cells;
      this.#headerNext = false;
      return "header";
    }
    if (cells.length !== this.#columns.length) return "broken";
    return this.#point(cells);
  }

  #point(cells: readonly string[]): CsvResult {
    const tags = new Map<string, string>();
    const value = (name: string) => {
      const at = this.#columns.indexOf(name);
      return at < 0 ? "" : cells[at] || (this.#defaults[at] ?? "");
    };
    for (const [i, column] of this.#columns.entries())
      if (!OWN.has(column) && cells[i] !== "") tags.set(column, cells[i] as string);
    const time = timeNs(value("_time"));
    const field = value("_field");
    if (time === undefined || field === "") return "broken";
    return {
      measurement: value("_measurement"),
      tags,
      fields: new Map([[field, value("_value")]]),
      timeNs: time,
    };
  }
}
