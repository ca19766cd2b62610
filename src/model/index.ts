/** The model: schema and tables, and what analyses hand to people: findings, figures, documents. */
export * from "./benchmark.ts";
export {
  figureOrigin,
  isSynthetic,
  markedFigure,
  markSynthetic,
  originText,
  originWord,
  type Provenance,
  provenanceJson,
  provenancePrefix,
} from "./provenance.ts";
export * from "./call-filter.ts";
export * from "./calls.ts";
export * from "./document.ts";
export * from "./figure.ts";
export * from "./finding.ts";
export * from "./live-load.ts";
export * from "./metadata-calls.ts";
export * from "./ncio.ts";
export * from "./query.ts";
export * from "./schema.ts";
export * from "./spans.ts";
export * from "./store-levels.ts";
export * from "./store-schema.ts";
export * from "./store-system.ts";
export * from "./streams.ts";
export * from "./tables.ts";
export * from "./trace.ts";
export * from "./write-run.ts";
export * from "./replay.ts";
export * from "./warnings.ts";
