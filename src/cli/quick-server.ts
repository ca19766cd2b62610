/** `plimsoll collect server` in one bundle. */
import server from "./collect/server.ts";
import { runQuick } from "./quick-run.ts";

runQuick([server]);
