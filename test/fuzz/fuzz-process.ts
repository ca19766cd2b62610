// The fuzz program as a process of its own, so that its memory can be measured.

import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export function fuzzProcess(pass: string, count: number): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const words = ["--seed", "20131118", "--count", String(count), "--pass", pass];
    const child = spawn(process.execPath, [join(root, "scripts", "fuzz.mjs"), ...words], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    child.stderr.on("data", (text) => (output += text));
    child.on("close", (code) => resolve({ code, output }));
  });
}
