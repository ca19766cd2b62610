/** Which files are not the application's own data, and so are left out unless asked for; docs/record.md has the reasons. */

/** A file, a folder with all below it, or a pattern in which * stands for any text, slashes too, and ? for a character. */
export const SYSTEM_PATHS: readonly string[] = [
  // What the kernel and the system offer as files.
  ...["/proc", "/sys", "/etc", "/run", "/selinux"],
  // Programs, libraries, locales, time zones: what every start reads.
  ...["/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/nix/store"],
  ...["*.so", "*.so.*"],
  // Modules of Python in an environment of its own.
  ...["*/lib/python*/*", "*/__pycache__/*", "*.pyc"],
  // By which MPI libraries talk and keep their books.
  ...[
    "mpich",
    "MPICH",
    "vader_segment",
    "sm_segment",
    "ompi",
    "osc_",
    "psm",
    "sem.",
    "ucx",
    "nccl",
    "intel_mpi",
  ].map((name) => `/dev/shm/${name}*`),
  ...["ompi.", "openmpi-sessions", "pmix", "prte.", "mpich", "hydra", "PMI"].map((name) => `/tmp/${name}*`),
  "/memfd:*",
];

interface PathFilter {
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly all: boolean;
}

/** The same decision as in native/recorder.c, for ways of recording that cannot leave files out themselves. */
export function isLeftOut(path: string, { only, skip, all }: PathFilter): boolean {
  const fits = (pattern: string) => pathMatches(pattern, path);
  if (skip.some(fits)) return true;
  if (only.length > 0) return !only.some(fits);
  if (all) return false;
  return (path.startsWith("/dev/") && !path.startsWith("/dev/shm/")) || SYSTEM_PATHS.some(fits);
}

function pathMatches(pattern: string, path: string): boolean {
  if (!/[*?]/.test(pattern))
    return path === pattern || path.startsWith(pattern.endsWith("/") ? pattern : `${pattern}/`);
  const body = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${body}$`, "su").test(path);
}
