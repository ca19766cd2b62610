/** The sections of a comparison of two jobs. */
import { pictured } from "./pictures/index.ts";
import { formatBytes, formatSeconds, formatShare } from "../../base/units.ts";
import {
  type BarsChart,
  type Block,
  type Cell,
  type Figure,
  type Section,
  type TableBlock,
  tableColumns,
} from "../../model/index.ts";
import {
  type Change,
  factor,
  findingChanges,
  isNoise,
  layerChanges,
  mainChanges,
  mismatches,
  type Side,
  tracedChanges,
} from "./compare.ts";
import { DEFINITIONS } from "./definitions.ts";
import { groupByPattern } from "./file-patterns.ts";
import type { JobFile } from "./job.ts";
import { LAYER_ORDER, layerName } from "./layer-times.ts";
import { SIZE_LABELS, sizesOf } from "./records.ts";
import { mergeRuns } from "./sections/counters.ts";
import { commonReach, heatEnd, heatFigure } from "./sections/heat.ts";
import { known } from "./sections/layers.ts";

export interface CompareInput {
  readonly before: Side;
  readonly after: Side;
  /** Names of the two, such as their files. */
  readonly names: readonly [string, string];
  readonly noise: number;
  readonly madeBy: string;
  readonly command: string;
}

export function overview({ before, after, noise }: CompareInput): Section {
  const warnings = mismatches(before, after).map(
    (text): Block => ({ kind: "notice", level: "warning", text }),
  );
  return {
    id: "overview",
    title: "Overview",
    blocks: [...warnings, changeTable("main", "Main numbers", mainChanges(before.job, after.job), noise)],
  };
}

/** Rows of changes; those within noise are dimmed. */
function changeTable(id: string, caption: string, changes: readonly Change[], noise: number): TableBlock {
  return {
    kind: "table",
    id,
    caption: `${caption}. Dimmed: unchanged, or within noise (${formatShare(noise)}; set with --noise).`,
    columns: tableColumns`
      label | What | text | Number that is compared.
      before | Before | text | In the first log.
      after | After | text | In the second log.
      difference | Difference | text | After - before.
      ratio | After / before | text | 1 is equal; below 1 is less. A dash: it was zero before.
    `,
    rows: changes.map((change): Cell[] => [
      change.label,
      valueText(change, change.before),
      valueText(change, change.after),
      signed(change),
      ratioText(change),
    ]),
    pale: changes.map((change) => isNoise(change, noise)),
  };
}

type Pair = Pick<Change, "unit" | "before" | "after">;

/** One unit for the times of a row: that of the longer one. */
function timeText({ before, after }: Pair, seconds: number): string {
  const longer = Math.max(before || 0, after || 0);
  if (longer === 0 || longer >= 0.1) return formatSeconds(seconds);
  const [scale, unit] = longer >= 0.001 ? [1e3, "ms"] : [1e6, "µs"];
  return `${Number((scale * seconds).toPrecision(3))} ${unit}`;
}

function valueText(change: Pair, value: number): string | null {
  const { unit } = change;
  if (Number.isNaN(value)) return null;
  if (unit === "bytes") return formatBytes(value);
  if (unit === "bytes/s") return `${formatBytes(value)}/s`;
  if (unit === "seconds") return timeText(change, value);
  if (unit === "share") return formatShare(value);
  return `${Number(value.toPrecision(6)).toLocaleString("en-US")}${unit === "blocks/s" || unit === "calls/s" ? ` ${unit}` : ""}`;
}

function ratioText({ before, after }: Change): string | null {
  if (Number.isNaN(before) || Number.isNaN(after)) return null;
  return before > 0 ? `${factor(after / before)}×` : "–";
}

function signed(change: Change): string | null {
  const difference = change.after - change.before;
  const size = valueText(change, Math.abs(difference));
  // From 10 % to 15 % are five points, and half as much again.
  const text = change.unit === "share" ? (size?.replace(/ %$/, " percentage points") ?? null) : size;
  return text === null ? null : difference === 0 ? "0" : `${difference > 0 ? "+" : "-"}${text}`;
}

