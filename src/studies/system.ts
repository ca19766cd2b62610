/** The study of a system over a store. */
import { itemsJson } from "../analyze/study/common/items-json.ts";
import {
  runStudy,
  STUDY_STEPS,
  type Study,
  studyDocument,
  SYSTEM_ROWS,
  type SystemOptions,
  systemPart,
} from "../analyze/study/system/index.ts";
import type { StoreStudy } from "./store-study.ts";

const MEMORY_DEFAULT = 1024 ** 3;

export const systemStudy = (
  chosen: SystemOptions,
  { memory = MEMORY_DEFAULT }: { readonly memory?: number | undefined },
): StoreStudy<Study> => ({
  name: "system",
  kind: "plimsoll system study",
  steps: STUDY_STEPS,
  databaseBytes: memory,
  rows: SYSTEM_ROWS,
  empty: "has no jobs and no target counters",
  origin: ["jobs", "readings"],
  run: (session, watch) => runStudy(session, chosen, watch),
  options: chosen,
  part: (session, write) => systemPart(session, chosen, write),
  document: studyDocument,
  tables: () => [],
  json: studyJson,
});

/** The contract of all studies. */
function studyJson({
  items,
  findings,
  recommendations,
  options,
  jobs,
  series,
  clusters,
  seconds,
}: Study): object {
  return {
    study: "system",
    options,
    jobs,
    seriesJobs: series,
    clusters,
    items: itemsJson(items),
    findings,
    recommendations,
    seconds,
  };
}
