/** The study of a system again, by plain loops over rows: no SQL, and no code of the study. */
import type { Corpus, MinuteRow } from "./study-system-corpus.ts";
import {
  giniOf,
  hOf,
  kolmogorov,
  localOf,
  meanOf,
  medianOf,
  pearsonOf,
  spearmanOf,
  totalOf,
} from "./study-system-twin-math.ts";
import {
  type Answers,
  type Job,
  movedOf,
  OPS,
  part,
  readOf,
  type Run,
  type TwinOptions,
  wroteOf,
  inPeriod,
} from "./study-system-twin-rows.ts";
import { b12, b13, b17, bursts } from "./study-system-twin-minutes.ts";

export type { Answers, TwinOptions } from "./study-system-twin-rows.ts";

export function twin({ jobs: rows, minutes }: Corpus, options: TwinOptions = {}): Answers {
  const maxHours = options.maxHours ?? 24;
  const given = new Map(
    (options.nodeMemory ?? []).map((text) => [text.split("=")[0], Number(text.split("=")[1]) * 1e9]),
  );
  const all = rows.map((row): Job => {
    const bad =
      row.start_unix_ns === null ||
      row.end_unix_ns === null ||
      row.start_unix_ns <= 0n ||
      row.end_unix_ns < row.start_unix_ns;
    const seconds = bad
      ? Number.NaN
      : Number((row.end_unix_ns as bigint) - (row.start_unix_ns as bigint)) / 1e9;
    return {
      ...row,
      bad,
      seconds,
      start: bad ? Number.NaN : Number((row.start_unix_ns as bigint) / 1_000_000_000n),
      end: bad ? Number.NaN : Number((row.end_unix_ns as bigint) / 1_000_000_000n),
      long: seconds >= maxHours * 3600,
      mine:
        (options.cluster === undefined || row.cluster === options.cluster) &&
        (bad || inPeriod(Number((row.start_unix_ns as bigint) / 1_000_000_000n), options)),
      user: row.user_id !== null ? `#${row.user_id}` : row.user_name !== null ? row.user_name : undefined,
      counted: row.bytes_read !== null && row.bytes_written !== null,
      memory: row.node_memory_bytes ?? given.get(row.cluster ?? "") ?? Number.NaN,
    };
  });
  const studied = all.filter((job) => job.mine && !job.bad && !job.long);
  const counted = studied.filter((job) => job.counted);
  const runs = runsOf(all, minutes, options, maxHours);
  return {
    B01: {
      clusters: new Set(studied.map((job) => job.cluster ?? "")).size,
      largestJobNodes: Math.max(...studied.map((job) => job.nodes ?? 0)),
    },
    B02: {
      jobs: studied.length,
      users: new Set(studied.flatMap(({ user }) => (user === undefined ? [] : [user]))).size,
      jobsWithoutUser: studied.filter(({ user }) => user === undefined).length,
      jobsWithCounters: counted.length,
      counterCoverage: part(counted.length, studied.length),
      seriesJobs: runs.length,
      seriesJobsUnknown: runs.filter(({ job }) => job === undefined).length,
      minuteRows: minutes.length,
      bytesRead: counted.reduce((sum, job) => sum + BigInt(job.bytes_read as number), 0n),
      bytesWritten: counted.reduce((sum, job) => sum + BigInt(job.bytes_written as number), 0n),
    },
    B03: b03(all),
    B04: b04(studied),
    B05: b05(counted),
    B06: b06(counted, options),
    B07: b07(counted),
    B08: b08(minutes.filter((row) => inPeriod(60 * row.minute_unix, options))),
    ...calendar(counted, options),
    B12: b12(counted, runs),
    B13: b13(runs),
    ...bursts(runs, options),
    B17: b17(counted, runs, options),
  };
}