export function findings({ before, after }: CompareInput): Section {
  const changes = findingChanges(before.verdicts, after.verdicts);
  const of = (kind: "appeared" | "gone" | "stayed") => changes.filter(({ change }) => change === kind);
  const block = (kind: "appeared" | "gone" | "stayed", text: string, none: string): Block[] => [
    { kind: "text", text },
    {
      kind: "findings",
      findings: of(kind).map(({ finding }) => pictured(kind === "gone" ? before.job : after.job, finding)),
      none,
    },
  ];
  const stayed = of("stayed").map(({ finding, before: was }): Cell[] => [
    finding.title,
    was?.severity ?? null,
    finding.severity,
    was?.statement ?? null,
    finding.statement,
  ]);
  return {
    id: "findings",
    title: "Findings",
    intro: `${of("gone").length} gone, ${of("appeared").length} new, ${of("stayed").length} stayed.`,
    blocks: [
      ...block("appeared", "New in the second log:", "Nothing new."),
      ...block("gone", "Gone since the first log:", "Nothing went."),
      ...(stayed.length === 0
        ? []
        : [
            {
              kind: "table" as const,
              id: "stayed",
              caption: "Findings in both.",
              columns: (["Finding", "Severity before", "Severity after", "Before", "After"] as const).map(
                (label) => ({
                  key: label,
                  label,
                  unit: "text" as const,
                  about: label,
                }),
              ),
              rows: stayed,
            },
          ]),
    ],
  };
}

/** Both on one axis of time and with the same scales, so that what ends sooner looks shorter and what is less paler. */
export function heats({ before, after, names }: CompareInput): Section {
  const activities = [before, after].flatMap(({ job }) => job.activity ?? []);
  const ends = activities.map(heatEnd);
  const reach = commonReach(activities);
  const blocks = [before, after].map(({ job }, side): Block => {
    if (job.activity === undefined)
      return {
        kind: "notice",
        level: "missing",
        text: `${names[side]}: neither a heat map nor traces were recorded.`,
      };
    const figure = heatFigure(job.activity, job, Math.max(...ends), reach);
    const word = side === 0 ? "before" : "after";
    return {
      kind: "figure",
      figure: { ...figure, id: `${figure.id}-${word}`, title: `${figure.title}, ${word}` },
    };
  });
  return { id: "heat", title: "Ranks over time", detail: true, blocks };
}

export function layers({ before, after, noise }: CompareInput): Section {
  const traced = tracedChanges(before.job, after.job);
  const changes = layerChanges(before.job, after.job);
  const times = changes.filter(({ id }) => /slowestSeconds$/.test(id));
  const blocks: Block[] = [];
  if (times.length > 0)
    blocks.push({
      kind: "figure",
      figure: beforeAfter("cost-slowest", "Time of the slowest rank, per layer", DEFINITIONS.cost.id, {
        categories: times.map(({ label }) => label.split(":")[0] as string),
        categoryLabel: "layer",
        value: { label: "time", unit: "seconds" },
        before: times.map((one) => one.before),
        after: times.map((one) => one.after),
      }),
    });
  blocks.push(
    changeTable("layers", "Layers (they nest, so rows of different layers are not added)", changes, noise),
  );
  if (traced.length > 0) blocks.push(changeTable("traced", "From traces", traced, noise));
  return { id: "layers", title: "Layers", detail: true, blocks };
}

