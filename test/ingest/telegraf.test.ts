/** Telegraf's lustre2 plugin on Lustre 2.14 and later, by the real command: its times are told and never stored as bytes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, plimsoll, prepare, write } from "../collect/kit.ts";
import { describeWithPublicData, lustreData } from "../reference-data.ts";

let folder: string;
beforeAll(() => {
  prepare();
  folder = mkdtempSync(join(tmpdir(), "plimsoll-telegraf-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Mean and longest time of a request as a site posted them for its 2.14 servers, in microseconds. */
const MEAN = 415;
const LONGEST = 57_940;

/**
 * What the plugin makes of a file: of each line its numbers under the line's name, where `write_bytes` and `write` are
 * one name and the later line wins. The series has no times, so lines of time get some here, as many as there were calls.
 */
function telegrafLines(text: string, atSeconds: string): string {
  const points = text.split("- job_id:").slice(1);
  return points
    .map((section) => {
      const fields = new Map<string, string>();
      let calls = 0;
      for (const [, name = "", samples = "", unit, max = "", sum = ""] of section.matchAll(
        /^ +(\w+): +\{ samples: +(\d+), unit: +(\w+), min: +\d+, max: +(\d+), sum: +(\d+)/gm,
      )) {
        const way = /^(read|write)(_bytes)?$/.exec(name)?.[1];
        if (way === undefined) continue;
        const isTime = unit === "usecs";
        if (!isTime && way === "write") calls = Number(samples);
        const count = isTime && way === "write" ? calls : Number(samples);
        fields.set(`${way}_calls`, String(count));
        fields.set(`${way}_bytes`, isTime ? String(count * MEAN) : sum);
        fields.set(`${way}_max_size`, isTime ? String(count === 0 ? 0 : LONGEST + calls) : max);
      }
      const job = /\S+/.exec(section)?.[0];
      const cells = [...fields].map(([name, value]) => `jobstats_${name}=${value}i`);
      return `lustre2,host=oss1,jobid=${job},name=lustre1-OST0000 ${cells.join(",")} ${atSeconds}000000000\n`;
    })
    .join("");
}

function dump(series: string): string {
  const place = lustreData("derived/series", series);
  const files = readdirSync(place).filter((name) => name.endsWith(".job_stats"));
  const name = `${series}.lines`;
  write(
    join(folder, name),
    files
      .sort()
      .map((file) => telegrafLines(readFileSync(join(place, file), "utf8"), file.split(".")[0] as string))
      .join(""),
  );
  return name;
}

/** Bytes and calls of every job and minute. */
async function found(store: string): Promise<Map<string, { bytes: unknown; calls: unknown }>> {
  const [rows = []] = await ask(
    join(folder, store),
    "select job_id, minute_unix, bytes_written, writes from minutes where writes > 0",
  );
  return new Map(
    rows.map((row) => [`${row.job_id} ${row.minute_unix}`, { bytes: row.bytes_written, calls: row.writes }]),
  );
}

function truthOf(series: string): Map<string, { bytes: bigint; calls: bigint }> {
  const text = readFileSync(lustreData("derived/series", series, "truth.json"), "utf8");
  const { deltas } = JSON.parse(text) as { deltas: Record<string, Record<string, [number, number]>> };
  const entries = Object.entries(deltas).flatMap(([job, values]) =>
    Object.entries(values).map(
      ([at, [bytes, calls]]) =>
        [`${job} ${Math.floor(Number(at) / 60)}`, { bytes: BigInt(bytes), calls: BigInt(calls) }] as const,
    ),
  );
  // In the first minute jobs are seen for the first time: a text of Lustre says that there were none before, points do not.
  const first = ` ${Math.min(...entries.map(([key]) => Number(key.split(" ")[1])))}`;
  return new Map(entries.filter(([key, { calls }]) => calls > 0n && !key.endsWith(first)));
}

describe("points of Telegraf", () => {
  it("of servers before 2.14 have bytes, and nothing is said", async () => {
    const { code, err } = plimsoll(folder, "ingest", dump("ost0000_v2.12_expiry"), "--store", "old");
    expect([code, err.includes("latencies")], err).toEqual([0, false]);
    expect(await found("old")).toEqual(truthOf("ost0000_v2.12_expiry"));
  });

  it("of later servers are told to be times: calls are stored, bytes are not", async () => {
    const name = dump("ost0000_v2.17_expiry");
    const { code, out, err } = plimsoll(folder, "ingest", name, "--store", "new");
    expect(code, err).toBe(0);
    expect(out + err).toMatch(
      /v2\.17_expiry\.lines: the write bytes are latencies in microseconds: Telegraf's lustre2 plugin .* 2\.14 and later\. Calls are correct; bytes are dropped/,
    );
    const expected = [...truthOf("ost0000_v2.17_expiry")].map(
      ([key, { calls }]) => [key, { bytes: null, calls }] as const,
    );
    expect(await found("new")).toEqual(new Map(expected));

    const { warnings } = JSON.parse(plimsoll(folder, "ingest", name, "--store", "json", "--json").out);
    expect(warnings.filter((text: string) => text.includes("latencies in microseconds")).length).toBe(1);
  });
});

describeWithPublicData("points of Telegraf", () => {
  it("that a site posted are the plugin's mistake as it is made here", () => {
    const posted = readFileSync(lustreData("issues/telegraf_15185_ost_job_stats_2.14.txt"), "utf8");
    expect(posted).toContain(`max:    ${LONGEST}`);
    const [line = ""] = telegrafLines(posted, "1713431141").split("\n");
    expect(line).toContain("jobid=815871");
    // Of 3,152,019,456 bytes in 189 calls it leaves microseconds.
    expect(line).toContain(`jobstats_write_calls=189i,jobstats_write_bytes=${189 * MEAN}i`);
  });
});
