/** The commands of start.ts that run for every log and job, in one bundle. */
import client from "./collect/client.ts";
import dxt from "./darshan/dxt.ts";
import parse from "./darshan/parse.ts";
import { runQuick } from "./quick-run.ts";

runQuick([parse, dxt, client]);