function runsOf(all: Job[], minutes: MinuteRow[], options: TwinOptions, maxHours: number): Run[] {
  const late = options.lateMinutes ?? 1;
  const keys = [...new Set(minutes.filter(({ job_id }) => job_id !== "").map(({ job_key }) => job_key))].sort(
    (a, b) => (a < b ? -1 : 1),
  );
  const runs: Run[] = [];
  for (const key of keys) {
    const own = minutes.filter(({ job_key }) => job_key === key);
    const known = all.filter(({ job_key }) => job_key === key);
    const put = (job: Job | undefined, first: number, last: number, rows: MinuteRow[]) => {
      const inside = rows.filter(({ minute_unix }) => minute_unix <= last + late);
      if (inside.length === 0) return;
      const read = new Array<number>(last - first + 1).fill(0);
      const written = read.slice();
      for (const row of inside) {
        const bin = Math.min(row.minute_unix, last) - first;
        read[bin]! += row.bytes_read ?? 0;
        written[bin]! += row.bytes_written ?? 0;
      }
      runs.push({ job, read, written, order: runs.length });
    };
    if (known.length === 0) {
      const [first, last] = [
        Math.min(...own.map((row) => row.minute_unix)),
        Math.max(...own.map((row) => row.minute_unix)),
      ];
      if (options.cluster === undefined && inPeriod(60 * first, options) && (last - first) / 60 < maxHours)
        put(undefined, first, last, own);
      continue;
    }
    const clocked = known.filter(({ bad }) => !bad).sort((a, b) => a.start - b.start || a.end - b.end);
    for (const [i, job] of clocked.entries()) {
      if (!job.mine || job.long) continue;
      const [first, last] = [Math.floor(job.start / 60), Math.floor(job.end / 60)];
      const next = i + 1 < clocked.length ? Math.floor((clocked[i + 1] as Job).start / 60) : Infinity;
      put(
        job,
        first,
        last,
        own.filter(({ minute_unix }) => minute_unix >= first && minute_unix < next),
      );
    }
  }
  return runs;
}

function b03(all: Job[]) {
  const some = all.filter((job) => job.mine && !job.bad);
  const time = (list: Job[]) =>
    totalOf(list.filter(({ nodes }) => nodes !== null).map((job) => (job.nodes as number) * job.seconds));
  const long = some.filter((job) => job.long);
  return {
    longJobs: long.length,
    longShareOfNodeHours: part(time(long), time(some)),
    nodeHours: time(some) / 3600,
  };
}

function b04(studied: Job[]) {
  const hours = studied.map((job) => job.seconds / 3600);
  const nodes = studied.flatMap((job) => (job.nodes === null ? [] : [job.nodes]));
  return {
    durationMinHours: Math.min(...hours),
    durationMaxHours: Math.max(...hours),
    durationMeanHours: meanOf(hours),
    durationMedianHours: medianOf(hours),
    below2Hours: part(hours.filter((one) => one < 2).length, hours.length),
    nodesMin: Math.min(...nodes),
    nodesMax: Math.max(...nodes),
    nodesMean: meanOf(nodes),
    nodesMedian: medianOf(nodes),
    below100Nodes: part(nodes.filter((one) => one < 100).length, nodes.length),
  };
}

function byUser(counted: Job[]): Map<string, Job[]> {
  const users = new Map<string, Job[]>();
  for (const job of counted)
    if (job.user !== undefined) users.set(job.user, [...(users.get(job.user) ?? []), job]);
  return users;
}

function b05(counted: Job[]) {
  const sumOf = (of: (job: Job) => number) =>
    counted.reduce((sum, job) => (job.user === undefined ? sum : sum + BigInt(of(job))), 0n);
  const shares = [...byUser(counted).values()]
    .map((jobs) => [totalOf(jobs.map(readOf)), totalOf(jobs.map(movedOf))] as const)
    .filter(([, moved]) => moved > 0)
    .map(([read, moved]) => read / moved);
  return {
    users: shares.length,
    mostlyRead: part(shares.filter((one) => one > 0.8).length, shares.length),
    mostlyWritten: part(shares.filter((one) => one < 0.2).length, shares.length),
    distanceToUniform: kolmogorov(shares),
    bytesRead: sumOf(readOf),
    bytesWritten: sumOf(wroteOf),
  };
}

function classesOf(pairs: readonly (readonly [number, number])[], bytes: number, perCall: number) {
  const heavy = pairs.filter(([b]) => b > bytes);
  return {
    heavy: heavy.length,
    inefficient: heavy.filter(([, r]) => r < perCall).length,
    efficient: heavy.filter(([, r]) => r > perCall).length,
    tie: heavy.filter(([, r]) => r === perCall).length,
  };
}

