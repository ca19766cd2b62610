/**
 * The reuse study by plain loops over rows: an independent answer to compare with. It follows docs/study-reuse.md item by item, uses
 * no SQL, and shares no code with src/analyze/study/reuse.
 */

export interface RunRow {
  readonly run_id: bigint;
  readonly user_id: number;
  readonly application_id: bigint;
  readonly start_unix_ns: bigint | null;
  readonly end_unix_ns: bigint | null;
  readonly clock: string;
  readonly modules: string;
}

export interface AccessRow {
  readonly run_id: bigint;
  readonly file_id: bigint;
  readonly application_id: bigint;
  readonly user_id: number;
  readonly start_unix_ns: bigint | null;
  readonly end_unix_ns: bigint | null;
  readonly mount: string;
  readonly layer: string;
  readonly ranks: number;
  readonly partial: number;
  readonly bytes_read: bigint | null;
  readonly bytes_written: bigint | null;
  readonly slowest_seconds: number | null;
  readonly read_seconds: number | null;
  readonly write_seconds: number | null;
  readonly meta_seconds: number | null;
  readonly variance_seconds: number | null;
  readonly variance_bytes: number | null;
  readonly osts: string | null;
}

export interface ReferenceOptions {
  readonly minBytes: number;
  readonly minRuns: number;
  readonly classThreshold: number;
  readonly gap: "start-start" | "end-start";
  readonly absentType: "zero" | "exclude";
  readonly ioTime: "slowest" | "sum";
  readonly ddof: number;
  readonly zone: string;
  readonly minRunsPerCell: number;
  readonly hourStatistic: "mean" | "median";
  readonly covRuns: "all" | "per-type";
  readonly excludeMounts: readonly string[];
  readonly application: "exe" | "exe-uid";
  readonly runBytes: "selected" | "all";
  readonly applicationGap: "pairs" | "files" | "different";
}

export const REFERENCE_DEFAULTS: ReferenceOptions = {
  minBytes: 100e9,
  minRuns: 2,
  classThreshold: 0.9,
  gap: "start-start",
  absentType: "zero",
  ioTime: "slowest",
  ddof: 0,
  zone: "UTC",
  minRunsPerCell: 2,
  hourStatistic: "mean",
  covRuns: "all",
  excludeMounts: ["/var/opt/cray/dws"],
  application: "exe",
  runBytes: "selected",
  applicationGap: "pairs",
};

export type Answers = Record<string, Record<string, number | bigint>>;

const average = (list: readonly number[]): number => {
  let total = 0;
  for (const one of list) total += one;
  return list.length === 0 ? NaN : total / list.length;
};

const variation = (list: readonly number[], ddof: number): number | undefined => {
  const middle = average(list);
  if (list.length < 2 || !(middle > 0)) return undefined;
  let squares = 0;
  for (const one of list) squares += (one - middle) * (one - middle);
  return Math.sqrt(squares / (list.length - ddof)) / middle;
};

const percentile = (list: readonly number[], p: number): number => {
  if (list.length === 0) return NaN;
  const order = [...list].sort((a, b) => a - b);
  const at = p * (order.length - 1);
  const low = Math.floor(at);
  return order[low]! + (at - low) * ((order[low + 1] ?? order[low]!) - order[low]!);
};

const portion = (list: readonly number[], test: (value: number) => boolean): number =>
  list.length === 0 ? NaN : list.filter(test).length / list.length;

/** Local hour by formatting the moment itself; slow, and sure about daylight saving. */
function hourOf(zone: string, ns: bigint): number {
  const text = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", hourCycle: "h23" }).format(
    new Date(Number(ns / 1_000_000n)),
  );
  return Number(text);
}

