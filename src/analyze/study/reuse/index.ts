/** The study of file reuse (Patel et al., FAST '20) on the reader's own logs. */
export { claimText, studyDocument, verdictOf } from "./document.ts";
export type { Claim, StudyFinding, Verdict } from "./findings.ts";
export { type FileHistory, fileDocument, fileHistory } from "./file-history.ts";
export type { ItemResult, StudyItem } from "./item.ts";
export { STUDY_ITEMS } from "./items.ts";
export {
  type OptionInfo,
  type OptionName,
  REUSE_DEFAULTS,
  REUSE_OPTIONS,
  type ReuseOptions,
  reuseOptions,
} from "./options.ts";
export { runStudy, STUDY_STEPS, type Study } from "./study.ts";
export { type GroupRuns, type RunsState, type RunsWork, groupedRuns } from "./sweep/index.ts";
