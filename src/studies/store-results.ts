/** Both studies over a store with their defaults, as the JSON that their folders would have. */
import { reuseOptions } from "../analyze/study/reuse/index.ts";
import { systemOptions } from "../analyze/study/system/index.ts";
import { jsonText } from "../base/json.ts";
import type { Listener } from "../base/listener.ts";
import type { StoreOptions } from "../store/index.ts";
import { reuseStudy } from "./reuse.ts";
import { hasRows, type StoreStudy, type StudyOutcome, studyResult, studyStore } from "./store-study.ts";
import { systemStudy } from "./system.ts";

/** One that finds nothing to study in the store is left out. */
export async function storeResults(store: string, engine: StoreOptions, listener: Listener) {
  const source = { store, engine };
  const limits = { memory: engine.memoryBytes, threads: engine.threads };
  const results: { readonly source: string; readonly value: unknown }[] = [];
  const add = async <Study extends StudyOutcome>(kind: StoreStudy<Study>) => {
    if (!(await hasRows(kind, source))) return;
    const result = studyResult(kind, await studyStore(kind, source, false, listener));
    results.push({ source: store, value: JSON.parse(jsonText(result)) });
  };
  await add(reuseStudy(reuseOptions({}), limits));
  await add(systemStudy(systemOptions({}), limits));
  return results;
}
