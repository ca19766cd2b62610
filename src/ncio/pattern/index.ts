/** Access patterns and datatypes: what others use. */
export { bytes, type Datatype, type Part, parts, shifted, vector } from "./datatype.ts";
export { checkDatatype, decodeDatatype, encodeDatatype, TYPE_LIMITS, type TypeLimits } from "./encoding.ts";
export { pack, unpack } from "./pack.ts";
export type { AccessCase, Pattern, RankAccess, Region } from "./pattern.ts";
export { patternOf } from "./patterns.ts";
export {
  type DataRange,
  dataBelow,
  PieceCursor,
  type Pieces,
  pieceBlock,
  pieceCount,
  piecesOf,
  placeOf,
} from "./pieces.ts";
export { RegionCursor, type Regions, regionBlock, regionsOf } from "./regions.ts";
export { dataBytes, endOf, isContiguous, isOrdered, lowOf } from "./shape.ts";
export {
  CASES,
  type FlashSpec,
  type HpioSpec,
  type IparsSpec,
  type NcioSpec,
  PATTERN_NAMES,
  type PatternSpec,
  readPatternSpec,
  type SubarraySpec,
} from "./specs.ts";
