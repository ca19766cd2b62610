/** Whether traces are of one job: by the folder of a recording, by program, and by the time that they share. */
import { UsageError } from "../../base/errors.ts";
import { type CallSink, sinkBefore } from "../../model/index.ts";

export interface TraceOfJob {
  readonly path: string;
  /** Traces of one launch have the same. */
  readonly launch: string;
  readonly programs: ReadonlySet<string>;
  /** Since 1970; NaN when the trace has no time of day. */
  readonly startSeconds: number;
  readonly endSeconds: number;
}

const NAMED_MAX = 3;

/** Hears what a trace says of itself while it is read. */
export class TraceListener implements TraceOfJob {
  readonly path: string;
  readonly launch: string;
  readonly programs = new Set<string>();
  startSeconds = Number.NaN;
  endSeconds = Number.NaN;
  #epochSeconds = Number.NaN;

  constructor(path: string, isRecording: boolean) {
    this.path = path;
    this.launch = isRecording ? path.slice(0, path.lastIndexOf("/") + 1) : path;
  }

  before(sink: CallSink): CallSink {
    return sinkBefore(sink, {
      clock: (clock) => {
        this.#epochSeconds = clock.kind === "realtime" ? Number(clock.epochNs) / 1e9 : Number.NaN;
        sink.clock(clock);
      },
      process: (process) => {
        const { program, life } = process;
        if (program !== undefined) this.programs.add(program);
        if (life !== undefined) this.#reach(life.startNs, life.endNs);
        return sink.process(process);
      },
      block: (block) => {
        const { count, startNs, endNs } = block;
        if (count > 0) this.#reach(startNs[0] as number, endNs[count - 1] as number);
        sink.block(block);
      },
    });
  }

  #reach(startNs: number, endNs: number): void {
    const [start, end] = [this.#epochSeconds + startNs / 1e9, this.#epochSeconds + endNs / 1e9];
    if (!(start >= this.startSeconds)) this.startSeconds = start;
    if (!(end <= this.endSeconds)) this.endSeconds = end;
  }
}

/** Refuses traces of different jobs, and names the jobs. */
export function requireOneLaunch(jobs: readonly (readonly TraceOfJob[])[]): void {
  if (jobs.length <= 1) return;
  const named = jobs.slice(0, NAMED_MAX).map(nameOf).join(", ");
  const more = jobs.length > NAMED_MAX ? ` and ${jobs.length - NAMED_MAX} more` : "";
  throw new UsageError(
    `the traces belong to ${jobs.length} different jobs: ${named}${more}; pass the traces or the folder of one job, or use --force-merge`,
  );
}

/** Traces by job: those of one launch, of one program, or of the same time. One that tells neither may be of any. */
export function launchesOf(traces: readonly TraceOfJob[]): TraceOfJob[][] {
  if (traces.some(({ programs, startSeconds }) => programs.size === 0 || Number.isNaN(startSeconds)))
    return [[...traces]];
  const groups = new Groups(traces.length);
  const earlier = new Map<string, number>();
  const order = traces.map((_, at) => at);
  for (const [at, { launch, programs }] of traces.entries())
    for (const key of [`launch ${launch}`, ...[...programs].map((program) => `program ${program}`)]) {
      groups.unite(at, earlier.get(key) ?? at);
      earlier.set(key, at);
    }
  order.sort((a, b) => traceAt(a).startSeconds - traceAt(b).startSeconds);
  let last = order[0] ?? 0;
  for (const at of order) {
    if (traceAt(at).startSeconds <= traceAt(last).endSeconds) groups.unite(at, last);
    if (traceAt(at).endSeconds > traceAt(last).endSeconds) last = at;
  }
  const byGroup = new Map<number, TraceOfJob[]>();
  for (const [at, trace] of traces.entries()) {
    const group = groups.of(at);
    byGroup.set(group, [...(byGroup.get(group) ?? []), trace]);
  }
  return [...byGroup.values()];

  function traceAt(at: number): TraceOfJob {
    return traces[at] as TraceOfJob;
  }
}

/** Numbers that belong together. */
class Groups {
  readonly #parent: number[];

  constructor(count: number) {
    this.#parent = Array.from({ length: count }, (_, at) => at);
  }

  of(number: number): number {
    let at = number;
    while (this.#parent[at] !== at)
      at = this.#parent[at] = this.#parent[this.#parent[at] as number] as number;
    return at;
  }

  unite(a: number, b: number): void {
    this.#parent[this.of(a)] = this.of(b);
  }
}

function nameOf([first]: readonly TraceOfJob[]): string {
  const { programs, startSeconds, path } = first as TraceOfJob;
  const start = new Date(1000 * startSeconds).toISOString().slice(0, 16).replace("T", " ");
  return `${[...programs][0]} at ${start} UTC (${path})`;
}
