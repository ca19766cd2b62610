/** True answers about the jobs of one cluster (B02 to B07, B09 to B11, B17a), while they pass by. */
import { NAME_CALL_COLUMNS } from "../../model/index.ts";
import { LocalClock } from "./calendar.ts";
import type { JobBlock } from "./job-block.ts";
import { type ClusterModel, LONG_SECONDS } from "./scenario.ts";
import {
  distanceToUniform,
  ByteSums,
  kruskalWallis,
  mean,
  medianOfCounts,
  medianOfSorted,
  Pearson,
} from "./sums.ts";
import { type Values, WriteAnswers } from "./answers-writes.ts";

export class ClusterAnswers {
  readonly model: ClusterModel;
  jobs = 0;
  readonly #users = new Set<number>();
  #longJobs = 0;
  #longNodeSeconds = 0;
  #nodeSeconds = 0;
  readonly #seconds = new Float64Array(LONG_SECONDS);
  readonly #nodes = new Float64Array(2048);
  #durationSum = 0;
  #nodeSum = 0;
  #counted = 0;
  #withIo = 0;
  #withAny = 0;
  readonly #writes: WriteAnswers;
  readonly #userRead: ByteSums;
  readonly #userWritten: ByteSums;
  readonly #correlations = new Map<string, { readonly writers: Pearson; readonly all: Pearson }>();
  readonly #total = new ByteSums(2);
  readonly #hours = new ByteSums(24);
  readonly #clock = new LocalClock();
  readonly #days: { day: number; bytes: number; longest: number; topUser: number }[] = [];

  /** `users`: how many the cluster has. */
  constructor(model: ClusterModel, users: number) {
    this.model = model;
    this.#userRead = new ByteSums(users);
    this.#userWritten = new ByteSums(users);
    this.#writes = new WriteAnswers(users);
    for (const name of [...NAME_CALL_COLUMNS, "sum"])
      this.#correlations.set(name, { writers: new Pearson(), all: new Pearson() });
  }

  add(block: JobBlock): void {
    const { facts } = block;
    const ofUser = new Map<number, number>();
    let longest = -1;
    let longestBytes = 0;
    let dayBytes = 0;
    for (let row = 0; row < block.count; row++) {
      const seconds = (facts.end[row] as number) - (facts.start[row] as number);
      const nodes = facts.nodes[row] as number;
      if (seconds >= LONG_SECONDS) {
        this.#longJobs++;
        this.#longNodeSeconds += nodes * seconds;
        continue;
      }
      this.#shape(seconds, nodes, facts.user[row] as number);
      if (!block.hasCounters) continue;
      const bytes = this.#counters(block, row);
      dayBytes += bytes;
      const user = facts.user[row] as number;
      ofUser.set(user, (ofUser.get(user) ?? 0) + bytes);
      if (seconds > longest) {
        longest = seconds;
        longestBytes = bytes;
      }
    }
    if (block.hasCounters && dayBytes > 0) {
      const topUser = Math.max(...ofUser.values());
      this.#days.push({ day: block.day, bytes: dayBytes, longest: longestBytes, topUser });
    }
  }

