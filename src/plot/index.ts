/** Figures as SVG, CSV and tables, and numbers for people. Runs in a browser and, with a DOM lent to it, in Node. */
export { type FigureTable, binsOf, guttersOf, isBinned, quantileOf } from "./charts/index.ts";
export { figureCsv, figureTable } from "./csv.ts";
export { formatExact, formatValue, NOT_RECORDED } from "./format.ts";
export { type RenderOptions, renderSvg } from "./render.ts";
export { THEMES, type Theme, type ThemeName, themeCss } from "./theme.ts";
export { decadeClasses } from "./classes.ts";
export { shortenMiddle, wrapText } from "./text.ts";
