import { defineItem, number, share, table } from "./item.ts";

export const a19 = defineItem({
  id: "A19",
  definition: "A19@1",
  title: "Producers and consumers (section 3.1, finding 5)",
  section: "sharing",
  about:
    "Of selected files that two or more applications moved bytes of: whether each application both read and wrote the file over the period. A file is handed over when one application only writes it and another only reads it.",
  reading:
    "Finding 5 says that each application performs both read and write I/O. It can be read of pairs of file and application, or of files in which every application does: both are printed.",
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
  async measure({ db, options, files }) {
    const application = options.application === "exe" ? "application_id" : "application_id, user_id";
    const [row] = await db.rows(`with pairs as (
        select s.file_no, sum(cast(r as double)) as r, sum(cast(w as double)) as w
        from reuse_input a join reuse_selected s on a.file_id = s.file_id and a.mount_no = s.mount_no
        where r is not null and w is not null and greatest(r, w) > 0
        group by s.file_no, ${application}),
      of_files as (
        select count(*) as pairs, count(*) filter (r > 0 and w > 0) as doing_both, count(*) filter (w = 0) as readers,
          count(*) filter (r = 0) as writers
        from pairs group by file_no having count(*) >= 2)
      select count(*) as files, sum(pairs) as pairs, sum(doing_both) as doing_both, sum(readers) as readers, sum(writers) as writers,
        count(*) filter (doing_both = pairs) as all_both, count(*) filter (readers > 0 and writers > 0) as handed from of_files`);
    const of = (key: string) => number(row?.[key]) || 0;
    const [shared, pairs] = [of("files"), of("pairs")];
    return {
      n: shared,
      unit: "shared files",
      dropped: { "selected files that one application moved bytes of": files - shared },
      values: {
        sharedFiles: shared,
        pairs,
        pairsReadAndWrite: share(of("doing_both"), pairs),
        pairsReadOnly: share(of("readers"), pairs),
        pairsWriteOnly: share(of("writers"), pairs),
        filesAllReadAndWrite: share(of("all_both"), shared),
        filesHandedOver: share(of("handed"), shared),
      },
      tables:
        shared === 0
          ? []
          : [
              table(
                "producers-and-consumers",
                "What applications do with the files that they share.",
                [
                  ["what", "Application", "text", "What it did with the file over the period."],
                  ["pairs", "Pairs", "count", "Of shared file and application."],
                  ["share", "Share", "share", "Of all pairs."],
                ],
                [
                  ["reads and writes", of("doing_both"), share(of("doing_both"), pairs)],
                  ["only reads", of("readers"), share(of("readers"), pairs)],
                  ["only writes", of("writers"), share(of("writers"), pairs)],
                ],
              ),
            ],
    };
  },
});
