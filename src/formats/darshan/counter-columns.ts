/** What rows of `counters` have in common in all logs: names, units and meanings of a module, made once. */
import type { Counter, ModuleSpec } from "./modules/index.ts";
import { isSummable } from "./plain-totals.ts";

/** Columns of `counters` that are the same for every log, and which counters of the module its rows are. */
interface CounterColumns {
  readonly columns: Readonly<Record<"name" | "unit" | "rule" | "meaning", readonly string[]>>;
  readonly integersAt: readonly number[];
  readonly realsAt: readonly number[];
}

const columnsBySpec = new Map<ModuleSpec, CounterColumns>();

export function counterColumns(spec: ModuleSpec, hasRules: boolean): CounterColumns {
  const known = columnsBySpec.get(spec);
  if (known !== undefined) return known;
  const isShown = (counter: Counter) => (hasRules ? counter.total !== "none" : isSummable(counter));
  const shownOf = (all: readonly Counter[]) =>
    all.flatMap((counter, index) => (isShown(counter) ? [index] : []));
  const [integersAt, realsAt] = [shownOf(spec.integers), shownOf(spec.reals)];
  const shown = [
    ...integersAt.map((index) => spec.integers[index] as Counter),
    ...realsAt.map((index) => spec.reals[index] as Counter),
  ];
  const made = {
    columns: {
      name: shown.map(({ name }) => name),
      unit: shown.map(({ unit }) => unit),
      rule: shown.map(({ total }) => (hasRules ? total : "sum")),
      meaning: shown.map(({ meaning }) => meaning),
    },
    ...{ integersAt, realsAt },
  };
  columnsBySpec.set(spec, made);
  return made;
}
