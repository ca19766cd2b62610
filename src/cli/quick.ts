/** The commands of start.ts that read single logs, and the collectors, in one bundle. */
import client from "./collect/client.ts";
import server from "./collect/server.ts";
import dxt from "./darshan/dxt.ts";
import parse from "./darshan/parse.ts";
import { runQuick } from "./quick-run.ts";

runQuick([parse, dxt, client, server]);