  #shape(seconds: number, nodes: number, user: number): void {
    this.jobs++;
    this.#users.add(user);
    this.#nodeSeconds += nodes * seconds;
    this.#durationSum += seconds;
    this.#nodeSum += nodes;
    this.#seconds[seconds] = (this.#seconds[seconds] as number) + 1;
    this.#nodes[nodes] = (this.#nodes[nodes] as number) + 1;
  }

  /** Gives the bytes that the job moved. */
  #counters({ facts, counters }: JobBlock, row: number): number {
    const read = counters.bytes_read[row] as number;
    const written = counters.bytes_written[row] as number;
    const user = facts.user[row] as number;
    this.#counted++;
    this.#userRead.add(user, read);
    this.#userWritten.add(user, written);
    this.#total.add(0, read);
    this.#total.add(1, written);
    this.#hours.add(this.#clock.hour(facts.start[row] as number), read + written);
    this.#writes.add(user, written, counters.writes[row] as number);
    const x = Math.log10(1 + written);
    let sum = 0;
    for (const name of NAME_CALL_COLUMNS) {
      const calls = counters[name][row] as number;
      sum += calls;
      this.#correlate(name, x, written > 0, calls);
    }
    this.#correlate("sum", x, written > 0, sum);
    if (read + written > 0) this.#withIo++;
    if (read + written + sum > 0) this.#withAny++;
    return read + written;
  }

  #correlate(name: string, x: number, isWriter: boolean, calls: number): void {
    const { writers, all } = this.#correlations.get(name) as { writers: Pearson; all: Pearson };
    const y = Math.log10(1 + calls);
    all.add(x, y);
    if (isWriter) writers.add(x, y);
  }

  answers(): Readonly<Record<string, Values>> {
    return {
      B02: { jobs: this.jobs, users: this.#users.size, jobsWithCounters: this.#counted },
      B03: {
        longJobs: this.#longJobs,
        longShareOfNodeHours: this.#longNodeSeconds / (this.#longNodeSeconds + this.#nodeSeconds),
      },
      B04: this.#shapes(),
      B05: this.#readShares(),
      ...this.#writes.answers(this.#counted, this.#withIo),
      B07: this.#metadata(),
      B09: this.#calendar(),
      B10: this.#cells("longest"),
      B11: this.#cells("topUser"),
      B12: {
        ioShareOfJobs: this.#withIo / this.#counted,
        anyShareOfJobs: this.#withAny / this.#counted,
      },
      B17: this.#startHours(),
    };
  }

  #shapes(): Values {
    const range = (counts: Float64Array) => {
      const first = counts.findIndex((count) => count > 0);
      return [first, counts.findLastIndex((count) => count > 0)] as const;
    };
    const below = (counts: Float64Array, limit: number) =>
      counts.subarray(0, limit).reduce((all, count) => all + count, 0) / this.jobs;
    const [secondsMin, secondsMax] = range(this.#seconds);
    const [nodesMin, nodesMax] = range(this.#nodes);
    return {
      durationMinHours: secondsMin / 3600,
      durationMaxHours: secondsMax / 3600,
      durationMeanHours: this.#durationSum / this.jobs / 3600,
      durationMedianHours: medianOfCounts(this.#seconds) / 3600,
      below2Hours: below(this.#seconds, 7200),
      nodesMin,
      nodesMax,
      nodesMean: this.#nodeSum / this.jobs,
      nodesMedian: medianOfCounts(this.#nodes),
      below100Nodes: below(this.#nodes, 100),
    };
  }

  #readShares(): Values {
    const shares: number[] = [];
    for (const user of this.#users) {
      const read = this.#userRead.number(user);
      const moved = read + this.#userWritten.number(user);
      if (moved > 0) shares.push(read / moved);
    }
    return {
      users: shares.length,
      mostlyRead: shares.filter((share) => share > 0.8).length / shares.length,
      mostlyWritten: shares.filter((share) => share < 0.2).length / shares.length,
      distanceToUniform: distanceToUniform(shares),
      bytesRead: this.#total.exact(0),
      bytesWritten: this.#total.exact(1),
    };
  }

  #metadata(): Values {
    const values: Record<string, number> = {};
    for (const [name, { writers, all }] of this.#correlations) {
      values[`${name}R`] = writers.r;
      values[`${name}RAllJobs`] = all.r;
    }
    return values;
  }

  #calendar(): Values {
    const weekdays: number[][] = [[], [], [], [], [], [], []];
    for (const { day, bytes } of this.#days) weekdays[(day + 4) % 7]?.push(bytes);
    const working = mean([1, 2, 3, 4, 5].flatMap((day) => weekdays[day] as number[]));
    const ends = mean([0, 6].flatMap((day) => weekdays[day] as number[]));
    return {
      days: this.#days.length,
      kruskalWallisH: kruskalWallis(weekdays),
      weekendOverWorkingDay: ends / working,
    };
  }

  #cells(which: "longest" | "topUser"): Values {
    const shares = Float64Array.from(this.#days, (day) => day[which] / day.bytes).sort();
    return { meanShare: mean(shares), medianShare: medianOfSorted(shares) };
  }

  #startHours(): Values {
    const all = Number(this.#total.exact(0) + this.#total.exact(1));
    const hours = Array.from({ length: 24 }, (_, hour) => this.#hours.number(hour) / all);
    const peaks = hours
      .map((share, hour) => ({ share, hour }))
      .filter(({ share, hour }) => {
        const beside = [hours[(hour + 23) % 24] as number, hours[(hour + 1) % 24] as number];
        return share > Math.max(...beside);
      })
      .sort((a, b) => b.share - a.share)
      .slice(0, 2)
      .map(({ hour }) => hour);
    const values: Record<string, number> = {
      earlierPeakHour: Math.min(...peaks),
      laterPeakHour: Math.max(...peaks),
    };
    hours.forEach((share, hour) => {
      values[`hour${String(hour).padStart(2, "0")}`] = share;
    });
    return values;
  }
}
