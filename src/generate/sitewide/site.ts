/** A synthetic site: its options and what follows from them before anything is drawn. */
import { UsageError } from "../../base/errors.ts";
import { Random } from "../../base/prng.ts";
import { Weighted } from "../reuse/index.ts";
import { dayNumber } from "./calendar.ts";
import {
  CAB,
  type ClusterChoice,
  type ClusterModel,
  MDT_ALPHA,
  MDTS,
  OSTS,
  QUARTZ,
  SERIES,
} from "./scenario.ts";

export interface SiteOptions {
  readonly seed: number;
  /** 1: 4.26 million jobs, and 16,795 with minutes. */
  readonly scale: number;
  readonly cluster: ClusterChoice;
  /** Jobs on Saturdays and Sundays, as a share of those on other days; 1 is no trend. */
  readonly weekend: number;
  /** How much longer servers take for a job beside others that take all of an OST's rate; 0: times do not depend on load. */
  readonly contention: number;
  /** First local day of the minutes, YYYY-MM-DD; everything else moves with it. */
  readonly start: string;
}

export const DEFAULT_CONTENTION = 2;
export const DEFAULT_START = SERIES.from.map((part) => String(part).padStart(2, "0")).join("-");

/** Kinds of random streams. */
export const STREAM = { jobs: 1, users: 2, mdts: 3, series: 4, background: 5, live: 6, days: 7 } as const;

function dateOf(text: string): [year: number, month: number, day: number] {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  const [, year = 0, month = 0, day = 0] = match?.map(Number) ?? [];
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDate = match !== null && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isDate || year < 2008 || year > 2199)
    throw new UsageError(`--start ${text} is not a date from 2008 to 2199; write it as ${DEFAULT_START}`);
  return [year, month, day];
}

export class Site {
  readonly options: SiteOptions;
  readonly clusters: readonly ClusterModel[];
  readonly hasSeries: boolean;
  readonly seriesJobs: number;
  readonly seriesDays: number;
  /** Days since 1970 of the first day with minutes. */
  readonly seriesFrom: number;
  /** How many days later than the study everything happens. */
  readonly shiftDays: number;
  readonly osts: number;
  readonly mdtWeights: Float64Array;
  readonly mdts: Weighted;

  constructor(options: SiteOptions) {
    this.options = options;
    const { scale, cluster, start, seed } = options;
    this.clusters = cluster === "both" ? [CAB, QUARTZ] : [cluster === "cab" ? CAB : QUARTZ];
    this.hasSeries = cluster !== "cab";
    this.seriesJobs = this.hasSeries ? Math.max(10, Math.round(SERIES.jobs * scale)) : 0;
    this.seriesDays = Math.max(1, Math.min(SERIES.days, Math.round(SERIES.days * Math.sqrt(scale))));
    this.seriesFrom = dayNumber(...dateOf(start));
    this.shiftDays = this.seriesFrom - dayNumber(...SERIES.from);
    this.osts = Math.max(8, Math.min(OSTS, Math.round(OSTS * Math.sqrt(scale))));
    this.mdtWeights = dirichlet(Random.stream(seed, STREAM.mdts, 0), MDTS, MDT_ALPHA);
    this.mdts = new Weighted(this.mdtWeights);
  }

  /** Users grow with the square root of the scale. */
  usersOf({ users }: ClusterModel): number {
    return scaled(users, Math.sqrt(this.options.scale), 5);
  }
}

/** Weights that add up to 1; `alpha` is a whole number, so its gamma variates are sums of exponential ones. */
function dirichlet(random: Random, count: number, alpha: number): Float64Array {
  const weights = new Float64Array(count);
  let sum = 0;
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < alpha; k++) weights[i] = (weights[i] as number) + random.exponential(1);
    sum += weights[i] as number;
  }
  return weights.map((weight) => weight / sum);
}

export function scaled(count: number, scale: number, least: number): number {
  return Math.max(least, Math.round(count * scale));
}

const NAMES = "OST MDT".split(" ");
/** `OST000a`: indexes are hexadecimal. OSTs come first, then MDTs. */
export function targetName(site: Pick<Site, "osts">, target: number): string {
  const isMdt = target >= site.osts;
  const index = isMdt ? target - site.osts : target;
  return `${NAMES[isMdt ? 1 : 0]}${index.toString(16).padStart(4, "0")}`;
}
