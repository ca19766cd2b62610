/** Load questions on a store: load of a target by job, rankings, one job, quiet hours, weeks. */
export { MEASURES, type Measure, measured, measureSql } from "./amounts.ts";
export { limitsOf, PER_CALL, POPULATIONS, WRITE_CLASS_DEFAULTS } from "./efficiency.ts";
export { chosenZone } from "../study/common/stored-zone.ts";
export { type JobAnswer, type JobRun, jobAnswer } from "./job.ts";
export { jobLine, jobShares } from "./job-line.ts";
export { jobDocument } from "./job-document.ts";
export { serversOfJob } from "./servers-of-job.ts";
export { nodesDocument, operationsDocument } from "./groups-document.ts";
export { rankNodes } from "./nodes.ts";
export { serversDocument, serverStates, serversSql } from "./servers.ts";
export { askedOf, askedOfClients, askedTargets, type LoadQuery, usualMeasure, zoned } from "./question.ts";
export { rankOperations } from "./operations.ts";
export { quietHours } from "./quiet.ts";
export { quietDocument } from "./quiet-document.ts";
export { type By, type Order, type Ranking, rank, rankings } from "./rank.ts";
export { rankTargets, type TargetRanking } from "./rank-targets.ts";
export { rankingDocument, targetRankingDocument } from "./rank-document.ts";
export {
  chooseTargets,
  fullName,
  storedTargetNames,
  targetCondition,
  type TargetName,
  targetsText,
} from "./targets.ts";
export { alertRules, DEFAULT_ALERTS } from "./alert-rules.ts";
export { type AlertAnswer, judgeAlerts } from "./alerts.ts";
export { LIVE_ORDERS, type LiveOrder, liveLines, ordered as orderedLoad } from "./live-screen.ts";
export { storedLoad } from "./live-store.ts";
export { weekAnswer } from "./week.ts";
export { weekDocument } from "./week-document.ts";
export { weekFindings } from "./week-findings.ts";
export { CHANGE_KINDS, compareTimes } from "./compare.ts";
export { comparisonDocument } from "./compare-document.ts";
export {
  checkZone,
  lastWeek,
  localText,
  parseLength,
  parsePeriod,
  parseTime,
  storedTime,
  usualSource,
  type Window,
} from "./window.ts";
export { stretchesBegin, stretchMinutes } from "./stretches.ts";
export { answerable, withMinutes } from "./levels.ts";
export {
  byApplication,
  hasOrder,
  importantColumns,
  RANKED,
  RANKED_COLUMNS,
  RANKED_ORDERS,
  ranked,
  rankedCells,
  rankedDocument,
  type RankedOrder,
  type RankedRow,
} from "./ranked.ts";
export {
  type Band,
  bandOf,
  bandWindow,
  type LoadSteps,
  loadSteps,
  newestSamples,
  stepSeconds,
  type TargetSeries,
  type TargetSpace,
  type TargetSteps,
  targetSeries,
  targetSpace,
  usualHours,
} from "./target-series.ts";
export { firstRowsOfStore, rowsOfStore, runsLike } from "./stored-runs.ts";
export { personAnswer } from "./person.ts";
export { personDocument } from "./person-document.ts";
export { jobLoad } from "./job-load.ts";
