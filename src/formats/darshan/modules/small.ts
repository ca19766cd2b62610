/** Modules with little to say: BG/Q machine facts, and NULL, the example module of the recording library. */
import { counters, fixedModule, upgradeMap } from "./module.ts";

export const nullModule = fixedModule({
  name: "NULL",
  slots: [0, 0, 0],
  version: 1,
  integers: counters("NULL_", "FOOS count none calls\nFOO_MAX_DAT value none largest value seen"),
  reals: counters(
    "NULL_F_",
    "FOO_TIMESTAMP seconds none first call\nFOO_MAX_DURATION seconds none longest call",
  ),
  about: "an example; real logs do not hold it",
});

export const bgq = fixedModule({
  name: "BG/Q",
  slots: [5, 6, 7],
  version: 2,
  integers: counters(
    "BGQ_",
    `CSJOBID id none job number of the control system
    NNODES count none nodes
    RANKSPERNODE count none ranks on a node
    DDRPERNODE value none memory of a node, MiB
    INODES count none I/O nodes
    ANODES count none nodes in dimension A
    BNODES count none nodes in dimension B
    CNODES count none nodes in dimension C
    DNODES count none nodes in dimension D
    ENODES count none nodes in dimension E
    TORUSENABLED flag none which dimensions form a torus`,
  ),
  reals: counters("BGQ_F_", "TIMESTAMP seconds none when this was read"),
  about: "facts of a Blue Gene/Q partition",
  // Version 1 has eight bytes of no meaning behind the base.
  older: { 1: { words: 15, upgrade: upgradeMap([0, 2], [3, 15]) } },
});
