/** Puts the clocks of inputs on one axis, exactly, or refuses. */
import { UsageError } from "../../base/errors.ts";
import type { CallClock } from "../../model/index.ts";
import type { Origin } from "./metrics.ts";

/** 2^52 ns are 52 days: inputs farther apart are not one measurement, and doubles would lose precision. */
export const SPAN_LIMIT_NS = 2 ** 52;

/** One reader's clock, and the extent of the accesses on it. */
export class Source {
  readonly input: number;
  readonly name: string;
  /** Among the sources of the collection. */
  number = 0;
  clock: CallClock | undefined;
  /** From the epoch of the first source with that kind of clock to this one's. */
  offsetNs = 0;
  /** Only accesses that start in [fromNs, toNs) count. */
  fromNs = Number.NEGATIVE_INFINITY;
  toNs = Number.POSITIVE_INFINITY;
  minStartNs = Number.POSITIVE_INFINITY;
  maxStartNs = Number.NEGATIVE_INFINITY;
  maxEndNs = Number.NEGATIVE_INFINITY;

  constructor(input: number, name: string) {
    this.input = input;
    this.name = name;
  }

  get used(): boolean {
    return this.minStartNs <= this.maxStartNs;
  }
}

export class Clocks {
  readonly sources: Source[] = [];
  readonly #align: "clock" | "start";
  /** The source that others with the same key count from. */
  readonly #firstOf = new Map<string, Source>();

  constructor(align: "clock" | "start") {
    this.#align = align;
  }

  add(source: Source): void {
    source.number = this.sources.push(source) - 1;
  }

  /** Takes the clock of a source, before its first access. */
  set(source: Source, clock: CallClock): void {
    source.clock = clock;
    const first = this.#firstOf.get(this.#keyOf(source));
    if (first === undefined) this.#firstOf.set(this.#keyOf(source), source);
    else source.offsetNs = Number(clock.epochNs - (first.clock as CallClock).epochNs);
    if (this.#align === "clock") this.#refuseMixed();
  }

  /** Inputs that each begin at 0 have nothing in common, however far apart they are. */
  #keyOf({ clock, input }: Source): string {
    return this.#align === "start" ? `${clock?.kind} ${input}` : `${clock?.kind}`;
  }

  #refuseMixed(): void {
    const own = this.#firstOf.get("own");
    const real = this.#firstOf.get("realtime");
    if (own === undefined || real === undefined) return;
    throw new UsageError(
      `${real.name} has wall-clock times and ${own.name} has relative times, so they have no common clock; measure them separately, or use --align start to let each input begin at 0`,
    );
  }

  /** What to add to the times of each source so that the first access of all starts at 0. */
  axis(): { shift: Float64Array; lastStartNs: number; lastEndNs: number; origin: Origin } {
    const used = this.sources.filter((source) => source.used);
    const begins = new Map<number, number>();
    for (const { input, offsetNs, minStartNs } of used) {
      const group = this.#align === "start" ? input : 0;
      begins.set(group, Math.min(begins.get(group) ?? Number.POSITIVE_INFINITY, offsetNs + minStartNs));
    }
    const beginOf = ({ input }: Source) => begins.get(this.#align === "start" ? input : 0) ?? 0;
    const shift = Float64Array.from(this.sources, (source) => source.offsetNs - beginOf(source));
    let [lastStartNs, lastEndNs] = [0, 0];
    this.sources.forEach((source, at) => {
      if (!source.used) return;
      lastStartNs = Math.max(lastStartNs, source.maxStartNs + (shift[at] as number));
      lastEndNs = Math.max(lastEndNs, source.maxEndNs + (shift[at] as number));
    });
    if (lastEndNs >= SPAN_LIMIT_NS) this.#refuseSpan(used);
    return { shift, lastStartNs, lastEndNs, origin: this.#origin(used, beginOf) };
  }

  #origin(used: readonly Source[], beginOf: (source: Source) => number): Origin {
    const originOf = (source: Source) => this.#epochOf(source) + BigInt(Math.round(beginOf(source)));
    const [first] = used;
    const inputs =
      this.#align === "start" ? new Map(used.map((one) => [one.name, originOf(one)])) : new Map();
    return { ns: first === undefined ? 0n : originOf(first), inputs };
  }

  #epochOf(source: Source): bigint {
    return this.#firstOf.get(this.#keyOf(source))?.clock?.epochNs ?? 0n;
  }

  #refuseSpan(used: readonly Source[]): never {
    const byStart = [...used].sort((a, b) => a.offsetNs + a.minStartNs - (b.offsetNs + b.minStartNs));
    const [early, late] = [byStart[0]?.name, byStart.at(-1)?.name];
    const which = early === late ? `the accesses of ${early}` : `the accesses of ${early} and ${late}`;
    throw new UsageError(
      `${which} span more than 52 days, too long for one measurement in nanoseconds; measure them separately, or use --align start`,
    );
  }

  get kind(): "realtime" | "own" | "aligned" | "none" {
    const kinds = new Set(this.sources.flatMap(({ clock }) => (clock === undefined ? [] : [clock.kind])));
    if (kinds.size === 0) return "none";
    if (this.#align === "start") return "aligned";
    return kinds.has("own") ? "own" : "realtime";
  }

  get uncertaintyNs(): number | null {
    const stated = this.sources.flatMap(({ clock }) => clock?.uncertaintyNs ?? []);
    return stated.length === 0 ? null : stated.reduce((most, one) => Math.max(most, one), 0);
  }
}
