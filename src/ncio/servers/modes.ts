/** How servers work, where there is a choice. */

/**
 * How a server puts the pieces of one list or datatype request onto its disk. `none`: a call for each piece, as the servers of
 * the NCIO paper did. `touching`: pieces that touch in the local file are one call. `sieve`: also reads and writes across
 * small holes, which only the server may do, since nobody else writes its files meanwhile.
 */
export type Joins = "none" | "touching" | "sieve";
export const JOINS: readonly Joins[] = ["none", "touching", "sieve"];

/**
 * When a server makes a file durable that a client asks for. `beside`: in another thread, other requests go on. `blocking`: at once,
 * and everybody waits, as on the servers of the NCIO paper. `delayed`: when no request for the file has come for a moment, once for all
 * who wait, which is that paper's plan for later.
 */
export type Syncs = "beside" | "blocking" | "delayed";
export const SYNCS: readonly Syncs[] = ["beside", "blocking", "delayed"];
