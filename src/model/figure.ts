/**
 * A figure as data: what is drawn, and what a reader must know to trust it. The same figure becomes SVG on the
 * command line, SVG in a page, a CSV of what is drawn, and a table for those who do not see it (plot/).
 */
import type { Unit } from "./finding.ts";

export interface Figure {
  /** Short and stable; names the files of an export: "access-sizes-posix". */
  readonly id: string;
  readonly title: string;
  /** What is drawn, how many there are, and what was left out. */
  readonly caption: string;
  /** One sentence that says what the figure shows, for those who do not see it. */
  readonly summary: string;
  /** Definition with its version: "J05@1". */
  readonly definition: string;
  readonly options: Readonly<Record<string, string | number | boolean>>;
  /** Made by a simulator, or from data that a generator made: the picture says so. */
  readonly simulated?: boolean;
  readonly synthetic?: boolean | "partly";
  /** What the paper says of the same, in a few words: stands in the picture. */
  readonly published?: string;
  readonly chart: Chart;
}

/** A value of a paper in the picture of what was measured: a line across, or with a share the point where a curve should pass. */
export interface PublishedMark {
  readonly value: number;
  /** "paper, read runs". */
  readonly label: string;
  readonly share?: number;
}

/** A place of a paper among categories, where category i covers [i, i + 1]: a line, or with `to` a range. */
export interface PublishedPlace {
  readonly from: number;
  readonly to?: number;
  /** With its value: "paper, peak at 5 h". */
  readonly label: string;
}

export type Chart =
  | BarsChart
  | HeatChart
  | StripChart
  | SpansChart
  | CmfChart
  | ViolinChart
  | DensityChart
  | PointsChart
  | CulpritChart;

/** What a series stands for; decides its colour everywhere. */
export type Role =
  | "read"
  | "write"
  | "metadata"
  | "wait"
  | "other"
  | "neutral"
  | "before"
  | "after"
  /** What a cause stands in front of, and the cause by its severity. */
  | "context"
  | "high"
  | "warn";

export interface Axis {
  readonly label: string;
  readonly unit: Unit;
  /** Log axes show zero as absence, not as a value. */
  readonly scale?: "linear" | "log";
}

/**
 * Categories with one bar per series, side by side or stacked. NaN: not recorded, which is not zero. Bars side by side may
 * have whiskers from the least to the greatest of what the bar is the mean of.
 */
export interface BarsChart {
  readonly kind: "bars";
  /** Bars grow upwards ("vertical") or to the right, with room for long names ("horizontal"). */
  readonly direction: "vertical" | "horizontal";
  readonly stacked: boolean;
  readonly categories: readonly string[];
  readonly categoryLabel: string;
  readonly value: Axis;
  readonly series: readonly {
    readonly name: string;
    readonly role: Role;
    readonly values: readonly number[];
    /** Ends of the whiskers, one per category; both or none. NaN: no whisker there. */
    readonly low?: readonly number[];
    readonly high?: readonly number[];
  }[];
  readonly published?: readonly PublishedMark[];
  /** Of bars that grow upwards. */
  readonly publishedPlaces?: readonly PublishedPlace[];
}

/** A matrix of cells, with bars of column sums above and row sums at the right. Zero cells stay blank. */
export interface HeatChart {
  readonly kind: "heat";
  /** Edges of the columns: columns + 1 values. */
  readonly x: Axis & { readonly edges: Float64Array | readonly number[] };
  /** Edges of the rows, rows + 1 values; row r covers [edges[r], edges[r + 1]). */
  readonly y: Axis & { readonly edges: Float64Array | readonly number[] };
  readonly value: Axis;
  /** rows × columns, row by row. Colour is the sum over the parts; the margins show the parts apart. */
  readonly parts: readonly {
    readonly name: string;
    readonly role: Role;
    readonly cells: Float64Array | readonly number[];
  }[];
  /** Labels of the margins: "bytes over time", "bytes per rank". */
  readonly topLabel: string;
  readonly rightLabel: string;
  /** What the scales must reach as well, so that figures side by side have the same. */
  readonly reach?: HeatReach;
}

export interface HeatReach {
  /** The least and the most of a cell that is not zero. */
  readonly cells: readonly [least: number, most: number];
  /** The most of a column and of a row. */
  readonly column: number;
  readonly row: number;
}

