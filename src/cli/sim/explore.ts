/** `plimsoll sim explore`: the protocol of adaptive writing under random faults. */
import { textTable } from "../../base/text-table.ts";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { CheckFailed, UsageError } from "../../base/errors.ts";
import { formatCount } from "../../base/units.ts";
import {
  type Checked,
  checkScenario,
  EXPLORED_POLICIES,
  explore,
  readScenario,
  type Scenario,
  scenarioOf,
  smallestWith,
  type Tally,
} from "../../adaptive/sim/explore/index.ts";
import { faultText } from "../../adaptive/sim/host/index.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { option } from "../option.ts";

export default defineCommand({
  name: "sim explore",
  description:
    "Runs many small simulations with random faults, one per seed: processes die or pause, targets slow down, hang, fill up or fail, messages are delayed or duplicated. Every step is checked: each byte exactly once in the committed index and durable, no overlap in a file, no more writers than allowed, one outcome, and termination. A violation is printed with its replay command and a minimized scenario (exit code 1).",
  options: {
    count: option.whole("runs", { min: 1, default: 2000 }),
    seed: option.whole("seed of the first run; the others follow", { min: 0, default: 1 }),
    policy: option.list("NAME", `test only these policies [${EXPLORED_POLICIES.join(", ")}]`),
    threads: option.whole("number of threads (default: all cores)", { min: 1 }),
    replay: option.whole("replay this seed and print its events", { min: 0, valueName: "SEED" }),
    scenario: option.text("FILE", "run a scenario from a JSON file and print its events"),
  },
  examples: {
    "plimsoll sim explore": "2,000 runs with faults",
    "plimsoll sim explore --count 100000 --policy plimsoll": "a long search on one policy",
    "plimsoll sim explore --replay 42": "one run, event by event",
  },
  async run({ options }, context) {
    const policies = policiesOf(options.policy);
    if (options.replay !== undefined) return replay(scenarioOf(options.replay, policies), context);
    if (options.scenario !== undefined)
      return replay(readScenario(readFileSync(options.scenario, "utf8"), options.scenario), context);
    const { count, seed } = options;
    const bar = context.progress({ label: "explore", total: count, unit: "runs" });
    const tally = await explore({
      seed,
      count,
      policies,
      threads: options.threads ?? availableParallelism(),
      signal: context.signal,
      onProgress: (runs) => bar.update(runs),
    });
    bar.end();
    const [first] = tally.violations;
    const smallest = first === undefined ? undefined : smallestWith(first, policies);
    if (context.json)
      context.printJson({ simulated: true, seed, count, policies, ...tally, smallest: smallest ?? null });
    else context.out.write(tallyText(tally, policies, smallest));
    if (first !== undefined)
      throw new CheckFailed(
        `${tally.violations.length} of ${formatCount(tally.runs)} runs broke an invariant`,
      );
  },
});

function policiesOf(given: readonly string[]): readonly string[] {
  if (given.length === 0) return EXPLORED_POLICIES;
  for (const name of given)
    if (!(EXPLORED_POLICIES as readonly string[]).includes(name))
      throw new UsageError(`unknown policy ${name} (have: ${EXPLORED_POLICIES.join(", ")})`);
  return given;
}

function tallyText(tally: Tally, policies: readonly string[], smallest: Scenario | undefined): string {
  const { runs, complete, aborted, nobodyLeft, events, violations, reasons } = tally;
  const lines = [
    `${formatCount(runs)} simulated runs (${policies.join(", ")}), ${formatCount(events)} events`,
    `complete      ${formatCount(complete)}`,
    `aborted       ${formatCount(aborted)}`,
    ...textTable(
      [{ right: true, min: 11 }, {}],
      Object.entries(reasons)
        .sort(([, a], [, b]) => b - a)
        .map(([reason, times]) => [formatCount(times), reason]),
    ),
    `nobody left   ${formatCount(nobodyLeft)}`,
    `violations    ${formatCount(violations.length)}`,
  ];
  for (const { seed, detail } of violations.slice(0, 10))
    lines.push("", detail, `  ${replayCommand(seed, policies)}`);
  if (smallest !== undefined)
    lines.push("", "Smallest scenario with the same violation:", ...scenarioLines(smallest));
  return `${lines.join("\n")}\n`;
}

function replayCommand(seed: number, policies: readonly string[]): string {
  const all = policies.length === EXPLORED_POLICIES.length;
  return `plimsoll sim explore --replay ${seed}${all ? "" : policies.map((name) => ` --policy ${name}`).join("")}`;
}

function scenarioLines(scenario: Scenario): string[] {
  const { policy, writers, targets, faults, network } = scenario;
  return [
    `  policy ${policy}, ${writers} writers, ${targets} targets${scenario.sharedSources ? ", shared sources" : ""}`,
    ...faults.map((fault) => `  ${faultText(fault)}`),
    ...(network === null
      ? []
      : [
          `  ${network.lateShare} of the messages delayed by up to ${network.lateSeconds} s, ${network.repeatedShare} duplicated`,
        ]),
    `  ${JSON.stringify(scenario)}`,
    "  (save the last line as scenario.json; plimsoll sim explore --scenario scenario.json)",
  ];
}

function replay(scenario: Scenario, context: Context): void {
  const { out } = context;
  const events: string[] = [];
  const log = (line: string) => {
    if (!context.json) out.write(`${line}\n`);
    else if (events.length < 100_000) events.push(line);
  };
  if (!context.json) out.write(`${scenarioLines(scenario).slice(0, -1).join("\n")}\n\n`);
  const checked: Checked = checkScenario(scenario, { log });
  if (context.json) context.printJson({ scenario, checked, events });
  else if (checked.violation === undefined)
    out.write(
      `\n${checked.outcome}${checked.reason === "" ? "" : `: ${checked.reason}`}; all invariants held\n`,
    );
  if (checked.violation !== undefined) throw new CheckFailed(checked.detail);
}
