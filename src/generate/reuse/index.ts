/** The scenario `reuse`: a centre with the file reuse of a published study, as logs or as rows, and its true answers. */
import { AnswerBook, type Answers } from "./answers.ts";
import { Background } from "./background.ts";
import { ZONE } from "./calendar.ts";
import { Contention, type Load, type LoadAnswers } from "./contention.ts";
import type { Population, ReuseOptions } from "./population.ts";
import type { Compared } from "../compared.ts";
import { compare } from "./published.ts";
import { MIN_BYTES, MIN_RUNS } from "./scenario.ts";
import { SelectedFiles } from "./selected.ts";
import type { SelectedSlice, Slice } from "./selected-slice.ts";
import type { Group } from "./truth.ts";

export { Contention, type Load } from "./contention.ts";
export { LogNames } from "./identity.ts";
export { logOf } from "./logs.ts";
export { INTER_ARRIVALS, Population, type InterArrival, type ReuseOptions } from "./population.ts";
export { CALIBRATED_SCALE } from "./published.ts";
export {
  JoinedLoad,
  SelectedSlice,
  type Slice,
  type SliceReader,
  type SliceTimes,
} from "./selected-slice.ts";
export { TableEmitter } from "./tables.ts";
export type { Group } from "./truth.ts";

export const SCENARIO = "reuse";
/** Changes when the output for the same seed changes. */
const SCENARIO_VERSION = 3;

const WHOLE: Slice = { index: 1, of: 1 };

/** The whole centre, some files with all their runs at a time: what is selected, decoys, then the others. */
export function centre(
  population: Population,
  { clock }: Load = new Contention(population),
): Generator<Group> {
  return withOthers(population, new SelectedFiles(population).groups(clock), WHOLE);
}

/** A slice of it: selected files of some OSTs (selected-slice.ts), and every Nth group of the others. */
export function* centreSlice(
  population: Population,
  slice: Slice,
  selected?: SelectedSlice,
): Generator<Group> {
  yield* withOthers(population, selected?.groups() ?? everyGroup(population, slice), slice);
}

/** Where runs touch several files, each hangs on others everywhere: every slice draws all of them. */
function* everyGroup(population: Population, { index, of }: Slice): Generator<Group> {
  let number = 0;
  const { clock } = new Contention(population);
  for (const group of new SelectedFiles(population).groups(clock))
    if (number++ % of === index - 1) yield group;
}

function* withOthers(
  population: Population,
  selected: Iterable<Group>,
  { index, of }: Slice,
): Generator<Group> {
  const background = new Background(population);
  const mine = (number: number) => number % of === index - 1;
  yield* selected;
  let number = 0;
  for (const group of background.decoys()) if (mine(number++)) yield group;
  yield* background.groups(mine);
}

/** About how many runs there will be, for a bar. */
export function expectedRuns({ options, logs }: Population): number {
  return Math.round(400_000 * options.scale + logs);
}

/** What answers.json holds. */
export interface AnswerSheet {
  readonly scenario: string;
  readonly version: number;
  readonly seed: number;
  readonly options: ReuseOptions & {
    readonly zone: string;
    readonly minBytes: number;
    readonly minRuns: number;
  };
  readonly definitions: readonly string[];
  readonly items: Readonly<Record<string, AnswerItem>>;
  readonly comparison: readonly Compared[];
  /** How I/O times hang on load. */
  readonly load: LoadAnswers;
  readonly ids: { readonly selectedFiles: string };
}

interface AnswerItem {
  readonly planted: Answers[string];
  readonly published: Readonly<Record<string, number>>;
  readonly tolerance: Readonly<Record<string, { readonly low: number; readonly high: number }>>;
}

const DEFINITIONS = [
  "shares are fractions; means are over files; standard deviations are of the population (ddof 0)",
  "A05, A06: planted counts, published shares of the selected files and of their runs",
  "A02, A03: all files; A04 and on: files with at least minBytes moved in at least minRuns runs",
  "A07: gaps and streaks over all selected files",
  "A08: mean gap from start to start, per file and type, of files with two accesses of that type; p80 by linear interpolation; longShare: files with 50 h or more",
  "A09: mean streak per file and type, 0 for a type that never occurs; exactly 2 is on the rounded mean",
  "A10: mean gap per (file, application) with two runs, both types together",
  "A11: bytes of a run to and from selected files; means and medians over runs, medians only up to a million runs of a type",
  "A12: bytes of a striped file are divided evenly over its OSTs",
  "A14: I/O time of an access is slowest_seconds; cells of one file and hour need two runs",
  "A13: bytes of POSIX accesses, mean per file, then over files",
  "A16: sequential calls of all accesses but STDIO; stripe widths of selected files",
  "load: log I/O time = log time alone + elasticity x log load of the hour; while others are on its OST a transfer takes 1 + slope x (what they take of the OST's rate alone) times as long; removals: I/O seconds of runs as they were and without one job",
  "ids.selectedFiles: SHA-256 of the record ids in decimal, in rising order, each followed by a newline",
];

/** Collects the answers while the groups pass by. */
export class AnswerSheetBuilder {
  readonly #population: Population;
  readonly #load: Load;
  readonly #book: AnswerBook;

  constructor(population: Population, load: Load = new Contention(population)) {
    this.#population = population;
    this.#load = load;
    this.#book = new AnswerBook(population.osts);
  }

  add(group: Group): void {
    this.#book.add(group);
  }

  finish(): AnswerSheet {
    const { answers, selectedFilesSha256 } = this.#book.finish();
    const comparison = compare(answers, this.#population);
    const items = Object.fromEntries(
      Object.entries(answers).map(([item, planted]) => {
        const own = comparison.filter((line) => line.item === item);
        return [
          item,
          {
            planted,
            published: Object.fromEntries(own.map(({ key, published }) => [key, published])),
            tolerance: Object.fromEntries(
              own.flatMap(({ key, low, high }) =>
                low === undefined || high === undefined ? [] : [[key, { low, high }]],
              ),
            ),
          },
        ];
      }),
    );
    const { options } = this.#population;
    return {
      scenario: SCENARIO,
      version: SCENARIO_VERSION,
      seed: options.seed,
      options: { ...options, zone: ZONE, minBytes: MIN_BYTES, minRuns: MIN_RUNS },
      definitions: DEFINITIONS,
      items,
      comparison,
      load: this.#load.answers(),
      ids: { selectedFiles: selectedFilesSha256 },
    };
  }
}
export { Weighted, logNormal, zipf } from "./distributions.ts";
export { TableBuffer, put, putHalves, putMissing, putNanoseconds } from "./table-buffer.ts";
