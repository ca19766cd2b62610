/** Calls in the formats of other programs. Runs in a browser; whoever writes the pieces sets the pace. */
export {
  CallCollection,
  type CollectionOptions,
  type LeftOut,
  type OrderedCalls,
} from "./collection.ts";
export { EXPORT_GROUPS, type ExportGroup, groupColumn } from "./names.ts";
export { perfettoTrace } from "./perfetto.ts";
export { speedscopeProfile } from "./speedscope.ts";
export { callsCsv, callsParquet } from "./tables.ts";
export { type ColumnBlock, tableCsv, tableParquet } from "./log-tables.ts";