function rankCorrelation(x: readonly number[], y: readonly number[]): number {
  const rank = (list: readonly number[]) =>
    list.map((value) => {
      const below = list.filter((other) => other < value).length;
      const same = list.filter((other) => other === value).length;
      return below + (same + 1) / 2;
    });
  const [a, b] = [rank(x), rank(y)];
  const [ma, mb] = [average(a), average(b)];
  let [ab, aa, bb] = [0, 0, 0];
  a.forEach((value, i) => {
    ab += (value - ma) * (b[i]! - mb);
    aa += (value - ma) ** 2;
    bb += (b[i]! - mb) ** 2;
  });
  return ab / Math.sqrt(aa * bb);
}

type Sequenced = AccessRow & { readonly kind: "read" | "write" | "balanced" };

export function referenceStudy(
  runs: readonly RunRow[],
  allAccesses: readonly AccessRow[],
  given: Partial<ReferenceOptions> = {},
): Answers {
  const options = { ...REFERENCE_DEFAULTS, ...given };
  const clockOk = new Map(runs.map((run) => [run.run_id, run.clock === "ok" && run.start_unix_ns !== null]));
  const accesses = allAccesses.filter(
    ({ mount }) => !options.excludeMounts.some((path) => mount === path || mount.startsWith(`${path}/`)),
  );
  const bytes = (value: bigint | null) => (value === null || value < 0n ? null : value);
  const read = (one: AccessRow) => bytes(one.bytes_read);
  const written = (one: AccessRow) => bytes(one.bytes_written);
  const known = (one: AccessRow) => read(one) !== null && written(one) !== null;
  const both = (one: AccessRow) => (read(one) ?? 0n) + (written(one) ?? 0n);
  const app = (one: { application_id: bigint; user_id: number }) =>
    options.application === "exe" ? `${one.application_id}` : `${one.application_id} ${one.user_id}`;
  const ioOf = (one: AccessRow): number | null => {
    if (options.ioTime === "slowest") return one.slowest_seconds;
    if (one.read_seconds === null && one.write_seconds === null && one.meta_seconds === null) return null;
    return (one.read_seconds ?? 0) + (one.write_seconds ?? 0) + (one.meta_seconds ?? 0);
  };

  const files = new Map<string, AccessRow[]>();
  for (const one of accesses) {
    const key = `${one.file_id} ${one.mount}`;
    if (!files.has(key)) files.set(key, []);
    files.get(key)!.push(one);
  }
  const total = (list: readonly AccessRow[], of: (one: AccessRow) => bigint | null) => {
    let sum = 0n;
    for (const one of list) sum += of(one) ?? 0n;
    return sum;
  };
  const answers: Answers = {};
  answers.A01 = {
    logs: runs.length,
    files: files.size,
    applications: new Set(runs.map(app)).size,
    users: new Set(runs.map((run) => run.user_id)).size,
    bytesRead: total(accesses, read),
    bytesWritten: total(accesses, written),
  };
  const totals = [...files.values()].map((list) => ({ moved: total(list, both), runs: list.length }));
  const ofFiles = (test: (one: { moved: bigint; runs: number }) => boolean) =>
    totals.filter(test).length / totals.length;
  answers.A02 = {
    below1GB: ofFiles(({ moved }) => moved < 1_000_000_000n),
    oneRun: ofFiles((one) => one.runs === 1),
    below1GBAndOneRun: ofFiles((one) => one.moved < 1_000_000_000n && one.runs === 1),
    below100GBAndOneRun: ofFiles((one) => one.moved < 100_000_000_000n && one.runs === 1),
  };

  const selected = [...files.values()].filter(
    (list) => total(list, both) >= BigInt(options.minBytes) && list.length >= options.minRuns,
  );
  const rows = selected.flat();
  const runIds = new Set(rows.map((one) => one.run_id));
  answers.A04 = {
    files: selected.length,
    runs: runIds.size,
    applications: new Set(rows.map(app)).size,
    users: new Set(rows.map((one) => one.user_id)).size,
    bytesRead: total(rows, read),
    bytesWritten: total(rows, written),
    filesPerUser: average(
      [...new Set(rows.map((one) => one.user_id))].map(
        (user) => selected.filter((list) => list.some((one) => one.user_id === user)).length,
      ),
    ),
  };

  const classes = selected.map((list) => {
    const complete = list.filter((one) => one.partial !== 1);
    const [r, w] = [Number(total(complete, read)), Number(total(complete, written))];
    if (r + w === 0) return "none";
    const d = (r - w) / (r + w);
    return d >= options.classThreshold ? "RH" : d <= -options.classThreshold ? "WH" : "RW";
  });
  answers.A05 = {
    readHeavy: classes.filter((one) => one === "RH").length,
    writeHeavy: classes.filter((one) => one === "WH").length,
    readWrite: classes.filter((one) => one === "RW").length,
  };

  const perRun = new Map<bigint, { r: bigint; w: bigint; whole: boolean }>();
  for (const one of options.runBytes === "all" ? accesses : rows) {
    if (!runIds.has(one.run_id)) continue;
    const sum = perRun.get(one.run_id) ?? { r: 0n, w: 0n, whole: true };
    sum.r += read(one) ?? 0n;
    sum.w += written(one) ?? 0n;
    sum.whole &&= one.partial !== 1 && known(one);
    perRun.set(one.run_id, sum);
  }
  const moving = [...perRun.values()].filter(({ r, w, whole }) => whole && r + w > 0n);
  const x = moving.map(({ r, w }) => Math.abs(Number(r - w)) / Number(r + w));
  const readRuns = moving.filter(({ r, w }) => r > w);
  const writeRuns = moving.filter(({ r, w }) => r < w);
  answers.A06 = {
    runs: runIds.size,
    readRuns: readRuns.length,
    writeRuns: writeRuns.length,
    balanced: moving.filter(({ r, w }) => r === w).length,
    oneSided90: portion(x, (one) => one >= 0.9),
    oneSided95: portion(x, (one) => one >= 0.95),
    oneSided99: portion(x, (one) => one >= 0.99),
  };
  answers.A11 = {
    readMeanBytes: average(readRuns.map(({ r, w }) => Number(r + w))),
    writeMeanBytes: average(writeRuns.map(({ r, w }) => Number(r + w))),
  };

  // A07: the sequence of a file.
  const sequences = selected.map((list) =>
    list
      .filter((one) => clockOk.get(one.run_id) && one.partial !== 1 && known(one) && both(one) > 0n)
      .map((one): Sequenced => {
        const [r, w] = [read(one)!, written(one)!];
        return { ...one, kind: r > w ? "read" : r < w ? "write" : "balanced" };
      })
      .sort(
        (a, b) =>
          Number(a.start_unix_ns! - b.start_unix_ns!) ||
          (a.run_id < b.run_id ? -1 : a.run_id > b.run_id ? 1 : 0),
      ),
  );
  const gapsOf = (list: readonly AccessRow[], kind: "start-start" | "end-start") => {
    const gaps: number[] = [];
    for (let i = 1; i < list.length; i++) {
      const before = kind === "start-start" ? list[i - 1]!.start_unix_ns! : list[i - 1]!.end_unix_ns!;
      gaps.push(Number(list[i]!.start_unix_ns! - before) / 3.6e12);
    }
    return gaps;
  };
  const streaksOf = (list: readonly Sequenced[], kind: string) => {
    const lengths: number[] = [];
    let length = 0;
    for (const one of list) {
      if (one.kind === kind) length++;
      else {
        if (length > 0) lengths.push(length);
        length = 0;
      }
    }
    if (length > 0) lengths.push(length);
    return lengths;
  };
  answers.A07 = { readGaps: 0, writeGaps: 0, readStreaks: 0, writeStreaks: 0 };
  answers.A08 = {};
  answers.A09 = {};
  for (const kind of ["read", "write"] as const) {
    const gaps = sequences.map((list) =>
      gapsOf(
        list.filter((one) => one.kind === kind),
        options.gap,
      ),
    );
    const means = gaps.filter((list) => list.length > 0).map(average);
    answers.A07[`${kind}Gaps`] = gaps.flat().length;
    answers.A08[`${kind}MeanHours`] = average(means);
    answers.A08[`${kind}P80Hours`] = percentile(means, 0.8);
    answers.A08[`${kind}LongShare`] = portion(means, (one) => one >= 50);
    const streaks = sequences.filter((list) => list.length > 0).map((list) => streaksOf(list, kind));
    answers.A07[`${kind}Streaks`] = streaks.flat().length;
    const lengths = streaks
      .filter((list) => list.length > 0 || options.absentType === "zero")
      .map((list) => (list.length === 0 ? 0 : average(list)));
    answers.A09[`${kind}Mean`] = average(lengths);
    answers.A09[`${kind}AtLeast2`] = portion(lengths, (one) => one >= 2);
    answers.A09[`${kind}Exactly2`] = portion(lengths, (one) => Math.round(one) === 2);
  }

  // A10: metadata-only and incomplete accesses are accesses all the same.
  const byStart = (list: readonly AccessRow[]) =>
    list
      .filter((one) => clockOk.get(one.run_id))
      .sort(
        (a, b) =>
          Number(a.start_unix_ns! - b.start_unix_ns!) ||
          (a.run_id < b.run_id ? -1 : a.run_id > b.run_id ? 1 : 0),
      );
  const perFile = selected.map((list) => {
    const groups = new Map<string, AccessRow[]>();
    for (const one of list) groups.set(app(one), [...(groups.get(app(one)) ?? []), one]);
    return groups;
  });
  const pairMeans = perFile.map((groups) =>
    [...groups.values()]
      .map((group) => gapsOf(byStart(group), "start-start"))
      .filter((gaps) => gaps.length > 0)
      .map(average),
  );
  const handovers = selected.map((list) => {
    const order = byStart(list);
    const gaps: number[] = [];
    for (let i = 1; i < order.length; i++)
      if (app(order[i]!) !== app(order[i - 1]!))
        gaps.push(Number(order[i]!.start_unix_ns! - order[i - 1]!.start_unix_ns!) / 3.6e12);
    return gaps;
  });
  const shared = perFile.map((groups) => groups.size >= 2);
  const applicationGaps = {
    pairs: pairMeans.flat(),
    files: pairMeans.filter((list) => list.length > 0).map(average),
    different: handovers.filter((list) => list.length > 0).map(average),
  }[options.applicationGap];
  const sharedClasses = classes.filter((one, i) => shared[i] && one !== "none");
  answers.A10 = {
    sharedByTwoOrMore: shared.filter(Boolean).length / selected.length,
    applicationMeanHours: average(applicationGaps),
    sharedReadWrite: sharedClasses.filter((one) => one === "RW").length / sharedClasses.length,
    filesOfSeveralUsers: selected.filter((list) => new Set(list.map((one) => one.user_id)).size > 1).length,
  };

  // A12.
  const load = new Map<number, number>();
  const filesOn = new Map<number, Set<string>>();
  let laidOut = 0n;
  const listed = ({ osts }: { readonly osts: string | null }) =>
    (osts ?? "")
      .split(" ")
      .filter((part) => part !== "")
      .map(Number)
      .filter((ost) => ost >= 0);
  // Also those that hold no selected file.
  for (const ost of accesses.flatMap(listed)) {
    load.set(ost, 0);
    filesOn.set(ost, new Set());
  }
  for (const one of rows) {
    const osts = listed(one);
    if (osts.length === 0) continue;
    laidOut += both(one);
    for (const ost of osts) {
      load.set(ost, (load.get(ost) ?? 0) + Number(both(one)) / osts.length);
      filesOn.get(ost)!.add(`${one.file_id} ${one.mount}`);
    }
  }
  const loads = [...load.values()];
  const counts = [...filesOn.values()].map((set) => set.size);
  answers.A12 = {
    osts: loads.length,
    leastOverMost: Math.min(...loads) / Math.max(...loads),
    filesLeastOverMost: Math.min(...counts) / Math.max(...counts),
    bytesKnownLayout: laidOut,
  };

  // A13.
  answers.A13 = {};
  for (const [name, key] of [
    ["POSIX", "posix"],
    ["MPI-IO", "mpiio"],
    ["STDIO", "stdio"],
  ] as const) {
    const mean = (of: (one: AccessRow) => number | null) =>
      average(
        selected
          .map((list) =>
            list
              .filter((one) => one.layer === name && one.partial !== 1)
              .map(of)
              .filter((value) => value !== null),
          )
          .filter((list) => list.length > 0)
          .map(average),
      );
    answers.A13[`${key}BytesPerRun`] = mean((one) => (known(one) ? Number(both(one)) : null));
    answers.A13[`${key}SdBytes`] = mean((one) =>
      one.variance_bytes === null ? null : Math.sqrt(one.variance_bytes),
    );
    answers.A13[`${key}SdSeconds`] = mean((one) =>
      one.variance_seconds === null ? null : Math.sqrt(one.variance_seconds),
    );
  }

  // A14.
  const hourBytes = Array.from({ length: 24 }, () => 0n);
  const hourTimes = Array.from({ length: 24 }, () => [] as number[]);
  const hourCovs = Array.from({ length: 24 }, () => [] as number[]);
  for (const list of selected) {
    const times = list.filter((one) => one.partial !== 1 && ioOf(one) !== null);
    const longest = Math.max(0, ...times.map((one) => ioOf(one)!));
    const cells = Array.from({ length: 24 }, () => [] as number[]);
    for (const one of list) {
      if (!clockOk.get(one.run_id)) continue;
      const hour = hourOf(options.zone, one.start_unix_ns!);
      hourBytes[hour]! += both(one);
      if (one.partial === 1 || ioOf(one) === null) continue;
      if (longest > 0) hourTimes[hour]!.push(ioOf(one)! / longest);
      cells[hour]!.push(ioOf(one)!);
    }
    cells.forEach((cell, hour) => {
      const cov = cell.length >= options.minRunsPerCell ? variation(cell, options.ddof) : undefined;
      if (cov !== undefined) hourCovs[hour]!.push(cov);
    });
  }
  const centre =
    options.hourStatistic === "mean" ? average : (list: readonly number[]) => percentile(list, 0.5);
  const hours = [...hourBytes.keys()].filter(
    (hour) => hourTimes[hour]!.length > 0 && hourCovs[hour]!.length > 0,
  );
  const most = hourBytes.reduce((a, b) => (b > a ? b : a), 0n);
  answers.A14 = {
    spearman: rankCorrelation(
      hours.map((hour) => centre(hourTimes[hour]!)),
      hours.map((hour) => centre(hourCovs[hour]!)),
    ),
    peakHour: hourBytes.indexOf(most),
    lowestHourCov: Math.min(...hours.map((hour) => centre(hourCovs[hour]!))),
    cells: hourCovs.flat().length,
  };

  // A15.
  const series: { class: string; bytes: number[]; times: number[] }[] = [];
  selected.forEach((list, i) => {
    const complete = list.filter((one) => one.partial !== 1);
    const parts =
      options.covRuns === "all"
        ? [complete]
        : [
            complete.filter((one) => known(one) && read(one)! > written(one)!),
            complete.filter((one) => known(one) && read(one)! < written(one)!),
          ];
    for (const part of parts)
      series.push({
        class: classes[i]!,
        bytes: part.filter(known).map((one) => Number(both(one))),
        times: part.map(ioOf).filter((value) => value !== null),
      });
  });
  const covs = (of: "bytes" | "times", only?: string) =>
    series
      .filter((one) => only === undefined || one.class === only)
      .map((one) => variation(one[of], options.ddof))
      .filter((value) => value !== undefined);
  answers.A15 = {
    meanCovBytes: average(covs("bytes")),
    meanCovTime: average(covs("times")),
    below5PercentBytes: portion(covs("bytes"), (one) => one < 0.05),
    writeHeavyMeanCovBytes: average(covs("bytes", "WH")),
    readHeavyMeanCovTime: average(covs("times", "RH")),
  };
  return answers;
}
