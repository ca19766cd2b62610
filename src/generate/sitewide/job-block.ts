/** The jobs of one cluster that start on one day, in columns: whole numbers that a double holds exactly. */
import { CLIENT_CALL_COLUMNS } from "../../model/index.ts";
import type { ClusterModel } from "./scenario.ts";

/** What clients counted, by the names of the table's columns. */
export const COUNTERS = [
  "bytes_read",
  "bytes_written",
  "reads",
  "writes",
  ...CLIENT_CALL_COLUMNS,
  "lnet_sent_bytes",
  "lnet_received_bytes",
] as const;
export type CounterName = (typeof COUNTERS)[number];

/** `member` is its number among the jobs that are drawn alike. */
const FACTS = ["job", "member", "user", "nodes", "submit", "start", "end", "state", "program"] as const;
type FactName = (typeof FACTS)[number];

export class JobBlock {
  readonly cluster: ClusterModel;
  /** Days since 1970 on the local calendar. */
  day = 0;
  /** Which day of how many. */
  place = 0;
  days = 1;
  count = 0;
  /** Nobody read the clients of these jobs: their counters are not there, which is not zero. */
  hasCounters = true;
  readonly facts: Readonly<Record<FactName, Float64Array>>;
  readonly counters: Readonly<Record<CounterName, Float64Array>>;

  constructor(cluster: ClusterModel, capacity: number) {
    this.cluster = cluster;
    const columns = <Name extends string>(names: readonly Name[]) =>
      Object.fromEntries(names.map((name) => [name, new Float64Array(capacity)])) as Record<
        Name,
        Float64Array
      >;
    this.facts = columns(FACTS);
    this.counters = columns(COUNTERS);
  }

  get capacity(): number {
    return this.facts.job.length;
  }

  /** Puts the jobs into the order of their starts; numbers of jobs rise with it. */
  sort(firstJob: number): void {
    const { start } = this.facts;
    const order = Array.from({ length: this.count }, (_, i) => i).sort(
      (a, b) => (start[a] as number) - (start[b] as number) || a - b,
    );
    const spare = new Float64Array(this.count);
    for (const column of [...Object.values(this.facts), ...Object.values(this.counters)]) {
      for (let i = 0; i < this.count; i++) spare[i] = column[order[i] as number] as number;
      column.set(spare);
    }
    for (let i = 0; i < this.count; i++) this.facts.job[i] = firstJob + i;
  }
}
