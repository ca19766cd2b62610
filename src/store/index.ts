/** The store of record: what was read from logs, for studies. */
export { type OriginTable, provenanceOf } from "./provenance.ts";
export { askStore, useStore } from "./ask.ts";
export { adoptBatches } from "./adopt.ts";
export { type Batch, BUCKETS_AT_ONCE } from "./batch.ts";
export { type CheckReport, checkStore, stretchText } from "./check.ts";
export { compactStore } from "./compact.ts";
export type { Database, StoreOptions } from "./database.ts";
export { exportFile, type ExportFormat } from "./export.ts";
export { makePart, partFolders, takeSnapshot } from "./part-folder.ts";
export { openParts } from "./parts-session.ts";
export { LOCKS } from "./layout.ts";
export type { BatchLoss } from "./loss.ts";
export { pruneStore } from "./prune.ts";
export { dropBatch, type RepairReport, repairStore } from "./repair.ts";
export type { BatchInfo } from "./manifest.ts";
export type { SqlResult, StoreSession } from "./session.ts";
export { Store } from "./store.ts";
