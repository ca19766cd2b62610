/** The study of file reuse (Patel et al., FAST '20) on the reader's own logs. */
export { REUSE_STUDY, studyDocument, verdictOf } from "./document.ts";
export { publishedNumber } from "../common/item.ts";
export { fileDocument, fileHistory } from "./file-history.ts";
export { STUDY_ITEMS } from "./items.ts";
export { REUSE_OPTIONS, type ReuseOptions, reuseOptions } from "./options.ts";
export { REUSE_ROWS, reusePart } from "./parts.ts";
export { BYTES_PER_NUMBERED, BYTES_PER_SELECTED, BYTES_PER_SPILLED, type Keeping } from "./prepare.ts";
export { runStudy, STUDY_STEPS, type Study } from "./study.ts";
export { type GroupRuns, type RunsState, type RunsWork, groupedRuns } from "./sweep/index.ts";
