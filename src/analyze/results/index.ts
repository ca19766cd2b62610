/** Benchmark results: cases, comparisons, slow ranks. */
export { resultsCsv, resultsDocument, resultsSummary } from "./document.ts";
