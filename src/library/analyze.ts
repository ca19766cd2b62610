/** `plimsoll/analyze`: reads the logs or traces of a job, judges it, and makes documents, pages and JSON of it. Needs Node. */
export {
  compareDocument,
  compareSummary,
  type Job,
  jobSummary,
  judge,
  type PictureOptions,
  type Rule,
  RULES,
  type ThresholdValues,
  type Verdicts,
  verdictOf,
} from "../analyze/job/index.ts";
export { FormatError, UsageError } from "../base/errors.ts";
export { jsonText } from "../base/json.ts";
export type { Listener } from "../base/listener.ts";
export { type JobOptions, type ReadJob, reportDocument, type ReportWords } from "../inputs/job/index.ts";
export { readJob } from "../inputs/node.ts";
export type { Document, Figure, Finding, Section, Severity } from "../model/index.ts";
export { figureFiles, renderPage, writeFigureFolder, writePage } from "../report/page/index.ts";
export { renderText, type TextOptions } from "../report/text/index.ts";
