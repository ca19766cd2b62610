/** Modes of servers. */

/**
 * How a server writes the pieces of one list or datatype request to its disk. `none`: one call per piece, like the servers of the NCIO paper.
 * `touching`: adjacent pieces in the local file are one call. `sieve`: also reads and writes across small holes, which is safe since only the
 * server writes its files.
 */
export type Joins = "none" | "touching" | "sieve";
export const JOINS: readonly Joins[] = ["none", "touching", "sieve"];

/**
 * When a server performs a sync request. `beside`: in another thread, while other requests continue. `blocking`: at once, while
 * all clients wait, like the servers of the NCIO paper. `delayed`: once the file is idle for a moment, one sync for all waiting
 * clients, which is that paper's future work.
 */
export type Syncs = "beside" | "blocking" | "delayed";
export const SYNCS: readonly Syncs[] = ["beside", "blocking", "delayed"];
