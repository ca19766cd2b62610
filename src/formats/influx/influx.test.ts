import { describe, expect, it } from "vitest";
import { bytesSource } from "../../base/source.ts";
import { DeltaTracker } from "../lustre/delta.ts";
import { InfluxPoints, readInflux, recognizeInflux } from "./index.ts";
import { parseLine } from "./line-protocol.ts";
import { fieldInteger, timeNs } from "./point.ts";

const read = (text: string) => readInflux(bytesSource(new TextEncoder().encode(text), "dump"));
const line = (job: string, fields: string, time: number, target = "fs-OST0000") =>
  `lustre2,host=h,jobid=${job},name=${target} ${fields} ${time}000000000\n`;

describe("line protocol", () => {
  it("takes escapes apart, and nothing else", () => {
    const point = parseLine(
      'lustre2,jobid=my\\ prog\\,1\\=2,name=fs-OST0000 a=5i,b=6u,c="x, y=z \\" w",d=1.5 17',
    );
    expect(point).toMatchObject({ measurement: "lustre2", timeNs: 17n });
    expect(point?.tags.get("jobid")).toBe("my prog,1=2");
    expect([...(point?.fields ?? [])]).toEqual([
      ["a", "5i"],
      ["b", "6u"],
      ["c", '"x, y=z \\" w"'],
      ["d", "1.5"],
    ]);
    expect(parseLine('lustre2,jobid="my\\x20prog" a=1i 5')?.tags.get("jobid")).toBe('"my\\x20prog"');
    for (const bad of [
      "lustre2,a=b",
      "lustre2 x 5",
      "lustre2 a=1i",
      "lustre2 a=1i soon",
      "lustre2,=b a=1i 5",
    ])
      expect(parseLine(bad), bad).toBeUndefined();
    expect(parseLine("# DDL")).toBeNull();
    expect([
      fieldInteger("18446744073709551615u"),
      fieldInteger("-3i"),
      fieldInteger("2.50"),
      fieldInteger("4e3"),
    ]).toEqual([...[2n ** 64n - 1n, -3n, undefined, 4000n]]);
    expect(timeNs("2018-06-07T00:01:00.000000007Z")).toBe(1528329660000000007n);
  });

  it("gives readings in the order of time, so that differences are those of the server", () => {
    const points = read(
      line("1", "jobstats_write_bytes=300i,jobstats_write_calls=3i", 120) +
        line("1", "jobstats_write_bytes=100i,jobstats_write_calls=1i", 60) +
        line("1", "jobstats_write_bytes=50i,jobstats_write_calls=1i", 180) +
        line("1", "jobstats_open=4i", 60, "fs-MDT0000"),
    );
    const tracker = new DeltaTracker(points.table);
    const found: string[] = [];
    points.eachReading((reading) => {
      const { changed, carriedIn } = tracker.feed(reading) as NonNullable<ReturnType<typeof tracker.feed>>;
      for (let i = 0; i < changed.count; i++)
        found.push(`${reading.target} ${changed.samples[i]}/${changed.sum[i]}`);
      for (let i = 0; i < carriedIn.count; i++) found.push(`in ${carriedIn.samples[i]}/${carriedIn.sum[i]}`);
    });
    expect(found).toEqual(["in 1/100", "fs-OST0000 2/200", "fs-OST0000 1/50", "in 4/0"]);
  });
});

describe("Telegraf on Lustre 2.14 and later", () => {
  const dump = (max: (i: number) => number, mean: number) =>
    Array.from({ length: 20 }, (_, i) =>
      line(
        "815871",
        `jobstats_read_bytes=${mean * (i + 1)}i,jobstats_read_calls=${i + 1}i,jobstats_read_max_size=${max(i)}i,jobstats_read_min_size=44i`,
        60 * (i + 1),
      ),
    ).join("");

  it("is found out: times become a counter of time, and no bytes are left", () => {
    const points = read(dump((i) => 57940 + i, 415));
    expect(points.latencyInPlaceOfBytes()).toEqual({ read: true, write: false });
    expect(points.warnings()[0]).toMatch(/read bytes are latencies in microseconds/);
    points.eachReading((reading) => {
      expect(reading.counters().map(({ name, unit }) => `${name} ${unit}`)).toEqual([
        "read usecs",
        "read_bytes calls",
      ]);
    });
  });

  it("is found out on slow servers too, where one of many jobs has a time that could be a size", () => {
    const jobs = Array.from({ length: 200 }, (_, i) => (i === 7 ? 40 * 4096 : 130_001 + 8 * i));
    const text = jobs.map((max, i) =>
      line(
        `${i}`,
        `jobstats_write_bytes=${max + 900}i,jobstats_write_calls=2i,jobstats_write_max_size=${max}i`,
        60,
      ),
    );
    expect(read(text.join("")).latencyInPlaceOfBytes()).toEqual({ read: false, write: true });
  });

  it("is not suspected where sizes are whole pages, nor on few points", () => {
    expect(read(dump((i) => 4096 * (i + 1), 4096)).latencyInPlaceOfBytes().read).toBe(false);
    expect(read(dump(() => 1048576, 900000)).warnings()).toEqual([]);
    expect(
      read(
        line("1", "jobstats_read_bytes=4i,jobstats_read_calls=2i,jobstats_read_max_size=3i", 60),
      ).warnings(),
    ).toEqual([]);
  });

  it("cuts ids at blanks, which shows where they were in quotes", () => {
    const points = read(line('"my', "jobstats_open=1i", 60) + line('"a:0:n"', "jobstats_open=1i", 60));
    expect(points.warnings()).toEqual(["1 job ids are truncated: the plugin cuts them at the first blank"]);
  });
});

describe("CSV", () => {
  it("resolves two columns called name by their place, and headers that come again", () => {
    const points = read(
      "name,time,host,jobid,jobstats_open,jobstats_write_bytes,name\nlustre2,60000000000,h,7,,512,fs-OST0001\n" +
        "lustre2,60000000000,h,7,3,,fs-MDT0000\nlustre2,torn\nname,tags,time,jobstats_write_bytes\n" +
        'lustre2,"jobid=a,b,name=fs-OST0002",1970-01-01T00:01:00Z,99\n',
    );
    const found: string[] = [];
    points.eachReading((reading) => {
      for (const { name, samples, sum } of reading.counters())
        found.push(`${reading.target} ${reading.jobId(0)} ${reading.readAtNs} ${name} ${samples} ${sum}`);
    });
    expect(found).toEqual([
      "fs-OST0001 7 60000000000 write_bytes 0 512",
      "fs-MDT0000 7 60000000000 open 3 undefined",
      "fs-OST0002 a,b 60000000000 write_bytes 0 99",
    ]);
    expect(points.notes).toMatchObject({ broken: 1, firstBrokenLine: 4 });
  });

  it("is known by its first lines; other measurements are counted", () => {
    const kind = (text: string) => recognizeInflux(new TextEncoder().encode(text));
    expect(kind("#group,false,true\r\n#datatype,string\r\n")).toBe("influx2-csv");
    expect(kind("name,time,x\n")).toBe("influx1-csv");
    expect(kind("hello\n")).toBeUndefined();
    const points = new InfluxPoints();
    points.add({ measurement: "cpu", tags: new Map(), fields: new Map(), timeNs: 1n });
    expect(points.notes).toMatchObject({ points: 0, otherPoints: 1 });
  });
});
