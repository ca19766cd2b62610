/** What the application says of itself beside its I/O: lanes over time, and how much of the I/O it hides. */
import { formatSeconds, formatShare } from "../../../base/units.ts";
import { type Block, type Figure, tableColumns } from "../../../model/index.ts";
import type { Job } from "../job.ts";
import type { SpanFacts } from "../spans.ts";

const CATEGORIES_MAX = 8;
const NAMES_MAX = 50;
const PROCESSES_MAX = 200;
/** Rectangles of a lane; closer ones are drawn as one. */
const PIECES = 400;

/** Empty without spans. */
export function spanBlocks({ spans, runSeconds }: Job): Block[] {
  if (spans === undefined) return [];
  const { computeSeconds, hidingSeconds, ioSeconds, unhiddenSeconds } = spans;
  return [
    { kind: "figure", figure: laneFigure(spans, runSeconds) },
    {
      kind: "tiles",
      tiles: [
        {
          label: "I/O without computing",
          value: unhiddenSeconds,
          unit: "seconds",
          note: `of ${formatSeconds(ioSeconds)} in I/O, over all processes`,
          about: "Time in calls outside all compute spans of the process or, for a worker, of its parent.",
        },
        {
          label: "Compute time with I/O",
          value: computeSeconds > 0 ? hidingSeconds / computeSeconds : Number.NaN,
          unit: "share",
          note: `of ${formatSeconds(computeSeconds)} over all processes`,
          about: "Time in compute spans during calls of the process or of one of its workers.",
        },
      ],
    },
    {
      kind: "table",
      id: "spans-processes",
      caption: "Per process, most I/O without computing first.",
      columns: tableColumns`
        rank | Process | count | Rank, or the number of a process without one.
        computeSeconds | Computing | seconds | With a compute span open.
        ioSeconds | I/O | seconds | During calls.
        unhiddenSeconds | Not hidden | seconds | I/O without computing.
      `,
      rows: [...spans.processes]
        .sort((a, b) => b.unhiddenSeconds - a.unhiddenSeconds)
        .slice(0, PROCESSES_MAX)
        .map((one) => [one.rank, one.computeSeconds, one.ioSeconds, one.unhiddenSeconds]),
      rowsTotal: spans.processes.length,
      sortedBy: "unhiddenSeconds",
    },
    {
      kind: "table",
      id: "spans-names",
      caption: "Spans of the application, longest first.",
      columns: tableColumns`
        category | Category | text | Part of the application.
        name | Name | text | What it does there.
        kind | Counts as | text | Compute spans hide I/O, others do not.
        count | Spans | count | How many.
        seconds | Time | seconds | With such a span open, summed over processes.
      `,
      rows: spans.names
        .slice(0, NAMES_MAX)
        .map((one) => [one.category, one.name, one.isCompute ? "compute" : "other", one.count, one.seconds]),
      rowsTotal: spans.names.length,
      sortedBy: "seconds",
    },
  ];
}

function laneFigure(spans: SpanFacts, runSeconds: number): Figure {
  const categories = [...spans.categories]
    .sort(([, a], [, b]) => lengthOf(b) - lengthOf(a))
    .slice(0, CATEGORIES_MAX);
  const lanes = [
    { name: "computing", role: "neutral" as const, pairs: spans.compute },
    { name: "I/O", role: "read" as const, pairs: spans.io },
    { name: "I/O without computing", role: "wait" as const, pairs: spans.unhidden },
    ...categories.map(([name, pairs]) => ({ name, role: "other" as const, pairs })),
  ];
  const unhidden = lengthOf(spans.unhidden) / 1e9;
  const all = lengthOf(spans.io) / 1e9;
  return {
    id: "spans",
    title: "Computing and I/O over time",
    caption: `Any process; lanes below are the categories of the application's spans${spans.categories.size > CATEGORIES_MAX ? `, the longest ${CATEGORIES_MAX} of ${spans.categories.size}` : ""}. Gaps below ${formatSeconds(runSeconds / PIECES)} are not drawn.`,
    summary: `Some process does I/O for ${formatSeconds(all)}; for ${formatSeconds(unhidden)} of it (${formatShare(all > 0 ? unhidden / all : 0)}) some of it does not overlap with computing.`,
    definition: "J02@1",
    options: {},
    chart: {
      kind: "spans",
      x: { label: "time since the start of the job", unit: "seconds" },
      y: { label: "lane", unit: "count" },
      laneNames: lanes.map(({ name }) => name),
      namedByLane: true,
      spans: lanes.flatMap(({ role, pairs }, lane) =>
        joined(pairs, runSeconds / PIECES).map(([x1, x2]) => ({
          ...{ x1, x2, role },
          ...{ y1: lane + 0.1, y2: lane + 0.9 },
        })),
      ),
    },
  };
}

function lengthOf(pairs: Float64Array): number {
  let length = 0;
  for (let i = 0; i < pairs.length; i += 2) length += (pairs[i + 1] as number) - (pairs[i] as number);
  return length;
}

/** In seconds; what is closer than `gap` becomes one. */
function joined(pairs: Float64Array, gap: number): [number, number][] {
  const made: [number, number][] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const [start, end] = [(pairs[i] as number) / 1e9, (pairs[i + 1] as number) / 1e9];
    const last = made.at(-1);
    if (last !== undefined && start - last[1] < gap) last[1] = end;
    else made.push([start, end]);
  }
  return made;
}
