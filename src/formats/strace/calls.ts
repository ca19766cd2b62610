/** The calls that matter, by name, and where their arguments stand. */
import { Operation } from "../../model/index.ts";
import { equal, hashOf } from "../text/interner.ts";

/** What a call is for a reader of accesses. */
type Kind =
  /** (fd, buffer, size[, offset]) */
  | "plain"
  /** (fd, [{iov_base, iov_len}…], count[, offset]) */
  | "vector"
  /** From one descriptor to another. */
  | "sendfile"
  | "copy"
  | "submit"
  | "events"
  | "uring"
  | "open"
  | "close"
  | "dup"
  | "nonfile"
  | "pair"
  | "clone"
  | "exec"
  /** ([directory, ]path…): metadata of a file by name. */
  | "by-path"
  /** (fd…): metadata of an open file. */
  | "by-descriptor";

export interface Call {
  readonly name: string;
  readonly kind: Kind;
  readonly write: boolean;
  /** Of calls that are no transfer of data; undefined for those that only change descriptors or processes. */
  readonly operation: number | undefined;
  /** The offset is an argument. */
  readonly positioned: boolean;
  readonly isAccess: boolean;
}

const ACCESSES: ReadonlySet<Kind> = new Set<Kind>(["plain", "vector", "sendfile", "copy"]);

const call =
  (kind: Kind, { write = false, operation }: { write?: boolean; operation?: number } = {}) =>
  (name: string): Call => ({
    name,
    kind,
    write,
    operation,
    positioned: name.startsWith("p"),
    isAccess: ACCESSES.has(kind),
  });

const byPath = (operation: number) => call("by-path", { operation });
const byDescriptor = (operation: number) => call("by-descriptor", { operation });

/** Metadata calls that neither move data nor change what a descriptor stands for. */
const METADATA: readonly Call[] = [
  ...["stat", "stat64", "lstat", "lstat64", "newfstatat", "fstatat64", "statx"].map(byPath(Operation.stat)),
  ...["access", "faccessat", "faccessat2", "readlink", "readlinkat"].map(byPath(Operation.stat)),
  ...["unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat"].map(byPath(Operation.other)),
  ...["symlink", "symlinkat", "mkdir", "mkdirat", "rmdir", "truncate"].map(byPath(Operation.other)),
  ...["chmod", "fchmodat", "chown", "fchownat", "utimensat", "mknod", "mknodat"].map(byPath(Operation.other)),
  ...["fstat", "fstat64"].map(byDescriptor(Operation.stat)),
  ...["lseek", "_llseek"].map(byDescriptor(Operation.seek)),
  ...["fsync", "fdatasync", "sync_file_range", "syncfs"].map(byDescriptor(Operation.sync)),
  ...["ftruncate", "fallocate", "getdents", "getdents64", "fchmod", "fchown"].map(
    byDescriptor(Operation.other),
  ),
];

export const CALLS: readonly Call[] = [
  ...["read", "pread64", "pread"].map(call("plain")),
  ...["write", "pwrite64", "pwrite"].map(call("plain", { write: true })),
  ...["readv", "preadv", "preadv2"].map(call("vector")),
  ...["writev", "pwritev", "pwritev2"].map(call("vector", { write: true })),
  ...["sendfile", "sendfile64"].map(call("sendfile")),
  ...["copy_file_range", "splice"].map(call("copy")),
  ...["io_submit"].map(call("submit")),
  ...["io_getevents", "io_pgetevents"].map(call("events")),
  ...["io_uring_enter"].map(call("uring")),
  ...["open", "openat", "openat2", "creat"].map(call("open", { operation: Operation.open })),
  ...["close"].map(call("close", { operation: Operation.close })),
  ...["dup", "dup2", "dup3", "fcntl", "fcntl64"].map(call("dup")),
  ...["socket", "accept", "accept4", "eventfd", "eventfd2", "epoll_create1", "timerfd_create"].map(
    call("nonfile"),
  ),
  ...["pipe", "pipe2", "socketpair"].map(call("pair")),
  ...["clone", "clone3", "fork", "vfork"].map(call("clone")),
  ...["execve"].map(call("exec")),
  ...METADATA,
];

interface Entry {
  readonly key: Uint8Array;
  readonly call: Call;
}

const BY_HASH = new Map<number, Entry>(
  CALLS.map((entry) => {
    const key = new TextEncoder().encode(entry.name);
    return [hashOf(key, 0, key.length), { key, call: entry }];
  }),
);

/** The call whose name is `bytes[from, to)`, when it matters. */
export function findCall(bytes: Uint8Array, from: number, to: number): Call | undefined {
  const entry = BY_HASH.get(hashOf(bytes, from, to));
  return entry !== undefined && equal(entry.key, bytes, from, to) ? entry.call : undefined;
}
