/** A thread of the explorer: seeds in, a tally out. */
import { serveTasks } from "../../../node/thread-tasks.ts";
import { type ExploreWork, exploreHere } from "./explore.ts";

serveTasks((work: ExploreWork) => exploreHere(work));
