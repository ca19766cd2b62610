/**
 * A table of targets for a calibration (CSV): published checks by their id, or measurements of another machine.
 * Columns: id, weight, and for own measurements quantity, method, size_mb, writers, targets, interference, value, tolerance.
 */

import { FormatError } from "../../../base/errors.ts";
import { coefficientOfVariation, mean, standardDeviation } from "../../../base/statistics.ts";
import type { Method, Sample, Series } from "../../sim/experiments/series.ts";
import type { Machine } from "../../sim/machines/index.ts";
import { CHECKS, type Check, judged, offValue, withinPercent } from "../checks.ts";
import type { Effort } from "./evaluate.ts";

const COLUMNS = [
  "id",
  "weight",
  "quantity",
  "method",
  "size_mb",
  "writers",
  "targets",
  "interference",
  "value",
  "tolerance",
] as const;
type Column = (typeof COLUMNS)[number];

const METHODS: readonly Method[] = ["posix", "mpi-io", "paper"];

/** Quantities that can be measured on a series, with units. */
const QUANTITIES: Readonly<Record<string, { unit: string; of(samples: readonly Sample[]): number }>> = {
  bandwidth: { unit: "MB/s", of: (all) => mean(all.map((one) => one.bandwidth)) },
  bandwidth_cov: {
    unit: "",
    of: (all) =>
      coefficientOfVariation(
        all.map((one) => one.bandwidth),
        1,
      ),
  },
  seconds: { unit: "s", of: (all) => mean(all.map((one) => one.seconds)) },
  seconds_sd: {
    unit: "s",
    of: (all) =>
      standardDeviation(
        all.map((one) => one.seconds),
        1,
      ),
  },
  imbalance: { unit: "", of: (all) => mean(all.map((one) => one.imbalance)) },
};

interface Targets {
  readonly checks: readonly Check[];
  /** Runs required for the user's own measurements. */
  readonly plan: (effort: Effort) => Series[];
}

export function readTargets(text: string, source: string, machine: Machine): Targets {
  const lines = text.split(/\r\n|\n|\r/);
  const header = (lines[0] ?? "").split(",").map((name) => name.trim());
  const fail = (line: number, detail: string): never => {
    throw new FormatError(source, { line }, detail);
  };
  for (const name of header)
    if (!COLUMNS.includes(name as Column))
      fail(1, `unknown column "${name}" (known: ${COLUMNS.join(", ")}); the first line names the columns`);
  if (!header.includes("id")) fail(1, "expected a column id");
  const own: Omit<Series, "samples" | "seed">[] = [];
  const checks: Check[] = [];
  lines.forEach((line, index) => {
    if (index === 0 || line.trim() === "" || line.startsWith("#")) return;
    const cells = line.split(",").map((cell) => cell.trim());
    if (cells.length > header.length) fail(index + 1, `${cells.length} fields, expected ${header.length}`);
    const field = (name: Column) => cells[header.indexOf(name)] ?? "";
    const row = new Row(field, machine, (detail) => fail(index + 1, detail));
    if (checks.some((one) => one.id === field("id"))) fail(index + 1, `"${field("id")}" is listed twice`);
    if (field("quantity") === "") checks.push(row.published());
    else {
      checks.push(row.measured());
      own.push(row.series());
    }
  });
  if (checks.length === 0) fail(lines.length, "no target in the table");
  const plan = ({ samples, seed }: Effort) => own.map((series) => ({ ...series, samples, seed }));
  return { checks, plan };
}

class Row {
  readonly #field: (name: Column) => string;
  readonly #machine: Machine;
  readonly #fail: (detail: string) => never;

  constructor(field: (name: Column) => string, machine: Machine, fail: (detail: string) => never) {
    this.#field = field;
    this.#machine = machine;
    this.#fail = fail;
  }

  published(): Check {
    const id = this.#field("id");
    const check = CHECKS.find((one) => one.id === id);
    if (check === undefined)
      return this.#fail(
        `unknown target "${id}"; published ones are ${CHECKS.map((one) => one.id).join(", ")}`,
      );
    const weight = this.#field("weight") === "" ? check.weight : this.#number("weight", 0);
    return { ...check, weight };
  }

  measured(): Check {
    const series = this.series();
    const quantity = QUANTITIES[this.#field("quantity")];
    if (quantity === undefined)
      return this.#fail(
        `unknown quantity "${this.#field("quantity")}" (known: ${Object.keys(QUANTITIES).join(", ")})`,
      );
    const value = this.#number("value", Number.MIN_VALUE);
    const tolerance = this.#field("tolerance") === "" ? 0.1 : this.#number("tolerance", Number.MIN_VALUE);
    const name = this.#field("quantity");
    return {
      id: this.#field("id"),
      row: "",
      place: "own measurement",
      claim: `${name} of ${series.writers} writers with ${series.sizeMb} MB on ${series.targets} targets, ${series.method}`,
      published: `${value} ${quantity.unit}`.trim(),
      tolerance: withinPercent(tolerance),
      method: "over samples",
      weight: this.#field("weight") === "" ? 1 : this.#number("weight", 0),
      judge: (evidence) => {
        const simulated = quantity.of(evidence.samples(series));
        return judged([simulated], simulated.toPrecision(4), offValue(simulated, value, tolerance));
      },
    };
  }

  series(): Omit<Series, "samples" | "seed"> {
    const method = this.#field("method") || "posix";
    if (!METHODS.includes(method as Method))
      this.#fail(`unknown method "${method}" (known: ${METHODS.join(", ")})`);
    const targets = this.#field("targets") === "" ? this.#machine.targets : this.#number("targets", 1);
    if (targets > this.#machine.targets)
      this.#fail(`${targets} targets: the machine has ${this.#machine.targets}`);
    return {
      machine: this.#machine.name,
      method: method as Method,
      sizeMb: this.#number("size_mb", Number.MIN_VALUE),
      writers: this.#number("writers", 1),
      targets,
      interference: ["1", "yes", "true"].includes(this.#field("interference")),
      twoJobs: false,
      hourly: false,
    };
  }

  #number(column: Column, min: number): number {
    const text = this.#field(column);
    const value = Number(text);
    if (text === "" || !(value >= min && Number.isFinite(value)))
      this.#fail(`${column} "${text}": expected a number${min > 0 ? " above 0" : ""}`);
    if ((column === "writers" || column === "targets") && !Number.isInteger(value))
      this.#fail(`${column} "${text}": expected a whole number`);
    return value;
  }
}
