/** The write of the demonstration: one target is throttled to 1/8 of the speed of the others. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { stepDocument } from "../adaptive/steps/index.ts";
import type { Listener } from "../base/listener.ts";
import type { Document, WriteRun } from "../model/index.ts";
import { openAdaptive, planWorkload } from "../adaptive/runtime/index.ts";

const TARGETS = 4;
/** Bytes per second of a target; slow enough for any machine to keep up, fast enough not to bore. */
const SPEED = 40e6;
const SLOW_SHARE = 1 / 8;
const BLOCKS = 32;
/** Of the 2 MiB that each process of the workload writes. */
const SCALE = 0.5;

/** Writes the same data twice, without and with adaptation, and leaves the second dataset. */
export async function adaptiveDemo(folder: string, madeBy: string, listener: Listener): Promise<Document> {
  const runs: WriteRun[] = [];
  for (const policy of ["static", "plimsoll"]) runs.push(await write(folder, policy, listener));
  return stepDocument(runs, {
    command: `plimsoll write -o checkpoint.bp --targets t0,t1,t2,t3 --workload pixie3d-small -n ${BLOCKS} --scale ${SCALE} --base-speed ${SPEED} --target-speed 0:${SLOW_SHARE}`,
    madeBy,
  });
}

async function write(folder: string, policy: string, { signal }: Listener): Promise<WriteRun> {
  const targets = Array.from({ length: TARGETS }, (_, i) => join(folder, "targets", `t${i}`));
  for (const target of targets) mkdirSync(target, { recursive: true });
  const writer = await openAdaptive({
    path: join(folder, "checkpoint.bp"),
    targets,
    policy,
    force: true,
    history: false,
    speeds: targets.map((_, i) => (i === 0 ? SPEED * SLOW_SHARE : SPEED)),
    signal,
  });
  try {
    const plan = planWorkload("pixie3d-small", BLOCKS, SCALE);
    const { record } = await writer.writeInput({ plan, data: () => ({ kind: "synthetic" }) });
    return { ...record.run, label: policy, title: "Writing to four targets, one of them slow" };
  } finally {
    await writer.close();
  }
}
