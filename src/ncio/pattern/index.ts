/** Access patterns and datatypes: the public interface. */
export { bytes, type Datatype, parts, vector } from "../../base/datatype.ts";
export { checkDatatype, decodeDatatype, encodeDatatype } from "./encoding.ts";
export { pack, unpack } from "./pack.ts";
export type { AccessCase, Pattern, RankAccess } from "./pattern.ts";
export { patternOf } from "./patterns.ts";
export { dataBelow, PieceCursor, type Pieces, pieceBlock, pieceCount, placeOf } from "./pieces.ts";
export { RegionCursor, regionBlock } from "./regions.ts";
export { dataBytes, endOf, isContiguous, isOrdered, lowOf } from "./shape.ts";
export { CASES, type HpioSpec, type NcioSpec, PATTERN_NAMES, type PatternSpec } from "./specs.ts";
