import { defineItem, share, table } from "./item.ts";

export const a19 = defineItem({
  id: "A19",
  from: "files",
  definition: "A19@1",
  title: "Producers and consumers",
  place: "section 3.1, finding 5",
  section: "sharing",
  about:
    "Selected files with bytes of two or more applications: whether each application both read and wrote the file over the period. A file is handed over if one application only writes it and another only reads it.",
  reading:
    "Finding 5 says that each application performs both read and write I/O. This can refer to pairs of file and application, or to files for which it holds for every application: both are printed.",
  options: ["period", "minBytes", "minRuns", "application"],
  values: {
    sharedFiles: ["count", "files of two or more applications"],
    pairs: ["count", "pairs of shared file and application"],
    pairsReadAndWrite: ["share", "pairs that read and write", undefined, "each application"],
    pairsReadOnly: ["share", "pairs that only read"],
    pairsWriteOnly: ["share", "pairs that only write"],
    filesAllReadAndWrite: ["share", "files that every application reads and writes"],
    filesHandedOver: ["share", "files handed over from a writer to a reader"],
  },
  narrative: ({ text }) =>
    `Of ${text("sharedFiles")} shared files ${text("filesAllReadAndWrite")} are read and written by every application that uses them, and ${text("pairsReadAndWrite")} of the pairs of file and application do both (paper: each application does both); ${text("filesHandedOver")} are handed over from one that only writes to one that only reads.`,
  async measure({ scan, files }) {
    const { files: shared, pairs, both, readers, writers, allBoth, handedOver } = scan.sharing.together;
    return {
      n: shared,
      unit: "shared files",
      dropped: { "selected files that one application moved bytes of": files - shared },
      values: {
        sharedFiles: shared,
        pairs,
        pairsReadAndWrite: share(both, pairs),
        pairsReadOnly: share(readers, pairs),
        pairsWriteOnly: share(writers, pairs),
        filesAllReadAndWrite: share(allBoth, shared),
        filesHandedOver: share(handedOver, shared),
      },
      tables:
        shared === 0
          ? []
          : [
              table(
                "producers-and-consumers",
                "Applications by their use of shared files.",
                [
                  ["what", "Application", "text", "Use of the file over the period."],
                  ["pairs", "Pairs", "count", "Pairs of shared file and application."],
                  ["share", "Share", "share", "Share of all pairs."],
                ],
                [
                  ["reads and writes", both, share(both, pairs)],
                  ["only reads", readers, share(readers, pairs)],
                  ["only writes", writers, share(writers, pairs)],
                ],
              ),
            ],
    };
  },
});
