/** Metadata calls: columns of `jobs` and the counters of Lustre behind them. */

/** Calls on names, which the study of a system counts; by column, the counter of llite. */
const NAME_CALLS = {
  ...{ opens: "open", closes: "close", mkdirs: "mkdir", mknods: "mknod" },
  ...{ links: "link", renames: "rename", rmdirs: "rmdir", unlinks: "unlink" },
} as const;

/** All that clients count; by column, the counter of llite. */
export const CLIENT_CALLS = { ...NAME_CALLS, getattrs: "getattr", setattrs: "setattr" } as const;

export type NameCall = keyof typeof NAME_CALLS;
type ClientCall = keyof typeof CLIENT_CALLS;

export const NAME_CALL_COLUMNS = Object.keys(NAME_CALLS) as readonly NameCall[];
export const CLIENT_CALL_COLUMNS = Object.keys(CLIENT_CALLS) as readonly ClientCall[];

/** Counters of an MDT that every release has, in its order. */
export const MDT_CALLS: readonly string[] =
  "open close mknod link unlink mkdir rmdir rename getattr setattr getxattr setxattr statfs sync".split(" ");
