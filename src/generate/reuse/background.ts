/** Everything outside the study: small files, files with one run, logs without files, and decoys. */
import { Random } from "../../base/prng.ts";
import { atHour, PERIOD_DAYS } from "./calendar.ts";
import { logNormal, type Weighted, zipf } from "./distributions.ts";
import { padded, type Population } from "./population.ts";
import { RecordIds } from "./record-ids.ts";
import { BACKGROUND_FILES, GB, IO_TIME, MIN_BYTES } from "./scenario.ts";
import { HOURS } from "./hour-account.ts";
import { durationOf, ranksPower } from "./selected.ts";
import { SiteLoad } from "./site-load.ts";
import {
  addAccess,
  BACKGROUND,
  DECOY,
  evenTime,
  type FileTruth,
  type Group,
  type LayerCode,
  MPIIO,
  POSIX,
  type RunKind,
  type RunTruth,
  STDIO,
} from "./truth.ts";

/** Files that share a stream of random numbers. */
const BLOCK_FILES = 16;
/** Run numbers of a block. */
const BLOCK_RUNS = 1 << 16;
const DECOY_RUNS = 1000;
/** A file may have a thousand runs and stay small. */
const RUNS_MAX = 1000;
const BYTES_PER_SECOND = 200e6;
const OPEN_SECONDS = 0.01;
/** Just below what the study selects. */
const ALMOST = 99_900_000_000;

export class Background {
  readonly #population: Population;
  readonly #random = new Random(0);
  readonly #ids = new RecordIds();
  readonly #extraRuns: Weighted = zipf(RUNS_MAX, BACKGROUND_FILES.zipf);

  readonly #load: SiteLoad;

  constructor(population: Population) {
    this.#population = population;
    this.#load = new SiteLoad(population.options.seed);
  }

  /** Blocks that `mine` leaves out are not drawn: each has random numbers of its own. */
  *groups(mine: (block: number) => boolean = () => true): Generator<Group> {
    const { backgroundFiles, logs } = this.#population;
    const perFile = backgroundFiles === 0 ? 0 : logs / backgroundFiles;
    for (let first = 0, block = 0; first < backgroundFiles; first += BLOCK_FILES, block++) {
      const end = Math.min(first + BLOCK_FILES, backgroundFiles);
      if (!mine(block)) continue;
      yield this.#block(block, first, end, Math.floor(perFile * end) - Math.floor(perFile * first));
    }
  }

  #block(block: number, first: number, end: number, logs: number): Group {
    const random = this.#random.restart(this.#population.options.seed, BACKGROUND, block);
    const runs: RunTruth[] = [];
    const files: FileTruth[] = [];
    const begin = (user: number, application: number): RunTruth => {
      const run = this.#run(BACKGROUND, block * BLOCK_RUNS + runs.length, user, application, random);
      runs.push(run);
      return run;
    };
    const anybody = () => this.#population.userPopularity.pick(random.unit());
    const anything = () => this.#population.applicationPopularity.pick(random.unit());
    let open: RunTruth | undefined;
    for (let index = first; index < end; index++) {
      const bytes = Math.ceil(logNormal(random.unit(), BACKGROUND_FILES.medianBytes, BACKGROUND_FILES.sigma));
      const one = random.unit() < BACKGROUND_FILES.oneRun || bytes >= MIN_BYTES;
      if (one) {
        if (open === undefined || random.unit() >= BACKGROUND_FILES.another)
          open = begin(anybody(), anything());
        files.push(this.#touch(index, bytes, [open], random));
      } else {
        const own = begin(anybody(), anything());
        const count = 2 + this.#extraRuns.pick(random.unit());
        const all = [own, ...Array.from({ length: count - 1 }, () => begin(own.user, own.application))];
        files.push(this.#touch(index, bytes, all, random));
      }
    }
    while (runs.length < logs) begin(anybody(), anything());
    return { runs, files };
  }

  /** A file of the background, and its bytes spread over its runs. */
  #touch(index: number, bytes: number, runs: readonly RunTruth[], random: Random): FileTruth {
    const [{ user }] = runs as readonly [RunTruth];
    const elsewhere = random.unit() < BACKGROUND_FILES.elsewhere;
    const folder = elsewhere ? "/global/homes/u" : "/global/cscratch1/sd/user";
    const file = this.#file(
      `${folder}${padded(user, 5)}/b${padded(index, 9)}.dat`,
      elsewhere ? undefined : random.below(this.#population.osts),
    );
    const way = random.unit();
    const draw = random.unit();
    const layer: LayerCode = draw < 0.3 ? STDIO : draw < 0.35 ? MPIIO : POSIX;
    const together = layer === MPIIO || random.unit() < 0.3;
    runs.forEach((run, i) => {
      const amount = Math.floor((bytes * (i + 1)) / runs.length) - Math.floor((bytes * i) / runs.length);
      const read =
        way < BACKGROUND_FILES.onlyRead
          ? amount
          : way < BACKGROUND_FILES.onlyRead + BACKGROUND_FILES.onlyWritten
            ? 0
            : Math.floor(amount / 2);
      const seconds = OPEN_SECONDS + (amount / BYTES_PER_SECOND) * this.#load.factor(run.start, "RW");
      const ranks = together ? run.ranks : 1;
      addAccess(run, file, layer, ranks, read, amount - read, evenTime(read, amount - read, seconds));
    });
    return file;
  }

