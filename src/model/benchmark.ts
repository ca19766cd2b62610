/** Results of storage benchmarks, whichever program measured them. */

/** What a run of a benchmark says of one operation. NaN and empty texts: not known. */
export interface BenchmarkResult {
  /** IOR, mdtest, IO500, fio, elbencho or DLIO. */
  readonly benchmark: string;
  readonly version: string;
  /** Name of the case or job: "ior-easy", a label, a workload. */
  readonly name: string;
  readonly operation: string;
  readonly nodes: number;
  readonly ranks: number;
  readonly transferBytes: number;
  readonly blockBytes: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Means over repetitions. */
  readonly bytesPerSecond: number;
  readonly callsPerSecond: number;
  /** Of what the benchmark is about: bytes/s where it moves data, calls/s else. */
  readonly repetitions: Repetitions;
  /** As the program wrote it. */
  readonly startTime: string;
}

export interface Repetitions {
  readonly count: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

/** Times of single ranks in one operation. */
export interface RankTimes {
  readonly benchmark: string;
  readonly operation: string;
  readonly ranks: readonly number[];
  readonly seconds: readonly number[];
}

/** A result, and where it was found. */
export interface FoundResult extends BenchmarkResult {
  readonly file: string;
}

export interface FoundRankTimes extends RankTimes {
  readonly file: string;
}
