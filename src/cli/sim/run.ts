/** `plimsoll sim run`: one output step on a simulated machine. */
import { thisCommand } from "../again.ts";
import { stepDocument, stepFacts } from "../../adaptive/steps/index.ts";
import { UsageError } from "../../base/errors.ts";
import { formatBytes, formatCount } from "../../base/units.ts";
import { POLICY_NAMES } from "../../adaptive/protocol/index.ts";
import { paperInterference, usualTargets } from "../../adaptive/sim/experiments/series.ts";
import { machineFrom } from "./machine.ts";
import { type SimulatedStep, simulateStep } from "../../adaptive/sim/step/step.ts";
import { version } from "../../../package.json";
import { defineCommand } from "../command.ts";
import { showDocument } from "../show-document.ts";
import { option } from "../option.ts";

const MB = 1048576;
/** Sizes of the paper's programs, MB per writer; a number of bytes does as well. */
const WORKLOADS: Readonly<Record<string, number>> = {
  "pixie3d-small": 2,
  "pixie3d-large": 128,
  "pixie3d-xl": 1024,
  xgc1: 38,
  ior: 128,
};

export default defineCommand({
  name: "sim run",
  description:
    "Runs the adaptive writer's protocol in virtual time against a storage model: Jaguar, Franklin or XTP of the adaptive I/O paper, or your own machine in a JSON file. All policies see the same background load, so that they can be compared. The same seed and parameters give the same run, event by event. All results are labelled as simulated.",
  arguments: [{ name: "machine", help: "jaguar, franklin, xtp, or a machine file (.json)", kind: "file" }],
  options: {
    policy: option.text(
      "NAME[,NAME…]",
      `one or more of ${POLICY_NAMES.join(", ")}; the first is the baseline`,
      { default: "static,paper,plimsoll" },
    ),
    writers: option.whole("number of writer processes", { min: 1, default: 2048 }),
    targets: option.whole("number of storage targets (default: 512, or all of the machine)", { min: 1 }),
    size: option.bytes("bytes per writer (default: 128 MiB, or set by --workload)", { valueName: "BYTES" }),
    workload: option.choice(Object.keys(WORKLOADS), "workload of the paper, sets the size per writer"),
    steps: option.whole("number of output steps; later steps use the target speeds measured before", {
      min: 1,
      default: 1,
    }),
    interference: option.flag(
      "add interference: three processes write continuously to each of eight targets",
    ),
    seed: option.whole("seed of background load, speeds and start times", { min: 0, default: 1 }),
    output: option.output("FILE.html", "write the figures as one HTML file"),
    figures: option.text("DIR", "write every figure as SVG and CSV"),
  },
  examples: {
    "plimsoll sim run jaguar --writers 4096 -o step.html": "three policies side by side",
    "plimsoll sim run jaguar --policy mpi-io,paper --workload pixie3d-xl --writers 16384":
      "the largest run of the paper",
    "plimsoll sim run site.json --policy plimsoll --json": "your own machine description",
  },
  async run({ arguments: [name = ""], options }, context) {
    const machine = machineFrom(name);
    const policies = options.policy.split(",").map((one) => one.trim());
    const twice = policies.find((one, i) => policies.indexOf(one) < i);
    if (twice !== undefined) throw new UsageError(`--policy names ${twice} twice`);
    const bytes = options.size ?? (WORKLOADS[options.workload ?? "ior"] as number) * MB;
    const targets = options.targets ?? usualTargets(machine);
    const title = `${machine.title}: ${formatCount(options.writers)} writers, ${formatBytes(bytes)} each, ${targets} targets`;
    const spec = {
      ...{ machine, writers: options.writers, bytes, targets },
      run: { seed: options.seed, sample: 0, samples: 1 },
      interference: options.interference ? paperInterference(targets) : undefined,
    };
    const steps = policies.map((policy) => simulateStep({ spec, policy, title, steps: options.steps }));
    const about = { command: thisCommand(context), madeBy: `Plimsoll ${version}` };
    const document = stepDocument(
      steps.map(({ run }) => run),
      about,
    );
    const json = () => ({ simulated: true, machine: name, seed: options.seed, runs: steps.map(jsonOf) });
    await showDocument(document, { ...options, full: false, json }, context);
  },
});

function jsonOf({ run, events, hash }: SimulatedStep): unknown {
  const facts = stepFacts(run);
  return {
    ...{ policy: run.policy, outcome: run.outcome, bytes: run.bytes, seconds: run.seconds },
    commitSeconds: Number.isNaN(run.commitSeconds) ? null : run.commitSeconds,
    openSeconds: run.openSeconds.reduce((sum, one) => sum + one, 0),
    bandwidthBytesPerSecond: facts.bytesPerSecond,
    imbalance: facts.imbalance,
    spreadSeconds: facts.spreadSeconds,
    adaptiveWrites: facts.movedWrites,
    adaptiveBytes: facts.movedBytes,
    unusedWrites: facts.unusedWrites,
    bps: facts.bps,
    perTarget: facts.perTarget.map(({ bytes, endSeconds, writes }) => ({
      bytes,
      seconds: endSeconds,
      writes,
    })),
    messages: Object.fromEntries((run.messages ?? []).map(({ kind, count }) => [kind, count])),
    events,
    hash,
  };
}
