/** What the points of a sweep of noncontiguous I/O say: figures, guidelines, crossovers, advice (Ching and others, NCIO). */
export { type Advice, adviseOn, type Change, type Near, type PatternQuery } from "./advice.ts";
export type { Crossover, Leaders, Pair } from "./crossover.ts";
export { pointsCsv } from "./csv.ts";
export { sweepDocument } from "./document.ts";
export { sweepFigures } from "./figures.ts";
export type { Guideline, Measure, Verdict } from "./guideline.ts";
export { guidelinesOf } from "./guidelines.ts";
export { hintsOf, METHOD_ORDER, METHOD_WORDS, methodName } from "./methods.ts";
export { type Ratio, ratioOf, ratioText, seen } from "./ratio.ts";
export { readPoint, readSweep } from "./read.ts";
export { type Direction, SweepPoints } from "./series.ts";
export { adviceLines, patternLines } from "./text.ts";
export { judgeSweep, type SweepVerdict } from "./verdict.ts";