/** One cell per target in a row: height is one value, colour another. */
export interface StripChart {
  readonly kind: "strip";
  readonly itemLabel: string;
  readonly items: readonly {
    readonly name: string;
    readonly height: number;
    readonly colour: number;
    readonly note?: string;
  }[];
  readonly height: Axis;
  readonly colour: Axis;
  /** Of how many in all, when known: "n of N OSTs used". */
  readonly ofTotal?: number;
  readonly published?: readonly PublishedMark[];
}

/** Rectangles over time: calls on lanes, or offsets of a file. At most some thousands; bin before. */
export interface SpansChart {
  readonly kind: "spans";
  readonly x: Axis;
  readonly y: Axis;
  /** Names of the rows when y is a lane number. */
  readonly laneNames?: readonly string[];
  /** The names of lanes say what their spans are, so that roles are colours only and need no legend. */
  readonly namedByLane?: boolean;
  readonly spans: readonly {
    readonly x1: number;
    readonly x2: number;
    readonly y1: number;
    readonly y2: number;
    readonly role: Role;
    readonly note?: string;
  }[];
}

/** Cumulative shares (right-continuous, drawn as steps), with a dotted line at the mean of each series. */
export interface CmfChart {
  readonly kind: "cmf";
  readonly x: Axis;
  readonly series: readonly {
    readonly name: string;
    readonly role: Role;
    /** Rising values and the share of the population at or below each; thinned to a few thousand. */
    readonly values: readonly number[];
    readonly shares: readonly number[];
    readonly mean: number;
    readonly n: number;
  }[];
  readonly published?: readonly PublishedMark[];
}

/** One violin per group: a density, its mean as a solid line, median and quartiles thin; n below. */
export interface ViolinChart {
  readonly kind: "violin";
  readonly value: Axis;
  readonly groupLabel: string;
  readonly groups: readonly {
    readonly name: string;
    readonly role: Role;
    readonly n: number;
    /** Density at rising values, in any unit: the widest place of all groups fills the room. */
    readonly values: readonly number[];
    readonly densities: readonly number[];
    readonly mean: number;
    readonly median: number;
    readonly lowerQuartile: number;
    readonly upperQuartile: number;
  }[];
  readonly published?: readonly PublishedMark[];
}

/** Counts in log bins of two values; colour is the decade of the count. Zeros stand in a gutter of their own. */
export interface DensityChart {
  readonly kind: "density";
  readonly x: Axis & { readonly edges: readonly number[] };
  readonly y: Axis & { readonly edges: readonly number[] };
  /** What is counted: "files". */
  readonly countLabel: string;
  /** (edges of y - 1) × (edges of x - 1), row by row. */
  readonly counts: Float64Array | readonly number[];
  /** Where x is zero, one per row; where y is zero, one per column; where both are. Absent: no gutter. */
  readonly zeroX?: readonly number[];
  readonly zeroY?: readonly number[];
  readonly zeroBoth?: number;
  /** Straight lines across, such as the bounds of a selection: value on one axis. */
  readonly marks?: readonly { readonly axis: "x" | "y"; readonly value: number; readonly label: string }[];
}

/** Points with labels; shape and colour by role. */
export interface PointsChart {
  readonly kind: "points";
  readonly x: Axis;
  readonly y: Axis;
  readonly points: readonly {
    readonly x: number;
    readonly y: number;
    readonly label: string;
    readonly role: Role;
  }[];
  /** What a role stands for here, where its own name does not say it. */
  readonly names?: Partial<Readonly<Record<Role, string>>>;
}

/**
 * The evidence of a cause: items side by side, of which some are marked as the cause. Many items become one area. The mark
 * says what it is where it stands, so there is no legend.
 */
export interface CulpritChart {
  readonly kind: "culprit";
  /** Upwards, or to the right with room for long names. */
  readonly direction: "vertical" | "horizontal";
  readonly itemLabel: string;
  readonly items: readonly { readonly name: string; readonly value: number }[];
  readonly value: Axis;
  readonly severity: "high" | "warn";
  /** Indices of the items that are the cause, rising. */
  readonly marked: readonly number[];
  readonly markLabel: string;
  /** What the others are: "1,963 other ranks: at most 17 s". */
  readonly restLabel?: string;
  /** A value to compare with: the end of the run, the median. */
  readonly line?: { readonly value: number; readonly label: string };
  /** What the room above the items means: "waiting". */
  readonly emptyLabel?: string;
}
