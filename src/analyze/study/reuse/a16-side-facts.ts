import { defineItem, share, table } from "./item.ts";
import { prepare } from "./prepare.ts";

export const a16 = defineItem({
  id: "A16",
  definition: "A16@1",
  title: "Side facts",
  about:
    "Share of sequential POSIX calls (at or beyond the end of the previous one) over all accesses that record them; stripe widths; share of logs without Lustre records. How many users opted out of recording cannot be known from the logs.",
  reading:
    "The paper leaves randomness aside since almost all calls are sequential: see whether that holds here.",
  options: ["period", "zone", "excludeMounts"],
  published: { stripeWidth1: 0.99 },
  async measure(db, options) {
    const prepared = await prepare(db, options);
    const { files, swept } = prepared;
    const input = await prepared.input();
    const { calls } = input;
    const sets = input.moduleSets;
    const without = sets.filter(({ modules }) => !modules.split(" ").includes("LUSTRE"));
    const logs = (list: typeof sets) => list.reduce((sum, { runs }) => sum + runs, 0);
    const { widths } = swept.layouts;
    const n = files - (widths.get(-1) ?? 0);
    return {
      n: calls.accesses,
      unit: "accesses",
      dropped: {
        "accesses without counts of sequential calls": input.accesses - calls.accesses,
        "selected files without a recorded stripe width": files - n,
      },
      values: {
        sequentialReads: share(calls.sequentialReads, calls.reads),
        sequentialWrites: share(calls.sequentialWrites, calls.writes),
        sequential: share(calls.sequentialReads + calls.sequentialWrites, calls.reads + calls.writes),
        stripeWidth1: share(widths.get(1) ?? 0, n),
        logsWithoutLustre: share(logs(without), logs(sets)),
      },
      tables:
        n === 0
          ? []
          : [
              table(
                "stripe-widths",
                "Selected files by the number of OSTs that they are striped over.",
                [
                  ["width", "Stripes", "count", "Stripe count; empty where not recorded."],
                  ["files", "Files", "files", "Selected files."],
                ],
                [...widths]
                  .sort(([a], [b]) => Number(a === -1) - Number(b === -1) || a - b)
                  .map(([width, count]) => [width === -1 ? null : width, count]),
              ),
            ],
    };
  },
});