function b06(counted: Job[], options: TwinOptions) {
  const {
    population = "all",
    perCall = "meanOfRatios",
    userPerCall = "ratioOfSums",
    threshold = "mean",
  } = options;
  const writers = counted.filter((job) => (job.writes ?? 0) > 0);
  const pairs = writers.map((job) => [wroteOf(job), wroteOf(job) / (job.writes as number)] as const);
  const members = { all: counted, withIO: counted.filter((job) => movedOf(job) > 0), withWrites: writers };
  const total = totalOf(writers.map(wroteOf));
  const limits = (of: keyof typeof members, way: string, limit: string): [number, number] => {
    const size = members[of].length;
    if (limit === "median")
      return [
        medianOf([...writers.map(wroteOf), ...new Array<number>(Math.max(0, size - writers.length)).fill(0)]),
        medianOf(pairs.map(([, r]) => r)),
      ];
    return [
      limit === "mean" ? total / size : Number(limit),
      way === "meanOfRatios"
        ? meanOf(pairs.map(([, r]) => r))
        : total / totalOf(writers.map((job) => job.writes as number)),
    ];
  };
  const answers: Record<string, number> = {};
  const put = (name: string, found: Record<string, number>) => {
    for (const [key, value] of Object.entries(found)) answers[`${name}${key}`] = value;
  };
  for (const of of ["all", "withIO", "withWrites"] as const) {
    const name = of === "withIO" ? "withIo" : of;
    for (const way of ["meanOfRatios", "ratioOfSums"])
      put(`${name}.${way}.`, classesOf(pairs, ...limits(of, way, "mean")));
    put(`${name}.median.`, classesOf(pairs, ...limits(of, "", "median")));
  }
  const chosen = limits(population, perCall, threshold);
  const found = classesOf(pairs, ...chosen);
  put("", found);
  const users = (of: string, way: string) =>
    [...byUser(counted).values()]
      .filter(
        (jobs) =>
          of === "all" || jobs.some((job) => (of === "withIO" ? movedOf(job) > 0 : (job.writes ?? 0) > 0)),
      )
      .map((jobs) => {
        const own = jobs.filter((job) => (job.writes ?? 0) > 0);
        const calls = totalOf(own.map((job) => job.writes as number));
        const bytes = totalOf(jobs.map(wroteOf));
        const ratio =
          way === "sumOfRatios"
            ? totalOf(own.map((job) => wroteOf(job) / (job.writes as number)))
            : calls === 0
              ? 0
              : bytes / calls;
        return [bytes, ratio] as const;
      });
  for (const way of ["sumOfRatios", "ratioOfSums"]) {
    const list = users("all", way);
    put(`users.${way}.`, classesOf(list, meanOf(list.map(([b]) => b)), meanOf(list.map(([, r]) => r))));
  }
  const list = users(population, userPerCall);
  const middle = threshold === "median" ? medianOf : meanOf;
  const bytesLimit =
    threshold === "mean" || threshold === "median" ? middle(list.map(([b]) => b)) : Number(threshold);
  const userClasses = classesOf(list, bytesLimit, middle(list.map(([, r]) => r)));
  return {
    ...answers,
    writtenMin: Math.min(...pairs.map(([b]) => b)),
    writtenMax: Math.max(...pairs.map(([b]) => b)),
    writtenMean: total / members[population].length,
    writtenMedian: limits(population, "", "median")[0],
    writtenMedianOfHeavy: medianOf(pairs.map(([b]) => b).filter((b) => b > chosen[0])),
    perCallMin: Math.min(...pairs.map(([, r]) => r)),
    perCallMax: Math.max(...pairs.map(([, r]) => r)),
    perCallMean: meanOf(pairs.map(([, r]) => r)),
    perCallMedian: medianOf(pairs.map(([, r]) => r)),
    limitBytes: chosen[0],
    limitPerCallBytes: chosen[1],
    light: members[population].length - found.heavy,
    inefficientShare: part(found.inefficient, found.heavy),
    usersHeavy: userClasses.heavy,
    usersInefficient: userClasses.inefficient,
    usersEfficient: userClasses.efficient,
    usersTie: userClasses.tie,
    usersLight: list.length - userClasses.heavy,
  };
}

function b07(counted: Job[]) {
  const writers = counted.filter((job) => wroteOf(job) > 0);
  const log = (value: number) => Math.log10(1 + value);
  const values: Record<string, number> = {};
  const present = OPS.filter((name) => counted.some((job) => job[name] !== null));
  for (const name of [...OPS, "sum"] as const) {
    const of = (job: Job) =>
      name === "sum" ? totalOf(present.map((one) => job[one] ?? 0)) : (job[name] ?? 0);
    if (name !== "sum" && !present.includes(name)) {
      values[`${name}R`] = Number.NaN;
      continue;
    }
    values[`${name}R`] = pearsonOf(
      writers.map((job) => log(of(job))),
      writers.map((job) => log(wroteOf(job))),
    );
    values[`${name}RAllJobs`] = pearsonOf(
      counted.map((job) => log(of(job))),
      counted.map((job) => log(wroteOf(job))),
    );
    values[`${name}RawR`] = pearsonOf(writers.map(of), writers.map(wroteOf));
    values[`${name}Spearman`] = spearmanOf(writers.map(of), writers.map(wroteOf));
    values[`${name}CallsR`] = pearsonOf(
      writers.map((job) => log(of(job))),
      writers.map((job) => log(job.writes ?? 0)),
    );
  }
  return values;
}