  #file(path: string, ost: number | undefined): FileTruth {
    this.#ids.hash(path);
    return {
      path,
      idLow: this.#ids.low,
      idHigh: this.#ids.high,
      osts: ost === undefined ? [] : [ost],
      ostText: ost === undefined ? null : String(ost),
      accesses: [],
    };
  }

  #run(kind: RunKind, number: number, user: number, application: number, random: Random): RunTruth {
    const start =
      atHour(random.below(PERIOD_DAYS), HOURS.pick(random.unit()), random.unit() < 0.5) + random.below(3600);
    const ranks = 2 ** ranksPower(random);
    return {
      kind,
      number,
      user,
      application,
      start,
      durationMs: durationOf(random.unit(), 0),
      ranks,
      accesses: [],
    };
  }

  /** Files at the edges of the selection: much data but one run; many runs but 99.9 GB; exactly 100 GB and two runs. */
  *decoys(): Generator<Group> {
    const { decoys, options } = this.#population;
    for (let index = 0; index < 3 * decoys; index++) {
      const random = this.#random.restart(options.seed, DECOY, index);
      const user = this.#population.selectedUser(index, random.unit());
      const application = this.#population.userApplication(user, 0);
      const amounts = decoyAmounts(index % 3, random);
      const path = `/global/cscratch1/sd/user${padded(user, 5)}/data/d${padded(index, 7)}.h5`;
      const file = this.#file(path, index % this.#population.osts);
      // No two start together: the order of a file's runs does not hang on their ids.
      const taken = new Set<number>();
      const runs = amounts.map(([read, written], i) => {
        const drawn = this.#run(DECOY, index * DECOY_RUNS + i, user, application, random);
        let { start } = drawn;
        while (taken.has(start)) start++;
        taken.add(start);
        const run = { ...drawn, start };
        const alone = (300 + 60 * random.unit()) * this.#load.factor(start, "RW");
        const seconds = Math.max(alone, (read + written) / IO_TIME.ostRate);
        addAccess(run, file, POSIX, run.ranks, read, written, evenTime(read, written, seconds));
        return run;
      });
      yield { runs, files: [file] };
    }
  }
}

/** Bytes read and written by each run. */
function decoyAmounts(kind: number, random: Random): (readonly [number, number])[] {
  if (kind === 0) return [[100 * GB + random.below(300 * GB), 0]];
  if (kind === 2) {
    return [
      [0, 50 * GB],
      [50 * GB, 0],
    ];
  }
  const count = 10 + random.below(20);
  return Array.from({ length: count }, (_, i) => [
    Math.floor((ALMOST * (i + 1)) / count) - Math.floor((ALMOST * i) / count),
    0,
  ]);
}
