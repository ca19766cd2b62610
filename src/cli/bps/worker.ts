/** A thread of `plimsoll bps`: jobs in, what they found out. */
import { parentPort, workerData } from "node:worker_threads";
import { type Answer, type Job, PartWorker, type WorkerStart } from "./part-work.ts";

const worker = new PartWorker((workerData as WorkerStart).options, true);

parentPort?.on("message", (job: Job) => {
  const answer = answerTo(job);
  // Packed accesses are large and not needed here any more.
  const packed = answer.kind === "done" && "part" in answer.result ? answer.result.part.packed : undefined;
  parentPort?.postMessage(answer, packed?.segments.map(({ buffer }) => buffer as ArrayBuffer) ?? []);
});

function answerTo(job: Job): Answer {
  try {
    return { kind: "done", result: worker.do(job) };
  } catch (error) {
    const { message, name, code, errno, syscall, path, stack } = error as NodeJS.ErrnoException;
    return { kind: "failed", message, facts: { name, code, errno, syscall, path, stack } };
  }
}
