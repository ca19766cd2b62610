/** Figures as SVG, CSV and tables, and numbers for people. Text only: runs in a browser and in Node alike. */
export { binsOf, guttersOf, isBinned, quantileOf } from "./charts/index.ts";
export { figureCsv, figureTable } from "./csv.ts";
export { formatExact, formatValue, NOT_RECORDED, plusSign } from "./format.ts";
export { renderSvg } from "./render.ts";
export { sparkSvg } from "./spark.ts";
export { themeCss } from "./theme.ts";
export { decadeClasses } from "./classes.ts";
export { shortenMiddle, wrapText } from "./text.ts";
export { verdictClass } from "./verdict-words.ts";
