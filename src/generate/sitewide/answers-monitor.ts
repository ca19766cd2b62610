/** True answers about targets over time: operations, latencies and volumes by local day, and by target in two windows. */
import { LocalClock, LocalDay } from "./calendar.ts";
import { ByteSums } from "./sums.ts";
import { COUNTED_COLUMNS, MDT_COLUMNS, OST_COLUMNS, type TargetCells, targetNames } from "./target-cells.ts";
import type { Site } from "./site.ts";

type Sums = Readonly<Record<string, bigint>>;

/** Sums of columns over some rows of targets. */
class Columns {
  readonly #sums = new ByteSums(COUNTED_COLUMNS.length);

  add(isOst: boolean, cells: TargetCells, at: number): void {
    const first = isOst ? 0 : OST_COLUMNS.length;
    const count = isOst ? OST_COLUMNS.length : MDT_COLUMNS.length;
    for (let i = 0; i < count; i++) this.#sums.add(first + i, cells[at + i] as number);
  }

  answers(columns: readonly string[]): Sums {
    return Object.fromEntries(columns.map((name) => [name, this.#sums.exact(COUNTED_COLUMNS.indexOf(name))]));
  }
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly targets: readonly Columns[];
}

export class MonitorAnswers {
  readonly #site: Site;
  readonly #names: readonly string[];
  readonly #whole = new Columns();
  readonly #days = new Map<number, Columns>();
  readonly #windows: Readonly<Record<string, Stretch>>;
  readonly #clock = new LocalClock();
  #minute = Number.NaN;
  #day = new Columns();

  constructor(site: Site, [from, to]: readonly [from: number, to: number]) {
    this.#site = site;
    this.#names = targetNames(site);
    const stretch = (first: number, end: number) => ({
      ...{ from: first, to: end },
      targets: this.#names.map(() => new Columns()),
    });
    const noon = new LocalDay(site.seriesFrom + site.seriesDays - 1).at(12) / 60;
    this.#windows = {
      noon: stretch(noon, noon + 60),
      beforeNoon: stretch(from, noon),
      end: stretch(to - 1440, to),
    };
  }

  add(minute: number, target: number, cells: TargetCells, at: number): void {
    const isOst = target < this.#site.osts;
    if (minute !== this.#minute) this.#begin(minute);
    this.#whole.add(isOst, cells, at);
    this.#day.add(isOst, cells, at);
    for (const name in this.#windows) {
      const { from, to, targets } = this.#windows[name] as Stretch;
      if (minute >= from && minute < to) (targets[target] as Columns).add(isOst, cells, at);
    }
  }

  #begin(minute: number): void {
    this.#minute = minute;
    const day = this.#clock.day(60 * minute);
    const own = this.#days.get(day) ?? new Columns();
    this.#days.set(day, own);
    this.#day = own;
  }

  answers() {
    const date = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);
    const columnsOf = (target: number) => (target < this.#site.osts ? OST_COLUMNS : MDT_COLUMNS);
    const windowOf = ({ from, to, targets }: Stretch) => ({
      ...{ fromMinute: from, toMinute: to },
      targets: Object.fromEntries(
        targets.map((sums, at) => [this.#names[at] as string, sums.answers(columnsOf(at))]),
      ),
    });
    return {
      whole: this.#whole.answers(COUNTED_COLUMNS),
      days: Object.fromEntries(
        [...this.#days].map(([day, sums]) => [date(day), sums.answers(COUNTED_COLUMNS)]),
      ),
      windows: Object.fromEntries(
        Object.entries(this.#windows).map(([name, window]) => [name, windowOf(window)]),
      ),
    };
  }
}
