/** `plimsoll bps` in one bundle. */
import bps from "./bps.ts";
import { runQuick } from "./quick-run.ts";

runQuick([bps]);
