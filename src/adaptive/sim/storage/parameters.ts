/**
 * The parameters of the storage model as a table: unit, meaning, and valid range. Rates are in MB/s and sizes in MB, where MB
 * is 2^20 bytes as in IOR. docs/simulator.md has the formulas.
 */

export const MB = 1048576;

interface ParameterInfo {
  readonly unit: string;
  readonly meaning: string;
  /** Default for machine files: an undisturbed machine without contention. */
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

export const PARAMETERS = {
  diskRate: row("MB/s", "disk rate of one target without contention", 180, 0.001, 1e6),
  diskFloor: row("", "fraction of the disk rate left under maximal contention", 1, 0.01, 1),
  diskHalf: row("streams", "number of streams at half of the loss", 20, 0.1, 1e5),
  diskPower: row("", "steepness of the loss (Hill exponent)", 2, 0.2, 20),
  ingestRate: row("MB/s", "rate of one target's server into its cache, undisturbed", 400, 0.001, 1e6),
  ingestFloor: row("", "fraction of the ingest rate left under maximal contention", 1, 0.01, 1),
  ingestHalf: row("streams", "number of streams at half of that loss", 20, 0.1, 1e5),
  ingestPower: row("", "steepness of that loss", 2, 0.2, 20),
  networkRate: row("MB/s", "network to all targets; those in use share it equally", 1e6, 0.001, 1e9),
  clientRate: row("MB/s", "limit of one writer", 110, 0.001, 1e6),
  dirtyLimit: row("MB", "dirty data one target accepts before writers wait for its disks", 135, 0, 1e6),
  opOverhead: row("s", "per write, after its data: request, flush round trip", 0.02, 0, 100),
  startJitter: row("s", "writers start within this time", 0.02, 0, 1000),
  lightStreams: row("streams", "mean light background streams per target", 0, 0, 1000),
  lightSeconds: row("s", "mean life of a light stream", 12.5, 0.01, 1e6),
  lightRate: row("MB/s", "max rate of a light stream", 40, 0.001, 1e6),
  lightSpread: row("", "spread between targets of their mean streams (sd of the logarithm)", 0, 0, 4),
  heavyJobs: row("jobs", "mean number of heavy background jobs on the machine", 0, 0, 1000),
  heavyStreams: row("streams", "mean streams of a heavy job on each of its targets", 8, 0.01, 1000),
  heavySpread: row("", "spread of that number between jobs (sd of the logarithm)", 0.5, 0, 4),
  heavySeconds: row("s", "mean life of a heavy job", 60, 0.01, 1e6),
  heavyMinWidth: row("targets", "fewest targets of a heavy job (log-uniform up to the most)", 4, 1, 1e5),
  heavyMaxWidth: row("targets", "most targets of a heavy job", 160, 1, 1e5),
  runSpread: row("", "spread between runs of the background's intensity (sd of the logarithm)", 0, 0, 4),
  runSpeedSd: row("", "spread between runs of the whole machine's speed (sd of the logarithm)", 0, 0, 2),
  backgroundGrip: row("", "extra weight of background per own stream after the first", 0, 0, 2),
  speedSd: row("", "spread between targets of their speed (sd of the logarithm)", 0, 0, 2),
  degradedShare: row("", "fraction of degraded targets, for example during a RAID rebuild", 0, 0, 1),
  degradedMin: row("", "lowest speed of a degraded target (uniform up to the highest)", 0.2, 0.001, 1),
  degradedMax: row("", "highest speed of a degraded target", 0.4, 0.001, 1),
  sharedFactor: row("", "work per byte in a file that all writers share, against a file each", 1, 0.1, 10),
  sharedFloor: row("", "as diskFloor, for a shared file", 1, 0.01, 1),
  sharedHalf: row("streams", "as diskHalf, for a shared file", 20, 0.1, 1e5),
  sharedPower: row("", "as diskPower, for a shared file", 2, 0.2, 20),
  sharedBytes: row(
    "MB",
    "work per write in a shared file in addition to its bytes: locks, partial blocks",
    0,
    0,
    1000,
  ),
  sharedHidden: row("", "share of that work, up to the bytes written, hidden behind them", 0, 0, 1),
  jobWeight: row("", "streams of a second job beside one own stream, when an experiment runs two", 1, 0, 100),
  jobWeightSpread: row("", "spread between runs of that weight (sd of the logarithm)", 0, 0, 4),
} as const satisfies Record<string, ParameterInfo>;

export type ParameterName = keyof typeof PARAMETERS;
export type StorageParameters = Readonly<Record<ParameterName, number>>;

export const PARAMETER_NAMES = Object.keys(PARAMETERS) as ParameterName[];

/** All parameters, with defaults. */
export function withDefaults(given: Readonly<Partial<Record<ParameterName, number>>>): StorageParameters {
  const all = {} as Record<ParameterName, number>;
  for (const name of PARAMETER_NAMES) all[name] = given[name] ?? PARAMETERS[name].fallback;
  return all;
}

function row(unit: string, meaning: string, fallback: number, min: number, max: number): ParameterInfo {
  return { unit, meaning, fallback, min, max };
}
