/** Text of job_stats as two releases print it, from a fixed seed. */

export type Layout = "2.12" | "2.15";

const OPERATIONS =
  "read_bytes write_bytes read write getattr setattr punch sync destroy create statfs get_info set_info quotactl".split(
    " ",
  );

/** One reading of one OST; counters grow with `step`, and the jobs stay the same. */
export function jobStatsText(layout: Layout, jobs: number, step: number): string {
  let seed = 12345;
  const below = (limit: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return seed % limit;
  };
  const lines = ["job_stats:"];
  const time = 1_687_275_235 + 60 * step;
  for (let job = 0; job < jobs; job++) {
    lines.push(`- job_id:          ${1_000_000 + job}`);
    if (layout === "2.12") lines.push(`  snapshot_time:   ${time}`);
    else
      lines.push(
        `  snapshot_time:   ${time}.123456789 secs.nsecs`,
        "  start_time:      1687270000.000000001 secs.nsecs",
        `  elapsed_time:    ${time - 1_687_270_000}.123456788 secs.nsecs`,
      );
    for (const name of OPERATIONS) {
      const isBytes = name.endsWith("_bytes");
      const start = isBytes ? below(1_000_000) : below(3) === 0 ? below(100_000) : 0;
      const line = layout === "2.12" ? oldLine : newLine;
      if (layout === "2.15" || (name !== "read" && name !== "write"))
        lines.push(line(name, isBytes, start === 0 ? 0 : start + step * (isBytes ? 1000 : 10)));
    }
  }
  lines.push("");
  return lines.join("\n");
}

function oldLine(name: string, isBytes: boolean, samples: number): string {
  const more = isBytes
    ? `, min: ${"4096".padStart(7)}, max: 1048576, sum: ${String(samples * 524288).padStart(15)}`
    : "";
  const head = `  ${`${name}:`.padEnd(16)} { samples: ${String(samples).padStart(11)}`;
  return `${head}, unit: ${isBytes ? "bytes" : " reqs"}${more} }`;
}

function newLine(name: string, isBytes: boolean, samples: number): string {
  const [min, max, mean] = samples === 0 ? [0, 0, 0] : isBytes ? [4096, 1048576, 524288] : [12, 5000, 77];
  const head = `  ${`${name}:`.padEnd(16)} { samples: ${String(samples).padStart(11)}, unit: ${isBytes ? "bytes" : "usecs"}`;
  const sizes = `min: ${String(min).padStart(8)}, max: ${String(max).padStart(8)}, sum: ${String(samples * mean).padStart(16)}`;
  const squares = (BigInt(samples) * BigInt(mean) * BigInt(mean)).toString().padStart(18);
  return `${head}, ${sizes}, sumsq: ${squares} }`;
}

/** A target of which every job has one counter that grows: as many rows of a store as counter lines. */
export function sparseText(jobs: number, step: number): string {
  const lines = ["job_stats:"];
  for (let job = 0; job < jobs; job++) {
    lines.push(`- job_id:          ${1_000_000 + job}`, `  snapshot_time:   ${1_687_275_235 + 60 * step}`);
    lines.push(oldLine("write_bytes", true, 1000 + job + 3 * step));
  }
  lines.push("");
  return lines.join("\n");
}
