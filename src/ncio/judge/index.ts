/** Evaluation of a sweep of noncontiguous I/O: figures, guidelines, crossovers, advice (Ching et al., NCIO). */
export { adviseOn } from "./advice.ts";
export { claimsOf } from "./claims.ts";
export { pointsCsv } from "./csv.ts";
export { sweepDocument } from "./document.ts";
export { sweepFigures } from "./figures.ts";
export { guidelinesOf } from "./guidelines.ts";
export { hintsOf, METHOD_ORDER, METHOD_WORDS } from "./methods.ts";
export { PUBLISHED_BANDWIDTHS } from "./published.ts";
export { ratioOf, seen } from "./ratio.ts";
export { readPoint, readSweep } from "./read.ts";
export { SweepPoints } from "./series.ts";
export { adviceLines, patternLines } from "./text.ts";
export { judgeSweep } from "./verdict.ts";
