/**
 * One output step as one line of bytes: the data of all sources, one after another. Blocks, pieces and kept data are all ranges
 * of that line, independent of sources.
 */
import { assert } from "../../../base/assert.ts";
import {
  type BpStatistics,
  elementEdge,
  type GroupPlan,
  hasStatistics,
  layOutGroup,
  type SourceSlab,
  slabsBetween,
} from "../../../formats/bp/index.ts";
import type { DatasetPlan, PlannedVariable } from "../plan/dataset-plan.ts";
import type { FileStamp } from "./file-stamp.ts";

export interface StagedVariable extends PlannedVariable {
  /** Id in the dataset: the same in every step. */
  readonly id: number;
}

/** Where the bytes of a source are. */
export type SourceData =
  | { readonly kind: "file" /** State when the write was planned. */; readonly stamp: FileStamp }
  | { readonly kind: "memory"; readonly data: Uint8Array }
  /** Computed from their position, for measurements. */
  | { readonly kind: "synthetic" };

export interface StagedSource {
  /** A path, or a name for messages. */
  readonly path: string;
  readonly bytes: number;
  /** First byte in the line. */
  readonly start: number;
  readonly data: SourceData;
}

export interface Stage {
  /** Output step, the first is 1. */
  readonly step: number;
  readonly variables: readonly StagedVariable[];
  readonly sources: readonly StagedSource[];
  /** Boxes of all sources, by their place in the line. */
  readonly slabs: readonly SourceSlab[];
  readonly bytes: number;
}

/** A range of the line; both ends are element boundaries. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Name of our process groups. */
export const GROUP_NAME = "plimsoll";

export function makeStage(
  plan: DatasetPlan,
  options: {
    readonly step: number;
    readonly ids: readonly number[];
    data(index: number): SourceData;
  },
): Stage {
  let start = 0;
  const slabs: SourceSlab[] = [];
  const sources = plan.sources.map(({ path, bytes, slabs: own }, i): StagedSource => {
    let end = 0;
    for (const slab of own) {
      assert(slab.at === end, "the boxes of a source follow each other");
      end += slab.bytes;
      slabs.push({ ...slab, at: slab.at + start });
    }
    assert(end === bytes, "the boxes of a source are all its bytes");
    const source = { path, bytes, start, data: options.data(i) };
    start += bytes;
    return source;
  });
  assert(options.step >= 1 && options.ids.length === plan.variables.length, "every variable has an id");
  const variables = plan.variables.map((one, v) => ({ ...one, id: options.ids[v] as number }));
  return { step: options.step, variables, sources, slabs, bytes: start };
}

/** The range of whole elements nearest before [from, to); neighbours that share an end agree on it. */
export function snapped({ slabs, bytes }: Stage, from: number, to: number): Range {
  const edge = (position: number) => (position >= bytes ? bytes : elementEdge(slabs, position));
  return { from: edge(from), to: edge(to) };
}

export interface StagedGroup {
  readonly plan: GroupPlan;
  /** Bytes of each variable of the plan come from here in the line. */
  readonly slabs: readonly SourceSlab[];
}

/** The process group of a range; without statistics it reserves room for them. */
export function groupOf(
  stage: Stage,
  { from, to }: Range,
  statistics?: readonly BpStatistics[],
): StagedGroup {
  const slabs = slabsBetween(stage.slabs, from, to);
  const bytes = slabs.reduce((sum, slab) => sum + slab.bytes, 0);
  assert(bytes === to - from, "a range between element boundaries is whole boxes");
  assert(statistics === undefined || statistics.length === slabs.length, "every box has its statistics");
  const variables = slabs.map((slab, i) => {
    const { id, name, path, type } = stage.variables[slab.variable] as StagedVariable;
    const known = statistics?.[i];
    const room = { min: new Uint8Array(type.size), max: new Uint8Array(type.size), finite: false };
    return {
      id,
      name,
      path,
      type,
      dimensions: slab.dimensions,
      ...(hasStatistics(type) ? { statistics: known ?? room } : {}),
    };
  });
  return { plan: { group: GROUP_NAME, rank: 0, step: stage.step, variables }, slabs };
}

/** Data begins at a multiple of this in its file, where a group has one box. */
const ALIGN = 4096;
/** A piece may start up to one element before the protocol's cut. */
const ELEMENT_MAX = 16;

/** Offset of a group within its lease, which starts at `offset`. */
export function groupOffset(offset: number, headBytes: number): number {
  const at = Math.ceil((offset + headBytes) / ALIGN) * ALIGN - headBytes;
  assert(at >= offset && at < offset + ALIGN, "a group begins in the first block of its lease");
  return at;
}

/** Max header room in a file of any piece of the ranges. */
export function overheadBytes(stage: Stage, ranges: readonly Range[]): number {
  const none = layOutGroup({ group: GROUP_NAME, rank: 0, step: stage.step, variables: [] }).length;
  const records = stage.variables.map((variable) => recordBytes(stage, variable) - none);
  const dimensions = stage.variables.reduce((most, { shape }) => Math.max(most, shape.length), 1);
  const largest = records.reduce((most, one) => Math.max(most, one), 0);
  let most = 0;
  let first = 0;
  for (const { from, to } of ranges) {
    while (
      (stage.slabs[first]?.at ?? to) + (stage.slabs[first]?.bytes ?? 0) <= from &&
      first < stage.slabs.length
    )
      first++;
    let sum = 0;
    for (let i = first; i < stage.slabs.length && (stage.slabs[i] as SourceSlab).at < to; i++)
      sum += records[(stage.slabs[i] as SourceSlab).variable] as number;
    most = Math.max(most, sum);
  }
  // A cut inside a box leaves up to 2 n - 1 boxes of it, at either end.
  const head = none + most + 2 * (2 * dimensions - 1) * largest + ELEMENT_MAX;
  return (Math.ceil(head / ALIGN) + 1) * ALIGN;
}

function recordBytes(stage: Stage, { id, name, path, type, shape }: StagedVariable): number {
  const dimensions = shape.map(() => ({ local: 0, global: 0, offset: 0 }));
  const statistics = { min: new Uint8Array(type.size), max: new Uint8Array(type.size), finite: false };
  const variable = { id, name, path, type, dimensions, ...(hasStatistics(type) ? { statistics } : {}) };
  return layOutGroup({ group: GROUP_NAME, rank: 0, step: stage.step, variables: [variable] }).length;
}
