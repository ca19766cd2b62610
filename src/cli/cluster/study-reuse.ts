/** `plimsoll cluster study reuse`: the study of file reuse in buckets, as an array job. */
import reuse from "../study/reuse.ts";
import { clusterStudy } from "./study.ts";

export default clusterStudy("reuse", reuse, "--zone America/Los_Angeles -o study");
