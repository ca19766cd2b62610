/** Runs one of our commands as a child process, with a time limit and a limit on concurrent processes. */
import { execFile } from "node:child_process";
import { builtFile } from "../node/built.ts";
import { lastLine } from "../node/child-program.ts";
import { TooBusy } from "./answers.ts";

const CHILDREN_MAX = 2;
const OUTPUT_MAX = 64 * 1024 * 1024;
let running = 0;

interface ChildAnswer {
  readonly code: number | null;
  readonly stdout: Buffer;
  /** Last line of stderr, without the program name. */
  readonly failure: string;
  readonly isLate: boolean;
}

export async function runCommand(words: readonly string[], secondsMax: number): Promise<ChildAnswer> {
  if (running >= CHILDREN_MAX) throw new TooBusy("other requests are being served; try again in a moment");
  running++;
  try {
    return await run(words, secondsMax);
  } finally {
    running--;
  }
}

function run(words: readonly string[], secondsMax: number): Promise<ChildAnswer> {
  const limits = { timeout: 1000 * secondsMax, killSignal: "SIGKILL", maxBuffer: OUTPUT_MAX } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [builtFile("main.js"), ...words],
      { ...limits, encoding: "buffer" },
      (error, stdout, stderr) => {
        if (child.pid === undefined) return reject(error);
        const failure = lastLine(stderr.toString()).replace(/^plimsoll: /, "");
        const isLong = error?.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER";
        resolve({ code: child.exitCode, stdout, failure, isLate: error?.killed === true && !isLong });
      },
    );
    child.stdin?.end();
  });
}