function beforeAfter(
  id: string,
  title: string,
  definition: string,
  data: Pick<BarsChart, "categories" | "categoryLabel" | "value"> & {
    before: readonly number[];
    after: readonly number[];
  },
): Figure {
  const { before, after, ...axes } = data;
  return {
    id,
    title,
    caption: "Before and after, side by side.",
    summary: `${axes.categories
      .map((name, i) => {
        const pair = {
          unit: axes.value.unit,
          before: before[i] ?? Number.NaN,
          after: after[i] ?? Number.NaN,
        };
        const text = (value: number) => valueText(pair, value) ?? "not recorded";
        return `${name}: ${text(pair.before)} before, ${text(pair.after)} after`;
      })
      .join("; ")}.`,
    definition,
    options: {},
    chart: {
      kind: "bars",
      direction: "horizontal",
      stacked: false,
      ...axes,
      series: [
        { name: "before", role: "before", values: before },
        { name: "after", role: "after", values: after },
      ],
    },
  };
}

export function sizes({ before, after }: CompareInput): Section {
  const blocks = LAYER_ORDER.flatMap((layer) =>
    (["read", "write"] as const).flatMap((way): Block[] => {
      const [a, b] = [before, after].map(({ job }) => Array.from(sizesOf(job.layer(layer), way))) as [
        number[],
        number[],
      ];
      if (![...a, ...b].some((calls) => calls > 0)) return [];
      const figure = beforeAfter(
        `sizes-${layer.toLowerCase().replace(/\W/g, "-")}-${way}`,
        `Sizes of ${way}s, ${layerName(layer)}`,
        DEFINITIONS.sizes.id,
        {
          categories: SIZE_LABELS,
          categoryLabel: "size of the call",
          value: { label: "calls", unit: "calls", scale: "log" },
          before: a,
          after: b,
        },
      );
      return [
        {
          kind: "figure",
          figure: { ...figure, chart: { ...(figure.chart as BarsChart), direction: "vertical" } },
        },
      ];
    }),
  );
  return {
    id: "sizes",
    title: "Access sizes",
    detail: true,
    blocks:
      blocks.length > 0
        ? blocks
        : [{ kind: "notice", level: "missing", text: "Neither log has access sizes." }],
  };
}

const ROWS_MAX = 1000;

/** Files by name pattern, since names often carry a job number or a date. */
export function files({ before, after, noise }: CompareInput): Section {
  const groups = [before, after].map(({ job }) => groupByPattern(job.files)) as [
    Map<string, JobFile[]>,
    Map<string, JobFile[]>,
  ];
  const patterns = [...new Set([...groups[0].keys(), ...groups[1].keys()])];
  const sum = (list: readonly JobFile[] | undefined, value: (file: JobFile) => number) =>
    list === undefined ? Number.NaN : list.reduce((total, file) => total + (value(file) || 0), 0);
  const rows = patterns.map((pattern) => {
    const [a, b] = [groups[0].get(pattern), groups[1].get(pattern)];
    const pair = (value: (file: JobFile) => number) => [sum(a, value), sum(b, value)] as const;
    return {
      pattern,
      counts: [a?.length ?? 0, b?.length ?? 0],
      seconds: pair(({ seconds }) => seconds),
      bytes: pair((file) => (file.bytesRead || 0) + (file.bytesWritten || 0)),
    };
  });
  const weight = ({ seconds }: (typeof rows)[number]) => Math.abs((seconds[1] || 0) - (seconds[0] || 0));
  const shown = rows.sort((a, b) => weight(b) - weight(a)).slice(0, ROWS_MAX);
  return {
    id: "files",
    title: "Files",
    detail: true,
    intro: `Files are matched by name pattern (${DEFINITIONS.patterns.id}); those whose time changed most come first.`,
    blocks: [
      {
        kind: "table",
        id: "files",
        caption: "Groups of files, before and after.",
        columns: tableColumns`
          pattern | Files | text | ${DEFINITIONS.patterns.text}
          countBefore | Files before | files | Files of the pattern in the first log.
          countAfter | Files after | files | Files of the pattern in the second log.
          bytesBefore | Bytes before | bytes | Read and written.
          bytesAfter | Bytes after | bytes | Read and written.
          secondsBefore | Time before | seconds | Over all ranks, in the called layer.
          secondsAfter | Time after | seconds | Over all ranks, in the called layer.
        `,
        rows: shown.map(({ pattern, counts, bytes, seconds }): Cell[] => [
          pattern,
          counts[0] as number,
          counts[1] as number,
          known(bytes[0]),
          known(bytes[1]),
          known(seconds[0]),
          known(seconds[1]),
        ]),
        rowsTotal: rows.length,
        searchable: true,
        pale: shown.map(
          ({ seconds, bytes }) =>
            isNoise(
              { id: "", label: "", unit: "seconds", before: seconds[0], after: seconds[1], measured: true },
              noise,
            ) && bytes[0] === bytes[1],
        ),
      },
    ],
  };
}

