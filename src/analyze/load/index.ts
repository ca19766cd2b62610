/** What an administrator asks of a store: who loads a target, who comes first, what a job did, and when it is quiet. */
export type { Measure } from "./amounts.ts";
export { PER_CALL, POPULATIONS } from "./efficiency.ts";
export { jobAnswer } from "./job.ts";
export { jobDocument } from "./job-document.ts";
export { quietHours } from "./quiet.ts";
export { quietDocument } from "./quiet-document.ts";
export { type Order, type Ranking, rank } from "./rank.ts";
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
export { askedWindow, checkZone, parseLength, storedTime, type Window } from "./window.ts";
export { stretchMinutes } from "./gather.ts";
export {
  byApplication,
  hasOrder,
  RANKED,
  RANKED_COLUMNS,
  RANKED_ORDERS,
  ranked,
  rankedCells,
  rankedDocument,
  type RankedOrder,
  type RankedRow,
} from "./ranked.ts";
