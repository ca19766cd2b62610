import { mean, quantileIn } from "../../../base/statistics.ts";
import { cmfChart, drawnNote, drawnValues } from "../common/charts.ts";
import { fileIds } from "./file-ids.ts";
import { defineItem, drawn, share, table } from "./item.ts";
import type { Prepared } from "./prepare.ts";
import { type Column, eachPage, type FileClasses } from "./sweep/index.ts";

const EXCEPTIONS_MAX = 1000;

export const a10 = defineItem({
  id: "A10",
  definition: "A10@1",
  title: "Sharing between applications",
  place: "figures 6a and 6b, finding 5",
  section: "sharing",
  about:
    "(a) Per file the number of distinct applications. (b) For every pair of file and application with at least two runs, the mean time from start to start of that application's runs on that file, both types together; the mean is over pairs. Options: mean of its pairs per file; or, per file, the mean gap between successive runs of different applications.",
  reading: "In the paper all applications of a file belong to one user; files of several users are listed.",
  options: ["application", "applicationGap", "metadataOnly", "classRule", "classThreshold"],
  values: {
    sharedByTwoOrMore: ["share", "shared by two or more", 0.67, "over 67 %"],
    sharedByThreeOrMore: ["share", "shared by three or more"],
    applicationsMean: ["none", "applications per file, mean"],
    applicationsMost: ["count", "applications per file, max"],
    applicationMeanHours: ["hours", "mean gap of an application", 31],
    applicationMedianHours: ["hours", "median gap of an application"],
    gaps: ["count", "gaps"],
    sharedReadWrite: ["share", "shared, read- and write-heavy", 0.86],
    sharedReadHeavy: ["share", "shared, read-heavy", 0.12],
    sharedWriteHeavy: ["share", "shared, write-heavy", 0.02],
    filesOfSeveralUsers: ["count", "files of several users", undefined, "none"],
  },
  narrative: ({ number, text }) =>
    `${text("sharedByTwoOrMore")} of the files are accessed by at least 2 applications (paper: over 67 %). The mean inter-arrival time of each application is ${number("applicationMeanHours")} hours (31). Of the shared files ${text("sharedReadWrite")} are both read- and write-heavy, ${text("sharedReadHeavy")} read-heavy, ${text("sharedWriteHeavy")} write-heavy (86 %, 12 %, 2 %). ${text("filesOfSeveralUsers")} files were touched by more than one user.`,
  async measure(prepared) {
    const { options } = prepared;
    const { classes, scan } = prepared;
    const { applications, pairs } = scan.sharing;
    const counted = applications.known();
    const n = counted.length;
    const from = (least: number) => counted.reduce((sum, count) => sum + Number(count >= least), 0);
    const shared = sharedByClass(applications, classes);
    const [both, readHeavy, writeHeavy] = [shared.get(0) ?? 0, shared.get(1) ?? 0, shared.get(-1) ?? 0];
    const classed = both + readHeavy + writeHeavy;
    const gaps = gapTimes(gapsOf(prepared));
    const users = await severalUsers(prepared);
    const sharedByTwoOrMore = share(from(2), n);
    const applicationsMean = mean(counted);
    const applicationMeanHours = gaps.mean;
    const all = options.applicationGap === "pairs" ? pairs : prepared.files;
    const figures = () => [
      ...(n === 0
        ? []
        : [
            drawn({
              id: "figure-6a-applications-per-file",
              title: "Applications per file",
              caption: `${n} files; dotted: mean.${drawnNote(n)}`,
              summary: `${(100 * sharedByTwoOrMore).toFixed(1)} % of ${n} files are touched by two or more applications.`,
              chart: cmfChart({ label: "applications", unit: "count" }, [
                {
                  name: "files",
                  role: "neutral",
                  values: drawnValues(applications.known()),
                  mean: applicationsMean,
                  n,
                },
              ]),
            }),
          ]),
      ...(gaps.count === 0
        ? []
        : [
            drawn({
              id: "figure-6b-application-gaps",
              title: "Mean time between runs of one application on one file",
              caption: `${gaps.count} ${options.applicationGap === "pairs" ? "pairs of file and application" : "files"}; dotted: mean.${drawnNote(gaps.count)}`,
              summary: `${applicationMeanHours.toFixed(1)} h pass on average.`,
              chart: cmfChart({ label: "mean gap", unit: "seconds", scale: "log" }, [
                {
                  name: options.applicationGap,
                  role: "neutral",
                  values: drawnValues(gapsOf(prepared)).map((hours) => hours * 3600),
                  mean: applicationMeanHours * 3600,
                  n: gaps.count,
                },
              ]),
            }),
          ]),
    ];
    return {
      n,
      unit: "files",
      dropped: {
        "files without an access that counts": prepared.files - n,
        [options.applicationGap === "pairs" ? "pairs with one run" : "files without such a gap"]:
          all - gaps.count,
      },
      values: {
        sharedByTwoOrMore,
        sharedByThreeOrMore: share(from(3), n),
        applicationsMean,
        applicationsMost: n === 0 ? Number.NaN : counted.reduce((most, count) => Math.max(most, count), 0),
        applicationMeanHours,
        applicationMedianHours: gaps.median,
        gaps: gaps.count,
        sharedReadWrite: share(both, classed),
        sharedReadHeavy: share(readHeavy, classed),
        sharedWriteHeavy: share(writeHeavy, classed),
        filesOfSeveralUsers: users.total,
      },
      tables: users.total === 0 ? [] : [users.table],
      figures,
    };
  },
});

/** Mean gaps in hours, as the option wants them. */
function gapsOf({ options, scan }: Prepared): Float64Array {
  const { pairHours, hours, handoverHours = hours } = scan.sharing;
  return { pairs: pairHours, files: hours, different: handoverHours }[options.applicationGap].known();
}

const gapTimes = (hours: Float64Array) => ({
  count: hours.length,
  mean: mean(hours),
  median: quantileIn(hours, 0.5),
});

/** How many files of each class two or more applications share. */
function sharedByClass(applications: Column, classes: FileClasses): Map<number, number> {
  const shared = new Map<number, number>();
  eachPage([applications], ([counts], from) => {
    for (let i = 0; i < counts.length; i++) {
      const of = classes[from + i] as number;
      if ((counts[i] as number) >= 2) shared.set(of, (shared.get(of) ?? 0) + 1);
    }
  });
  return shared;
}

async function severalUsers({ db, scan }: Prepared) {
  const [files, users, accesses] = [
    scan.sharing.several.file.values(),
    scan.sharing.several.users.values(),
    scan.sharing.several.accesses.values(),
  ];
  // Files are numbered by their ids.
  const order = Uint32Array.from(files, (_, i) => i).sort(
    (a, b) => (users[b] as number) - (users[a] as number) || a - b,
  );
  const first = [...order.subarray(0, EXCEPTIONS_MAX)];
  const ids = await fileIds(
    db,
    first.map((i) => files[i] as number),
  );
  return {
    total: files.length,
    table: table(
      "files-of-several-users",
      "Files used by several users; the paper has none.",
      [
        ["file", "File", "text", "Record id."],
        ["mount", "Mount", "text", "Mount point."],
        ["users", "Users", "count", "Distinct users."],
        ["accesses", "Runs", "count", "Runs that touched the file."],
      ],
      first.map((i) => {
        const { id = "", mount = null } = ids.get(files[i] as number) ?? {};
        return [id, mount, users[i] as number, accesses[i] as number];
      }),
      files.length,
    ),
  };
}