function b08(minutes: MinuteRow[]) {
  const mdts = [
    ...new Set(minutes.filter(({ target }) => target.startsWith("MDT")).map(({ target }) => target)),
  ];
  const sums = mdts.map((name) => {
    const own = minutes.filter(({ target }) => target === name);
    return [totalOf(own.map((row) => row.opens ?? 0)), totalOf(own.map((row) => row.closes ?? 0))] as const;
  });
  const opens = sums.map(([o]) => o);
  return {
    mdts: mdts.length,
    opens: totalOf(opens),
    closes: totalOf(sums.map(([, c]) => c)),
    closesOverOpens: part(totalOf(sums.map(([, c]) => c)), totalOf(opens)),
    mostOverMean: Math.max(...opens) / meanOf(opens),
    leastOverMost: Math.min(...opens) / Math.max(...opens),
    gini: giniOf(opens),
    ...Object.fromEntries(mdts.map((name, i) => [`fs-${name}.opens`, opens[i] as number])),
  };
}

function calendar(counted: Job[], options: TwinOptions): Answers {
  const zone = options.zone ?? "UTC";
  const days = new Map<number, Job[]>();
  for (const job of counted) {
    const day = Math.floor(localOf(zone, job.start) / 86_400);
    days.set(day, [...(days.get(day) ?? []), job]);
  }
  let booked = new Map([...days].map(([day, jobs]) => [day, totalOf(jobs.map(movedOf))]));
  const used = [...days].filter(([day]) => (booked.get(day) as number) > 0);
  if (options.booking === "proportional") {
    booked = new Map();
    for (const job of counted) {
      const start = localOf(zone, job.start);
      // Each second of it moves the same; counted from midnight, which keeps the digits of fractions.
      const day = Math.floor(start / 86_400);
      let [at, left] = [start - 86_400 * day, job.seconds];
      for (let next = day; left > 0 || next === day; next++) {
        const inside = Math.min(left, 86_400 - at);
        booked.set(
          next,
          (booked.get(next) ?? 0) + movedOf(job) * (job.seconds === 0 ? 1 : inside / job.seconds),
        );
        left -= inside;
        at = 0;
      }
    }
  }
  const sums = [...booked].filter(([, bytes]) => bytes > 0);
  const week = [0, 1, 2, 3, 4, 5, 6].map((weekday) =>
    sums.filter(([day]) => new Date(day * 86_400_000).getUTCDay() === weekday).map(([, bytes]) => bytes),
  );
  const shares = (of: (jobs: Job[]) => number, days = used) =>
    days.map(([, jobs]) => of(jobs) / totalOf(jobs.map(movedOf)));
  // Who is the top user is asked of jobs with a user alone.
  const owned = used
    .map(([day, jobs]) => [day, jobs.filter(({ user }) => user !== undefined)] as [number, Job[]])
    .filter(([, jobs]) => totalOf(jobs.map(movedOf)) > 0);
  const longestOf = (jobs: Job[]) => {
    const most = Math.max(...jobs.map((job) => job.seconds));
    const ties = jobs
      .filter((job) => job.seconds === most)
      .sort((a, b) => Number(a.job_id) - Number(b.job_id));
    return movedOf(ties[0] as Job);
  };
  const longest = shares(longestOf);
  const top = shares(
    (jobs) => Math.max(...[...byUser(jobs).values()].map((own) => totalOf(own.map(movedOf)))),
    owned,
  );
  const moved = counted
    .filter(({ user }) => user !== undefined)
    .map(movedOf)
    .sort((a, b) => b - a);
  return {
    B09: {
      days: sums.length,
      kruskalWallisH: hOf(week),
      weekendOverWorkingDay:
        meanOf([0, 6].flatMap((d) => week[d] as number[])) /
        meanOf([1, 2, 3, 4, 5].flatMap((d) => week[d] as number[])),
    },
    B10: {
      days: used.length,
      meanShare: meanOf(longest),
      medianShare: medianOf(longest),
      durationBytesSpearman: spearmanOf(
        counted.map((job) => job.seconds),
        counted.map(movedOf),
      ),
    },
    B11: {
      days: top.length,
      meanShare: meanOf(top),
      longestJobMeanShare: meanOf(shares(longestOf, owned)),
      medianShare: medianOf(top),
      daysAbove50Percent: part(top.filter((one) => one > 0.5).length, top.length),
      top1PercentJobsShare: totalOf(moved.slice(0, Math.ceil(moved.length / 100))) / totalOf(moved),
    },
  };
}
