/** `plimsoll sim calibrate`: fits the parameters of a simulated machine to published or own numbers. */
import { textTable } from "../../base/text-table.ts";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { formatCount, formatSeconds } from "../../base/units.ts";
import { writeOutput } from "../../node/output-file.ts";
import {
  type Calibration,
  calibrate,
  judgingOf,
  machineFile,
  readTargets,
  spaceOf,
} from "../../adaptive/paper/calibrate/index.ts";
import { type Machine, MACHINES } from "../../adaptive/sim/machines/index.ts";
import { PARAMETER_NAMES, PARAMETERS, type ParameterName } from "../../adaptive/sim/storage/index.ts";
import { defineCommand } from "../command.ts";
import { machineFrom } from "./machine.ts";
import { option } from "../option.ts";
import { durationMs } from "../values.ts";

export default defineCommand({
  name: "sim calibrate",
  description:
    "Fits the parameters of the storage model to measurements: the published numbers of the adaptive I/O paper, or your own table. Prints the parameters, the loss, and the simulated value and verdict for each measurement, misses included. --budget 0s only evaluates the current parameters. The same seed and number of evaluations give the same result.",
  examples: {
    "plimsoll sim calibrate --budget 0s": "evaluate the built-in parameters of Jaguar",
    "plimsoll sim calibrate --machine ours.json --targets measured.csv --budget 5m -o fitted.json":
      "fit your own machine to your measurements",
  },
  options: {
    machine: option.text(
      "NAME|FILE",
      `one of ${MACHINES.map((one) => one.name).join(", ")}, or a machine file (.json)`,
      { default: "jaguar" },
    ),
    targets: option.text("FILE", "table of measurements (CSV; default: the published numbers)"),
    budget: option.text("TIME", "search time, such as 30s, 5m or 1h", { default: "5m" }),
    evaluations: option.whole(
      "evaluate this many parameter sets instead of a search time, for reproducible results",
      { min: 1, valueName: "N" },
    ),
    samples: option.whole("runs per point of a figure", { min: 2, max: 1000, default: 8, valueName: "N" }),
    tests: option.whole("runs per line of Table I", { min: 2, max: 10000, default: 150, valueName: "N" }),
    seed: option.whole("seed of the runs and of the search", { min: 0, max: 2 ** 32 - 1, default: 1 }),
    seeds: option.whole("fit to N seeds at once, from --seed in steps of 10; the loss is their mean", {
      min: 1,
      max: 100,
      default: 1,
      valueName: "N",
    }),
    threads: option.whole("number of threads (default: all cores)", { min: 0, max: 1024 }),
    output: option.output("FILE", "write the machine with the fitted parameters"),
  },
  async run({ options }, context) {
    const machine = machineFrom(options.machine);
    const judging =
      options.targets === undefined
        ? judgingOf(machine.name)
        : readTargets(readFileSync(options.targets, "utf8"), options.targets, machine);
    const { samples, tests, seed, seeds } = options;
    const effort = { samples, tests, seed, seeds };
    const threads = options.threads ?? availableParallelism();
    const limitMs = durationMs("--budget", options.budget, 0, "30s, 5m or 1h");
    const began = performance.now();
    const progress = context.progress({ label: "calibrating", unit: "sets" });
    const result = await calibrate({
      machine,
      effort,
      judging,
      seed,
      pool: { threads, signal: context.signal, yieldToEvents: () => context.yieldToEvents() },
      goOn: async (evaluations) => {
        progress.update(evaluations);
        await context.yieldToEvents();
        if (options.evaluations !== undefined) return evaluations < options.evaluations;
        return performance.now() - began < limitMs;
      },
    });
    const seconds = (performance.now() - began) / 1000;
    if (options.output !== undefined) {
      const fit = { loss: Number(result.best.loss.toFixed(3)), seed, samples };
      writeOutput(options.output, machineFile(result.machine, fit), context);
    }
    if (context.json) context.printJson(asJson(result, seconds));
    else context.out.write(asText(machine, result, seconds));
  },
});

function asJson({ machine, start, best, evaluations }: Calibration, seconds: number): unknown {
  return {
    machine: machine.name,
    simulated: true,
    loss: best.loss,
    lossBefore: start.loss,
    losses: best.losses,
    evaluations,
    seconds,
    parameters: machine.parameters,
    targets: best.judged.map(({ check, simulated, values, misfit, verdict, note }) => {
      const { id, row, place, claim, published, tolerance, weight } = check;
      return {
        ...{ id, row, place, claim, published, tolerance },
        ...{ simulated, values, misfit, weight, verdict },
        ...(note === undefined ? {} : { note }),
      };
    }),
  };
}

function asText(
  before: Machine,
  { machine, start, best, evaluations }: Calibration,
  seconds: number,
): string {
  const count = (verdict: string) => best.judged.filter((one) => one.verdict === verdict).length;
  const loss =
    start.loss === best.loss
      ? `loss ${best.loss.toFixed(2)}`
      : `loss ${start.loss.toFixed(2)} before, ${best.loss.toFixed(2)} now`;
  const lines = [
    `${machine.title}: simulated`,
    `${formatCount(evaluations)} ${evaluations === 1 ? "parameter set" : "parameter sets"} in ${formatSeconds(seconds)}, ${loss}`,
    `${count("met")} measurements met, ${count("missed")} missed${count("not run") > 0 ? `, ${count("not run")} not run` : ""}`,
    "",
    ...textTable(
      ["", "target", "published", "simulated"].map((label) => ({ label })),
      best.judged.map((one) => [one.verdict, one.check.id, one.check.published, one.simulated]),
    ),
    "",
    ...parameterLines(before, machine),
  ];
  return `${lines.join("\n")}\n`;
}

function parameterLines(before: Machine, after: Machine): string[] {
  const free = new Set<ParameterName>(spaceOf(after).map((one) => one.name));
  const rows = PARAMETER_NAMES.map((name) => {
    const value = after.parameters[name];
    const changed = before.parameters[name] === value ? "" : `  (was ${before.parameters[name]})`;
    const { unit, meaning } = PARAMETERS[name];
    const origin = after.origins[name] ?? "assumed";
    const label = `${value}${unit === "" ? "" : ` ${unit}`}`;
    return [name, label, free.has(name) ? "free" : origin, `${meaning}${changed}`];
  });
  return textTable([{ min: 17 }, { min: 18 }, { min: 12 }, {}], rows, { gap: "" });
}
