/** A command of ours in a process of its own: with an end to its time, and a bound on how many there are. */
import { spawn } from "node:child_process";
import { builtFile } from "../node/built.ts";
import { TooBusy } from "./answers.ts";

const CHILDREN_MAX = 2;
const OUTPUT_MAX = 64 * 1024 * 1024;

interface ChildAnswer {
  readonly code: number | null;
  readonly stdout: Buffer;
  /** Its last line, without the name of the program. */
  readonly failure: string;
  readonly isLate: boolean;
}

export class Commands {
  #running = 0;

  async run(words: readonly string[], secondsMax: number): Promise<ChildAnswer> {
    if (this.#running >= CHILDREN_MAX)
      throw new TooBusy("other requests are being served; try again in a moment");
    this.#running++;
    try {
      return await run(words, secondsMax);
    } finally {
      this.#running--;
    }
  }
}

function run(words: readonly string[], secondsMax: number): Promise<ChildAnswer> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [builtFile("main.js"), ...words], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const pieces: Buffer[] = [];
    let bytes = 0;
    let errors = "";
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, 1000 * secondsMax);
    child.stdout.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > OUTPUT_MAX) child.kill("SIGKILL");
      else pieces.push(piece);
    });
    child.stderr.on("data", (piece: Buffer) => {
      errors = (errors + piece.toString()).slice(-2000);
    });
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      const failure = (errors.trim().split("\n").at(-1) ?? "").replace(/^plimsoll: /, "");
      resolve({ code, stdout: Buffer.concat(pieces), failure, isLate });
    });
  });
}
