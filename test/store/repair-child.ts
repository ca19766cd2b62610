/**
 * Repairs a store and kills itself at a point.
 *
 *     repair STORE POINT
 *     drop STORE POINT BATCH
 */
import { onStorePoint } from "../../src/store/hooks.ts";
import { dropBatch, repairStore } from "../../src/store/index.ts";

const [mode, store = "", point, batch = ""] = process.argv.slice(2);
onStorePoint((at) => {
  if (at === point) process.kill(process.pid, "SIGKILL");
});
if (mode === "repair") await repairStore(store, { apply: true });
else await dropBatch(store, batch, { apply: true });
