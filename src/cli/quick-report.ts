/** Judging one job or comparing two, in one bundle. */
import diff from "./diff.ts";
import findings from "./findings.ts";
import { runQuick } from "./quick-run.ts";
import report from "./report.ts";

runQuick([report, findings, diff]);
