/** The other way to record: strace, which sees every system call and slows each one down. */
import { spawnSync } from "node:child_process";
import type { Environment } from "./compiler.ts";
import { findProgram } from "./program.ts";

export const STRACE_FILE = "strace.txt";

/** What a reader of the numbers must know, in one line. */
export const STRACE_EFFECT =
  "times are 20 to 100 times too long, so use bytes, counts and sizes, not times and rates; buffered streams show as their system calls";

const CALLS = [
  ...["read", "write", "pread64", "pwrite64", "readv", "writev", "preadv", "pwritev", "preadv2", "pwritev2"],
  ...[
    "sendfile",
    "copy_file_range",
    "splice",
    "io_submit",
    "io_getevents",
    "io_pgetevents",
    "io_uring_enter",
  ],
  ...["fsync", "fdatasync", "execve"],
];

/** The words before the command, or undefined where there is no strace. */
export function straceWords(output: string, env: Environment): string[] | undefined {
  const strace = findProgram("strace", env)?.path;
  if (strace === undefined) return undefined;
  const words = [strace, "-f", "-ttt", "-T", "-y", "-s", "0", "-o", output, "-e", `trace=${CALLS.join(",")}`];
  // Spares untraced calls the stop; known since strace 5.3, and not everywhere allowed.
  const check = spawnSync(strace, ["-f", "--seccomp-bpf", "-e", "trace=read", "-o", "/dev/null", "true"], {
    stdio: "ignore",
    env,
  });
  if (check.status === 0) words.splice(1, 0, "--seccomp-bpf");
  return [...words, "--"];
}
