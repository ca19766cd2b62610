import { defineItem, number, share, table } from "./item.ts";
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
    const { input, files } = await prepare(db, options);
    const [calls] =
      await db.rows(`select sum(sequential_reads) as seq_reads, sum(sequential_writes) as seq_writes,
      sum(reads) as reads, sum(writes) as writes, count(*) as n from reuse_input
      where layer <> 'STDIO' and sequential_reads >= 0 and sequential_writes >= 0 and reads >= 0 and writes >= 0`);
    const [logs] = await db.rows(`select count(*) as n, count(*) filter (
      not list_contains(string_split(coalesce(modules, ''), ' '), 'LUSTRE')) as without from reuse_period_runs`);
    const widths = await db.rows(`select width, count(*) as files from (
      select file_no, max(stripe_count) as width from reuse_accesses group by file_no) group by width order by width`);
    const known = widths.filter(({ width }) => width !== null);
    const n = known.reduce((sum, { files: count }) => sum + number(count), 0);
    const one = known.find(({ width }) => number(width) === 1);
    return {
      n: number(calls?.n),
      unit: "accesses",
      dropped: {
        "accesses without counts of sequential calls": input.accesses - number(calls?.n),
        "selected files without a recorded stripe width": files - n,
      },
      values: {
        sequentialReads: share(number(calls?.seq_reads), number(calls?.reads)),
        sequentialWrites: share(number(calls?.seq_writes), number(calls?.writes)),
        sequential: share(
          number(calls?.seq_reads) + number(calls?.seq_writes),
          number(calls?.reads) + number(calls?.writes),
        ),
        stripeWidth1: share(number(one?.files) || 0, n),
        logsWithoutLustre: share(number(logs?.without), number(logs?.n)),
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
                widths.map(({ width, files: count }) => [
                  width === null ? null : number(width),
                  number(count),
                ]),
              ),
            ],
    };
  },
});
