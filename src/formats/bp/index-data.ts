/** What the indexes of a BP file say, as data; reader and writer share it. */
import type { BpType } from "./types.ts";

/** One dimension of a block. A local array has `global` and `offset` 0. */
export interface BpDimension {
  readonly local: number;
  readonly global: number;
  readonly offset: number;
}

/** Min and max of the finite elements, as raw bytes of the type in the byte order of the file. */
export interface BpStatistics {
  readonly min?: Uint8Array;
  readonly max?: Uint8Array;
  /** False when no element was finite, and min and max mean nothing. */
  readonly finite: boolean;
}

/** One write of a variable: by one process in one step. */
export interface BpBlock {
  /** Step, the first is 1. */
  readonly step: number;
  /** Subfile that holds it; undefined in a file without subfiles. */
  readonly subfile?: number;
  /** Where the record of the variable begins, and where its data. */
  readonly recordOffset: number;
  readonly payloadOffset: number;
  /** Empty for a scalar or a string. */
  readonly dimensions: readonly BpDimension[];
  readonly statistics?: BpStatistics;
  /** Value of a scalar or string, as raw bytes. */
  readonly value?: Uint8Array;
  /** Name of a compression; such blocks are refused when read. */
  readonly transform?: string;
}

export interface BpVariable {
  readonly id: number;
  readonly group: string;
  readonly name: string;
  readonly path: string;
  readonly type: BpType;
  readonly blocks: readonly BpBlock[];
}

export interface BpAttribute {
  readonly id: number;
  readonly group: string;
  readonly name: string;
  readonly path: string;
  readonly type: BpType;
  /** Number of elements of an array; 1 otherwise. */
  readonly count: number;
  /** Raw elements; for strings see `strings`. */
  readonly value: Uint8Array;
  readonly strings?: readonly string[];
  /** The variable whose value it has, instead of one of its own. */
  readonly variableId?: number;
}

export interface BpGroup {
  readonly name: string;
  readonly rank: number;
  readonly step: number;
  readonly offset: number;
  /** Arrays are column-major: fastest dimension first. */
  readonly fortran: boolean;
}

export interface BpIndex {
  readonly groups: readonly BpGroup[];
  readonly variables: readonly BpVariable[];
  readonly attributes: readonly BpAttribute[];
}

/** How people name a variable or attribute. */
export function fullName(one: { readonly path: string; readonly name: string }): string {
  return one.path === "" ? one.name : `${one.path.replace(/\/$/, "")}/${one.name}`;
}

export const elementsOf = (block: BpBlock): number =>
  block.dimensions.reduce((product, { local }) => product * local, 1);
