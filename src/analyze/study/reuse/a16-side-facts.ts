import { defineItem, share, table } from "./item.ts";

export const a16 = defineItem({
  id: "A16",
  definition: "A16@1",
  title: "Side facts",
  section: "variation",
  about:
    "Share of sequential POSIX calls (at or beyond the end of the previous one) over all accesses that record them; stripe widths; share of logs without Lustre records. The logs do not show how many users opted out of recording.",
  reading:
    "The paper ignores random access since almost all calls are sequential: check whether that holds here.",
  options: ["period", "zone", "excludeMounts"],
  repeats: ["stripeWidth1"],
  values: {
    sequentialReads: ["share", "sequential reads"],
    sequentialWrites: ["share", "sequential writes"],
    sequential: ["share", "sequential calls", undefined, "almost all"],
    stripeWidth1: ["share", "files of stripe width 1", 0.99, "over 99 %"],
    logsWithoutLustre: ["share", "logs without Lustre records"],
  },
  narrative: ({ text }) =>
    `${text("sequential")} of the calls with a known order are sequential; ${text("stripeWidth1")} of the selected files have one stripe; ${text("logsWithoutLustre")} of the logs have no Lustre records.`,
  async measure(prepared) {
    const { files, scan } = prepared;
    const input = await prepared.input();
    const { calls } = input;
    const sets = input.moduleSets;
    const without = sets.filter(({ modules }) => !modules.split(" ").includes("LUSTRE"));
    const logs = (list: typeof sets) => list.reduce((sum, { runs }) => sum + runs, 0);
    const { widths } = scan.layouts;
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