export function storage({ before, after, noise }: CompareInput): Section {
  const sides = [before, after].map(({ job }) => new Map(job.osts.map((one) => [one.ost, one])));
  const osts = [...new Set(sides.flatMap((side) => [...side.keys()]))].sort((a, b) => a - b);
  const changes = osts.flatMap((ost): Change[] => {
    const [a, b] = sides.map((side) => side.get(ost));
    const bytes = (one: typeof a) => (one === undefined ? 0 : one.bytesRead + one.bytesWritten);
    const common = { measured: false } as const;
    return [
      {
        ...common,
        id: `ost${ost}.bytes`,
        label: `OST ${ost}: bytes`,
        unit: "bytes",
        before: bytes(a),
        after: bytes(b),
      },
      {
        id: `ost${ost}.seconds`,
        label: `OST ${ost}: time of calls`,
        unit: "seconds",
        before: a?.seconds ?? 0,
        after: b?.seconds ?? 0,
        measured: true,
      },
    ];
  });
  return {
    id: "storage",
    title: "Storage targets",
    detail: true,
    blocks:
      changes.length === 0
        ? [{ kind: "notice", level: "missing", text: "Neither log has the layout of files on Lustre." }]
        : [changeTable("osts", `Load of ${osts.length} OSTs (${DEFINITIONS.osts.id})`, changes, noise)],
  };
}

/** Every counter of every module, with what it means. */
export function counters({ before, after }: CompareInput): Section {
  const lists = [before, after].map(({ tables }) => {
    const table = tables.get("counters");
    return new Map(
      (table === undefined ? [] : mergeRuns(table)).map((one) => [`${one.module} ${one.name}`, one]),
    );
  });
  const keys = [...new Set(lists.flatMap((list) => [...list.keys()]))];
  const rows = keys.map((key) => {
    const [a, b] = lists.map((list) => list.get(key));
    const known = a ?? b;
    const [one, two] = [a?.value ?? null, b?.value ?? null];
    const difference =
      one === null || two === null
        ? null
        : typeof one === "bigint" && typeof two === "bigint"
          ? two - one
          : Number(two) - Number(one);
    return { cells: [known?.name ?? "", one, two, difference, known?.meaning ?? ""], same: one === two };
  });
  return {
    id: "counters",
    title: "Raw counters",
    detail: true,
    blocks:
      rows.length === 0
        ? [{ kind: "notice", level: "missing", text: "Neither log has counters." }]
        : [
            {
              kind: "table",
              id: "counters",
              caption: "Counters over all records of each log. Dimmed: unchanged.",
              columns: [
                { key: "name", label: "Counter", unit: "text", about: "Name in the log." },
                { key: "before", label: "Before", unit: "index", about: "In the first log." },
                { key: "after", label: "After", unit: "index", about: "In the second log." },
                { key: "difference", label: "Difference", unit: "index", about: "After - before." },
                { key: "meaning", label: "Meaning", unit: "text", about: "What it counts." },
              ],
              rows: rows.map(({ cells }) => cells),
              searchable: true,
              pale: rows.map(({ same }) => same),
            },
          ],
  };
}
