/** Documents as HTML pages and their figures as files, made in Node. */
export { writeFigureFolder, writeFigures } from "./figures.ts";
export { figureFiles } from "../compose.ts";
export { type ResultFolder, writeResultFolder } from "./result-folder.ts";
export { renderPage } from "./render.ts";
export { writePage } from "./write.ts";
