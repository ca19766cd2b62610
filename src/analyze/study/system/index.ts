/** The study of a system's job I/O (Paul et al. 2020) on the reader's own counters. */
export { studyDocument, SYSTEM_STUDY, verdictOf } from "./document.ts";
export { publishedNumber } from "../common/item.ts";
export type { Published as SystemPublished } from "./item.ts";
export { SYSTEM_OPTIONS, type SystemOptions, systemOptions } from "./options.ts";
export { quickContention } from "./contention-hours.ts";
export { SYSTEM_ROWS, systemPart } from "./parts.ts";
export { SYSTEM_ITEMS } from "./items.ts";
export { notesOf, runStudy, STUDY_STEPS, type Study } from "./study.ts";
