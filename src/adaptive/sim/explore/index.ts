/** Seeds × random scenarios × faults, with a check of every invariant. */

export { type Checked, checkScenario } from "./check.ts";
export { explore, type Tally } from "./explore.ts";
export { EXPLORED_POLICIES, readScenario, type Scenario, scenarioOf } from "./scenario.ts";
export { smallestWith } from "./shrink.ts";
