/** Who writes much, and in small calls: Table III and its classes under each of the readings of B06. */
import { ByteSums, mean, medianOfSorted, Numbers } from "./sums.ts";

export type Values = Readonly<Record<string, number | bigint>>;

const POPULATIONS = ["all", "withIo", "withWrites"] as const;
const PER_CALL = ["meanOfRatios", "ratioOfSums"] as const;

export class WriteAnswers {
  readonly #bytes = new Numbers();
  readonly #calls = new Numbers();
  readonly #userBytes: ByteSums;
  readonly #userCalls: ByteSums;
  readonly #userRatios: Float64Array;
  readonly #users = new Set<number>();

  constructor(users: number) {
    this.#userBytes = new ByteSums(users);
    this.#userCalls = new ByteSums(users);
    this.#userRatios = new Float64Array(users);
  }

  add(user: number, bytes: number, calls: number): void {
    this.#users.add(user);
    if (calls === 0) return;
    this.#bytes.push(bytes);
    this.#calls.push(calls);
    this.#userBytes.add(user, bytes);
    this.#userCalls.add(user, calls);
    this.#userRatios[user] = (this.#userRatios[user] as number) + bytes / calls;
  }

  /** `jobs`: all with counters; `withIo`: those that moved bytes. The others have 0 bytes written and no ratio. */
  answers(jobs: number, withIo: number): Readonly<Record<string, Values>> {
    const bytes = this.#bytes.values;
    const calls = this.#calls.values;
    const ratios = bytes.map((value, i) => value / (calls[i] as number));
    const sorted = bytes.slice().sort();
    const sortedRatios = ratios.slice().sort();
    const sum = bytes.reduce((all, value) => all + value, 0);
    const sizes = { all: jobs, withIo, withWrites: bytes.length };
    const perCall = {
      meanOfRatios: mean(ratios),
      ratioOfSums: sum / calls.reduce((all, value) => all + value, 0),
    };
    const heavy = sorted.filter((value) => value > sum / jobs);
    const values: Record<string, number> = {
      writtenMin: sorted[0] ?? 0,
      writtenMax: sorted.at(-1) ?? 0,
      writtenMean: sum / jobs,
      writtenMedian: medianOfSorted(sorted, jobs - bytes.length),
      writtenMedianOfHeavy: medianOfSorted(heavy),
      perCallMin: sortedRatios[0] ?? 0,
      perCallMax: sortedRatios.at(-1) ?? 0,
      perCallMean: perCall.meanOfRatios,
      perCallMedian: medianOfSorted(sortedRatios),
    };
    for (const population of POPULATIONS) {
      for (const way of PER_CALL) {
        const limits = [sum / sizes[population], perCall[way]] as const;
        for (const [name, count] of Object.entries(classes(bytes, ratios, ...limits)))
          values[`${population}.${way}.${name}`] = count;
      }
      const middle = medianOfSorted(sorted, sizes[population] - bytes.length);
      for (const [name, count] of Object.entries(
        classes(bytes, ratios, middle, medianOfSorted(sortedRatios)),
      ))
        values[`${population}.median.${name}`] = count;
    }
    values.inefficientShare = (values["all.meanOfRatios.inefficient"] as number) / heavy.length;
    return { B06: { ...values, ...this.#ofUsers() } };
  }

  #ofUsers(): Record<string, number> {
    const users = [...this.#users];
    const bytes = Float64Array.from(users, (user) => this.#userBytes.number(user));
    const sums = Float64Array.from(users, (user) => this.#userRatios[user] as number);
    const ratios = Float64Array.from(users, (user) => {
      const calls = this.#userCalls.number(user);
      return calls === 0 ? 0 : this.#userBytes.number(user) / calls;
    });
    const values: Record<string, number> = {
      "users.writtenMean": mean(bytes),
      "users.perCallMean": mean(sums),
    };
    for (const [way, column] of [
      ["sumOfRatios", sums],
      ["ratioOfSums", ratios],
    ] as const) {
      for (const [name, count] of Object.entries(classes(bytes, column, mean(bytes), mean(column))))
        values[`users.${way}.${name}`] = count;
    }
    for (const name of ["efficient", "inefficient"] as const)
      values[`users${name === "efficient" ? "Efficient" : "Inefficient"}Share`] =
        (values[`users.ratioOfSums.${name}`] as number) / (values["users.ratioOfSums.heavy"] as number);
    return values;
  }
}

/** More than the limit of bytes: less, more or as much as the limit per call. */
function classes(bytes: Float64Array, ratios: Float64Array, bytesLimit: number, perCallLimit: number) {
  const found = { heavy: 0, inefficient: 0, efficient: 0, tie: 0 };
  for (let i = 0; i < bytes.length; i++) {
    if (!((bytes[i] as number) > bytesLimit)) continue;
    found.heavy++;
    const ratio = ratios[i] as number;
    found[ratio < perCallLimit ? "inefficient" : ratio > perCallLimit ? "efficient" : "tie"]++;
  }
  return found;
}
