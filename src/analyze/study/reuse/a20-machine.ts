import { partOr } from "../common/parts.ts";
import { RUN_SUMS } from "./census.ts";
import { defineItem, number, share, table } from "./item.ts";

export const a20 = defineItem({
  id: "A20",
  definition: "A20@1",
  title: "Machine and burst buffers",
  place: "figure 1, section 2.1",
  section: "data",
  about:
    "Facts about the machine from the logs: mount points, OSTs with files, the largest number of ranks, and the share of bytes on excluded mounts (by default burst buffers), next to the facts of the paper.",
  reading:
    "The paper excludes burst buffers since 5 to 15 % of the I/O goes there. No log has disks, capacity or peak rates.",
  options: ["period", "excludeMounts"],
  values: {
    osts: ["count", "OSTs", 248],
    mounts: ["count", "mount points"],
    ranksMost: ["count", "ranks of the largest run"],
    burstBufferShare: ["share", "bytes on excluded mounts (burst buffers)", undefined, "5 to 15 %"],
  },
  others: {
    disks: ["count", "disks", 10_000, "about 10,000"],
    capacity: ["bytes", "file system capacity", 30e15, "about 30 PB"],
    peakPerSecond: ["bytes", "peak rate of the file system, per second", 744e9],
    manyCoreNodes: ["count", "many-core nodes (Xeon Phi)", 9688],
    otherNodes: ["count", "other nodes (Haswell)", 2388],
    petaflops: ["none", "peak, Pflop/s", 27, "about 27"],
    nodeHours: ["count", "node-hours of the study", 36e6, "about 36 million"],
  },
  narrative: ({ text }) =>
    `Files lie on ${text("osts")} OSTs (paper: 248); ${text("burstBufferShare")} of the bytes go to excluded mounts, which are burst buffers (paper: 5 to 15 %).`,
  async measure(prepared) {
    const { db } = prepared;
    const input = await prepared.input();
    const [row] = await db.rows(`select max(ranks) as ranks from ${partOr(db, "run_sums", RUN_SUMS)}`);
    const list = await db.rows("select mount, excluded from reuse_mounts order by mount nulls last");
    const osts = await prepared.osts();
    const bytes = Number(input.bytesRead + input.bytesWritten);
    const excluded = Number(input.excludedBytes);
    return {
      n: input.runs,
      unit: "logs",
      values: {
        osts: osts.loads.length,
        mounts: list.length,
        ranksMost: number(row?.ranks),
        burstBufferShare: share(excluded, bytes + excluded),
      },
      tables:
        list.length === 0
          ? []
          : [
              table(
                "figure-1-mounts",
                "Mount points in the logs.",
                [
                  ["mount", "Mount", "text", "Mount point."],
                  ["studied", "Studied", "text", "no: excluded, as burst buffers are."],
                ],
                list.map(({ mount, excluded: out }) => [
                  String(mount ?? "(none)"),
                  out === true ? "no" : "yes",
                ]),
              ),
            ],
    };
  },
});
