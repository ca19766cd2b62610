/** Pictures of an output step. */
import { formatBytes, formatRate, formatSeconds } from "../../base/units.ts";
import { CALL_MOVED, CALL_UNUSED, type Figure, type WriteRun } from "../../model/index.ts";
import { orderOfStart, type StepFacts } from "./facts.ts";

/** Above this many writes or targets single writes are too thin to see: cells instead. */
const SPANS_MAX = 1500;
const LANES_MAX = 64;
const COLUMNS = 120;
const ROWS_MAX = 128;

export const targetName = (run: WriteRun, target: number): string =>
  run.targetNames?.[target] ?? `target ${target}`;

const about = (run: WriteRun) => ({
  definition: "S01@1",
  options: { policy: run.policy, writers: run.writers, targets: run.targets },
  ...(run.simulated ? { simulated: true } : {}),
});

/** Writes by target and time: one bar per write, or cells of targets × time. */
export function timeline(run: WriteRun): Figure {
  return run.calls.count <= SPANS_MAX && run.targets <= LANES_MAX ? spans(run) : cells(run);
}

function spans(run: WriteRun): Figure {
  const { calls } = run;
  // Concurrent writes of one target have separate thin lanes inside its row.
  const places = lanesOf(run);
  return {
    ...about(run),
    id: `writes-${run.label}`,
    title: `Writes on each target over time (${run.label})`,
    caption: `${calls.count} writes, ${formatBytes(run.bytes)}. Moved: to a file of another group than the writer's own. Unused: an overtaken copy, or an abandoned attempt.`,
    summary: `The step took ${formatSeconds(run.seconds)}; ${movedCount(run)} of ${calls.count} writes went to another target than planned.`,
    chart: {
      kind: "spans",
      x: { label: "time", unit: "seconds" },
      y: { label: "target", unit: "index" },
      laneNames: Array.from({ length: run.targets }, (_, i) => targetName(run, i)),
      spans: Array.from({ length: calls.count }, (_, i) => {
        const flags = calls.flags[i] as number;
        const target = calls.file[i] as number;
        const { lane, lanes } = places[i] as { lane: number; lanes: number };
        return {
          x1: (calls.startNs[i] as number) / 1e9,
          x2: (calls.endNs[i] as number) / 1e9,
          y1: target + lane / lanes,
          y2: target + (lane + 1) / lanes,
          role:
            flags & CALL_UNUSED
              ? ("wait" as const)
              : flags & CALL_MOVED
                ? ("after" as const)
                : ("write" as const),
          note: `${formatBytes(calls.bytes[i] as number)} of writer ${calls.owner[i]}${flags & CALL_MOVED ? ", moved" : ""}${flags & CALL_UNUSED ? ", unused" : ""}`,
        };
      }),
    },
  };
}

const movedCount = ({ calls }: WriteRun): number => {
  let moved = 0;
  for (let i = 0; i < calls.count; i++) if ((calls.flags[i] as number) & CALL_MOVED) moved++;
  return moved;
};

/** The lowest free lane at the start of each write, and the number of lanes per target. */
function lanesOf({ calls, targets }: WriteRun): { lane: number; lanes: number }[] {
  const busy: number[][] = Array.from({ length: targets }, () => []);
  const lane = new Array<number>(calls.count).fill(0);
  for (const i of orderOfStart(calls)) {
    const ends = busy[calls.file[i] as number] as number[];
    const free = ends.findIndex((end) => end <= (calls.startNs[i] as number));
    lane[i] = free < 0 ? ends.length : free;
    ends[lane[i] as number] = calls.endNs[i] as number;
  }
  return lane.map((one, i) => ({
    lane: one,
    lanes: Math.max(1, busy[calls.file[i] as number]?.length ?? 1),
  }));
}

/** Bytes in cells of targets × time, spread evenly over the time of each write. */
function cells(run: WriteRun): Figure {
  const rows = Math.min(run.targets, ROWS_MAX);
  const end = Math.max(run.seconds, 1e-9);
  const own = new Float64Array(rows * COLUMNS);
  const moved = new Float64Array(rows * COLUMNS);
  const { calls } = run;
  for (let i = 0; i < calls.count; i++) {
    const row = Math.floor(((calls.file[i] as number) * rows) / run.targets);
    const into = (calls.flags[i] as number) & CALL_MOVED ? moved : own;
    const time: [number, number] = [(calls.startNs[i] as number) / 1e9, (calls.endNs[i] as number) / 1e9];
    spread(into, row, time, calls.bytes[i] as number, end);
  }
  const several = rows < run.targets ? ` A row is ${(run.targets / rows).toFixed(1)} targets.` : "";
  return {
    ...about(run),
    id: `writes-${run.label}`,
    title: `Bytes written on each target over time (${run.label})`,
    caption: `${calls.count} writes, ${formatBytes(run.bytes)}, each spread evenly over its time.${several}`,
    summary: `The step took ${formatSeconds(run.seconds)}; targets that end early are idle unless work is moved to them.`,
    chart: {
      kind: "heat",
      x: {
        label: "time",
        unit: "seconds",
        edges: Float64Array.from({ length: COLUMNS + 1 }, (_, c) => (c * end) / COLUMNS),
      },
      y: {
        label: "target",
        unit: "index",
        edges: Float64Array.from({ length: rows + 1 }, (_, r) => (r * run.targets) / rows),
      },
      value: { label: "bytes", unit: "bytes" },
      parts: [
        { name: "own group", role: "write", cells: own },
        { name: "moved here", role: "after", cells: moved },
      ],
      topLabel: "bytes over time",
      rightLabel: "bytes per target",
    },
  };
}

