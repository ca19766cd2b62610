/** The study of a system's job I/O (Paul et al. 2020) on the reader's own counters. */
export { claimText, studyDocument, verdictOf } from "./document.ts";
export type { Claim, StudyFinding, Verdict } from "./findings.ts";
export type { ItemResult, Published, StudyItem } from "./item.ts";
export { SYSTEM_ITEMS } from "./items.ts";
export {
  type OptionInfo,
  type OptionName,
  SYSTEM_DEFAULTS,
  SYSTEM_OPTIONS,
  type SystemOptions,
  systemOptions,
} from "./options.ts";
export { runStudy, STUDY_STEPS, type Study } from "./study.ts";
