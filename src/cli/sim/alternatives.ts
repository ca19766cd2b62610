/** `plimsoll sim alternatives`: what an application waits with asynchronous output, staging, more files, and adaptive writing. */
import { thisCommand } from "../again.ts";
import { alternativesDocument } from "../../adaptive/steps/index.ts";
import {
  type AlternativeResult,
  alternativesSetting,
  type AlternativesSetting,
  compareOpens,
  runAlternatives,
  stepsOf,
} from "../../adaptive/sim/alternatives/alternatives.ts";
import { EventQueue } from "../../adaptive/sim/events.ts";
import { MACHINES } from "../../adaptive/sim/machines/index.ts";
import { version } from "../../../package.json";
import { defineCommand } from "../command.ts";
import { option } from "../option.ts";
import { showDocument } from "../show-document.ts";
import { machineFrom } from "./machine.ts";

const OPTIONS = {
  writers: option.whole("writer processes (default: 32 per target)", { min: 1 }),
  targets: option.whole("storage targets (default: 512, or all of the machine)", { min: 1 }),
  size: option.bytes("bytes per writer", { min: 1, default: 2 ** 30 }),
  period: option.number("seconds of computing between two output steps", {
    min: 0.001,
    max: 1e6,
    default: 900,
    valueName: "SECONDS",
  }),
  steps: option.whole("output steps, each with different background load", { min: 1, max: 1000, default: 4 }),
  "buffered-steps": option.whole("output steps that fit into compute node memory (asynchronous output)", {
    min: 1,
    max: 1000,
    default: 1,
  }),
  "staging-nodes": option.whole("staging nodes (default: one per 64 writers)", { min: 1 }),
  "staging-memory": option.bytes("memory of a staging node; a node of Jaguar had 16 GB", {
    min: 1,
    default: 16 * 2 ** 30,
  }),
  seed: option.whole("seed of background load, speeds and start times", { min: 0, default: 2010 }),
  output: option.output("FILE.html", "write the figures as one HTML file"),
  figures: option.text("DIR", "write every figure as SVG and CSV"),
};

export default defineCommand({
  name: "sim alternatives",
  description:
    "Simulates the alternatives that the adaptive I/O paper names (section II.3) on the same machine, with the same output and background as the adaptive method: asynchronous output with memory for some steps, data staging, and output split into as many files as cover all targets. Reports how long the application waits at each output step, with and without interference, and how opens at the metadata server behave when they are staggered. Without a machine it runs Jaguar, Franklin and XTP, the last two being the paper's future work. All results are labelled as simulated.",
  arguments: [
    {
      name: "machine",
      help: "jaguar, franklin, xtp, or a machine file (.json) (default: all three)",
      kind: "file",
      variadic: true,
      optional: true,
    },
  ],
  options: OPTIONS,
  examples: {
    "plimsoll sim alternatives -o alternatives.html": "the three machines of the paper",
    "plimsoll sim alternatives jaguar --size 128M --period 60 --buffered-steps 3": "frequent, smaller output",
  },
  async run({ arguments: names, options }, context) {
    const given = names.length === 0 ? MACHINES : names.map(machineFrom);
    const { writers, targets, steps, seed, bufferedSteps, stagingNodes } = options;
    const asked = {
      ...{ writers, targets, bytes: options.size, steps, seed, periodSeconds: options.period },
      ...{ bufferedSteps, stagingNodes, stagingMemoryBytes: options.stagingMemory },
    };
    const settings = given.map((machine) => alternativesSetting({ machine, ...asked }));
    const bar = context.progress({
      label: "simulating",
      total: settings.reduce((sum, one) => sum + stepsOf(one), 0),
      unit: "steps",
    });
    const queue = new EventQueue();
    let done = 0;
    const machines: { setting: AlternativesSetting; results: AlternativeResult[] }[] = [];
    for (const setting of settings) {
      const results = runAlternatives(setting, () => bar.update(done++), queue);
      machines.push({ setting, results });
      await context.yieldToEvents();
    }
    bar.end();
    const opens = compareOpens(settings[0] as AlternativesSetting);
    const command = thisCommand(context);
    const document = alternativesDocument({ machines, opens }, { command, madeBy: `Plimsoll ${version}` });
    const json = () => ({
      simulated: true,
      seed: options.seed,
      machines: machines.map(({ setting: { machine, ...setting }, results }) => ({
        machine: machine.name,
        ...setting,
        alternatives: results,
      })),
      opens,
    });
    await showDocument(document, { ...options, full: true, json }, context);
  },
});
