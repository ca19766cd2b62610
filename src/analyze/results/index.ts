/** Results of benchmarks: cases, comparisons, slow ranks. */
export { RESULT_COLUMNS, resultRow, resultsDocument, resultsSummary } from "./document.ts";
