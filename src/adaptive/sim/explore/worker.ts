/** A thread of the explorer: seeds in, a tally out. */
import { parentPort } from "node:worker_threads";
import { type ExploreWork, exploreHere } from "./explore.ts";

parentPort?.on("message", (work: ExploreWork) => parentPort?.postMessage(exploreHere(work)));
