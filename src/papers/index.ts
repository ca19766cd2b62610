/** All items of the papers that Plimsoll repeats. */
export { PAPERS, papersDocument, papersJson, paperRows, totalsOf } from "./document.ts";
export { type GivenResult, paperResults } from "./results.ts";
export { papersText } from "./text.ts";