function spread(
  cells: Float64Array,
  row: number,
  [start, stop]: [number, number],
  bytes: number,
  end: number,
): void {
  const width = end / COLUMNS;
  const [from, to] = [Math.min(start, end), Math.min(Math.max(stop, start), end)];
  const first = Math.min(COLUMNS - 1, Math.floor(from / width));
  const last = Math.min(COLUMNS - 1, Math.floor(to / width));
  const duration = to - from;
  for (let column = first; column <= last; column++) {
    const overlap = Math.min(to, (column + 1) * width) - Math.max(from, column * width);
    const share = duration > 0 ? Math.max(0, overlap) / duration : 1 / (last - first + 1);
    cells[row * COLUMNS + column] = (cells[row * COLUMNS + column] as number) + bytes * share;
  }
}

/** Load of each target: height is bytes, colour the rate it reached. */
export function targetStrip(run: WriteRun, facts: StepFacts): Figure {
  const used = facts.perTarget.filter(({ writes }) => writes > 0);
  return {
    ...about(run),
    id: `targets-${run.label}`,
    title: `Bytes and rate of each target (${run.label})`,
    caption: `${used.length} of ${run.targets} targets were written to. Rate: bytes over the time with a write in progress.`,
    summary: `Targets took between ${formatBytes(least(used.map(({ bytes }) => bytes)))} and ${formatBytes(most(used.map(({ bytes }) => bytes)))}.`,
    chart: {
      kind: "strip",
      itemLabel: "targets",
      items: facts.perTarget.map(({ target, bytes, bytesPerSecond, movedBytes }) => ({
        name: targetName(run, target),
        height: bytes,
        colour: bytesPerSecond,
        note: `${formatRate(bytesPerSecond)}, ${formatBytes(movedBytes)} of it moved here`,
      })),
      height: { label: "bytes", unit: "bytes" },
      colour: { label: "rate", unit: "bytes/s" },
      ofTotal: run.targets,
    },
  };
}

/** Distribution of write times of the writers of one or several runs: the paper's Figure 3 without 512 bars. */
export function writerTimes(runs: readonly { readonly run: WriteRun; readonly facts: StepFacts }[]): Figure {
  const [first] = runs;
  const roles = ["before", "after", "write", "read", "other", "metadata"] as const;
  return {
    ...about((first as { run: WriteRun }).run),
    id: "writer-times",
    title: "Write time of the writers",
    caption: runs
      .map(
        ({ run, facts }) =>
          `${run.label}: slowest over fastest ${facts.imbalance.toFixed(2)}, spread ${formatSeconds(facts.spreadSeconds)}`,
      )
      .join("; "),
    summary: `Share of writers that needed at most this time, from the start of a writer's first write to the end of its last.`,
    chart: {
      kind: "cmf",
      x: { label: "write time", unit: "seconds" },
      series: runs.map(({ run, facts }, i) => ({
        name: run.label,
        role: roles[i % roles.length] as (typeof roles)[number],
        ...thinned(facts.writerSeconds),
      })),
    },
  };
}

const POINTS_MAX = 2000;

function thinned(values: readonly number[]) {
  const sorted = Float64Array.from(values).sort();
  const step = Math.max(1, Math.ceil(sorted.length / POINTS_MAX));
  const picked: number[] = [];
  const shares: number[] = [];
  for (let i = step - 1; i < sorted.length; i += step) {
    picked.push(sorted[i] as number);
    shares.push((i + 1) / sorted.length);
  }
  if (sorted.length > 0 && shares.at(-1) !== 1) {
    picked.push(sorted.at(-1) as number);
    shares.push(1);
  }
  const mean = sorted.reduce((sum, one) => sum + one, 0) / sorted.length;
  return { values: picked, shares, mean, n: sorted.length };
}

const least = (values: readonly number[]): number =>
  values.reduce((low, one) => Math.min(low, one), Number.POSITIVE_INFINITY);
const most = (values: readonly number[]): number => values.reduce((high, one) => Math.max(high, one), 0);
