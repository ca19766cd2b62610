/** Results of benchmarks: cases, comparisons, slow ranks. */
export { RESULT_COLUMNS, type ResultSet, resultRow, resultsDocument, resultsSummary } from "./document.ts";
