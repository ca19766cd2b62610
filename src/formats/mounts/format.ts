/** Counters of NFS and Storage Scale in the catalogue of inputs: alone they say nothing of a job. */
import type { InputFormat } from "../input-format.ts";

const LATIN = new TextDecoder("latin1");
const firstLines = (head: Uint8Array) => LATIN.decode(head.subarray(0, 4096));

export const nfsMountStats: InputFormat = {
  id: "nfs-mountstats",
  label: "dump of /proc/self/mountstats",
  recognizes: (head) => /^(?:device \S+|no device) mounted on \S+ with fstype /.test(firstLines(head)),
  takenBy: "use plimsoll collect client, which reads the counters before and after a job",
};

export const mmpmon: InputFormat = {
  id: "mmpmon",
  label: "dump of mmpmon -p",
  recognizes: (head) => /^_(?:fs_io_s|io_s|ver|response|mmpmon)_ _n_ /m.test(firstLines(head)),
  takenBy: "use plimsoll collect client, which reads the counters before and after a job",
};
