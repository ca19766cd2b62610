/** `plimsoll cluster study system`: the study of job I/O in buckets, as an array job. */
import system from "../study/system.ts";
import { clusterStudy } from "./study.ts";

export default clusterStudy("system", system, "--cluster quartz -o study");
