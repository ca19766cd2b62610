/** Reads what `plimsoll ncio` and `ncio sweep` measured. */
import { readPoint, readSweep } from "../../ncio/judge/index.ts";
import { type Loaded, loadSweep } from "../../ncio/run/load.ts";
import { PAPER_DEFAULTS } from "../../ncio/run/plan.ts";
import { type Common, casesOf, directionsOf, methodsOf } from "./options.ts";
import { variablesOf } from "./sweep.ts";

export const loadMeasured = (path: string): Loaded =>
  loadSweep(path, { point: readPoint, sweep: readSweep, plan: planOf });

/** The options of the run, as its journal keeps them. */
function planOf(value: unknown) {
  const setting = value as Common & { readonly vary: string; readonly maxCount?: number };
  const { count, size, spacing } = { ...PAPER_DEFAULTS, ...setting };
  return {
    variables: variablesOf(setting.vary, setting.maxCount),
    defaults: { count, size, spacing },
    cases: casesOf(setting),
    methods: methodsOf(setting),
    directions: directionsOf(setting),
    ranks: setting.ranks,
  };
}
