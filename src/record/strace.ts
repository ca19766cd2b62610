/** The other way to record: strace, which sees every system call and slows each one down. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Environment } from "./compiler.ts";
import { findProgram } from "./program.ts";

export const STRACE_FILE = "strace.txt";

/** What a reader of the numbers must know, in one line. */
export const STRACE_EFFECT =
  "times are 20 to 100 times too long: use bytes, counts and sizes, not times and rates; buffered streams appear as system calls";

const listed = (text: string): readonly string[] => text.trim().split(/\s+/);

const CALLS = listed(`
  read write pread64 pwrite64 readv writev preadv pwritev preadv2 pwritev2 sendfile copy_file_range splice
  io_submit io_getevents io_pgetevents io_uring_enter fsync fdatasync execve
`);

/** Those that the reader of strace's text knows, and what copies descriptors and their positions; a `?` asks for a call only where the machine has it. */
const METADATA_CALLS = listed(`
  ?open openat ?creat close lseek ?stat ?lstat fstat newfstatat statx ?access faccessat ?faccessat2
  ?readlink readlinkat ?unlink unlinkat ?rename ?renameat renameat2 ?link linkat ?symlink symlinkat ?mkdir
  mkdirat ?rmdir truncate ftruncate fallocate ?chmod fchmod fchmodat ?chown fchown fchownat utimensat
  ?mknod mknodat getdents64 sync_file_range syncfs
  dup ?dup2 dup3 fcntl clone ?clone3 ?fork ?vfork
`);

const CAP_SYS_PTRACE = 19n;

/** Whether strace can follow a set-uid program and leave it its rights; the kernel takes them from the programs of others. */
export function canTracePrivileged(): boolean {
  const status = readFileSync("/proc/self/status", "utf8");
  const capabilities = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0";
  return ((BigInt(`0x${capabilities}`) >> CAP_SYS_PTRACE) & 1n) === 1n;
}

/** The words before the command, or undefined where there is no strace. */
export function straceWords(output: string, env: Environment, metadata = true): string[] | undefined {
  const strace = findProgram("strace", env)?.path;
  if (strace === undefined) return undefined;
  const calls = [...CALLS, ...(metadata ? METADATA_CALLS : [])].join(",");
  // Paths are printed whole whatever -s says.
  const words = [strace, "-f", "-ttt", "-T", "-y", "-s", "0", "-o", output, "-e", `trace=${calls}`];
  // Spares untraced calls the stop, but also takes the rights of set-uid programs that are started, once and for all.
  if (canTracePrivileged()) return [...words, "--"];
  // Known since strace 5.3, and not everywhere allowed.
  const check = spawnSync(strace, ["-f", "--seccomp-bpf", "-e", "trace=read", "-o", "/dev/null", "true"], {
    stdio: "ignore",
    env,
  });
  if (check.status === 0) words.splice(1, 0, "--seccomp-bpf");
  return [...words, "--"];
}
