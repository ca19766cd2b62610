import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesSource } from "../../base/source.ts";
import { describeParam, Reading, readLustre, recognizeLustre, targetIndex } from "./index.ts";
import { decodeJobId } from "./job-id.ts";
import type { LustreItem } from "./parser.ts";
import { stampFromText } from "./stamp.ts";
import type { TableReading } from "./tables.ts";
import type { ValueReading } from "./values.ts";

const latin = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));
const read = (text: string, path = "obdfilter/fs-OST0001/job_stats") =>
  readLustre(bytesSource(latin(text), path)).items;
const one = (text: string, path?: string) => {
  const items = read(text, path);
  expect(items.length).toBe(1);
  return items[0] as Reading;
};

interface PlainRow {
  id: string;
  snapshot: string | undefined;
  counters: Map<string, string>;
}

const plain = (reading: Reading): PlainRow[] =>
  Array.from({ length: reading.rows }, (_, row) => {
    const snapshot = reading.snapshotNs[row] as bigint;
    return {
      id: String.fromCharCode(...reading.rawId(row)),
      snapshot: snapshot === -(2n ** 63n) ? undefined : String(snapshot),
      counters: new Map(
        reading
          .counters(row)
          .map(({ name, unit, samples, min, max, sum, sumsq, hist }) => [
            `${name} ${unit}`,
            [
              samples,
              min,
              max,
              sum,
              sumsq,
              hist?.map(({ upTo, count }) => `${upTo}=${count}`).join(" ") ?? "",
            ].join("/"),
          ]),
      ),
    };
  });

/** The slow twin: regular expressions over lines, as the format's description says it. */
function twin(text: string): PlainRow[] {
  const rows: PlainRow[] = [];
  for (const line of text.split("\n")) {
    const id = /^- job_id: *(.*)$/.exec(line);
    if (id !== null) rows.push({ id: id[1] ?? "", snapshot: undefined, counters: new Map() });
    const row = rows.at(-1);
    const time = /^ {2}snapshot_time: +(\d+)(?:\.(\d+) secs\.nsecs)?$/.exec(line);
    if (time !== null && row !== undefined)
      row.snapshot = String(BigInt(time[1] ?? "") * 1_000_000_000n + BigInt(time[2] ?? 0));
    const counter = /^ {2}([^\s:]+): +\{ (.*) \}$/.exec(line);
    if (counter === null || row === undefined) continue;
    const body = counter[2] ?? "";
    const part = (key: string) => new RegExp(`(?:^|, )${key}: *([^,{} ]+)`).exec(body)?.[1];
    const hist = /hist: \{(.*)\}/.exec(body)?.[1] ?? "";
    const buckets = [...hist.matchAll(/(\d+)([KMG]?): *(\d+)/g)].map(([, key, suffix, count]) => {
      const scale = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }[suffix ?? ""] as number;
      return `${Number(key) * scale}=${count}`;
    });
    row.counters.set(
      `${counter[1]} ${part("unit")}`,
      [...["samples", "min", "max", "sum", "sumsq"].map(part), buckets.join(" ")].join("/"),
    );
  }
  // The later of two rows with one id counts, in the place of the first.
  const kept = new Map<string, PlainRow>();
  for (const row of rows) kept.set(row.id, row);
  return [...kept.values()];
}

const word64 = fc.oneof(
  fc.bigInt(0n, 20n),
  fc.bigInt(0n, 2n ** 33n),
  fc.bigInt(0n, 2n ** 64n - 1n),
  fc.constantFrom(999999999n, 1000000000n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n, 10n ** 18n),
);
const counterLine = fc
  .record({
    name: fc.constantFrom("read_bytes", "write_bytes", "read", "write", "open", "strange_new-one"),
    unit: fc.constantFrom("bytes", "usecs", " reqs", "pages"),
    width: fc.integer({ min: 0, max: 12 }),
    values: fc.tuple(word64, word64, word64, word64, word64),
    shape: fc.constantFrom(1, 4, 5),
    hist: fc.option(
      fc.array(fc.tuple(fc.constantFrom("1", "512", "4K", "16M", "2G"), word64), { maxLength: 3 }),
    ),
  })
  .map(({ name, unit, width, values, shape, hist }) => {
    const [samples, min, max, sum, sumsq] = values.map((value) => String(value).padStart(width)) as string[];
    const blank = width % 2 === 0 ? " " : "";
    const more = shape >= 4 ? `, min:${blank}${min}, max:${max}, sum:${blank}${sum}` : "";
    const square = shape === 5 ? `, sumsq:${blank}${sumsq}` : "";
    const buckets = hist?.map(([key, count]) => `${key}: ${count}`).join(", ");
    const tail = buckets === undefined ? "" : `, hist: { ${buckets} }`;
    return `  ${`${name}:`.padEnd(16)} { samples:${blank}${samples}, unit: ${unit}${more}${square}${tail} }`;
  });
const row = fc
  .record({
    id: fc.oneof(
      fc.constantFrom("1", "dd.0", "", "- job_id: evil", "a b"),
      fc.stringMatching(/^[!-~]{1,31}$/),
    ),
    stamp: fc.constantFrom("1687275235", "1687275235.000000007 secs.nsecs"),
    lines: fc.uniqueArray(counterLine, {
      maxLength: 6,
      selector: (line) => `${line.slice(0, 18)}${/unit: *(\w+)/.exec(line)?.[1]}`,
    }),
  })
  .map(({ id, stamp, lines }) =>
    [`- job_id:          ${id}`, `  snapshot_time:   ${stamp}`, ...lines].join("\n"),
  );
const jobText = fc.array(row, { maxLength: 6 }).map((rows) => ["job_stats:", ...rows, ""].join("\n"));

describe("job_stats", () => {
  it("is what a slow reader finds, whatever the layout", () => {
    fc.assert(
      fc.property(jobText, (text) => {
        const reading = one(text);
        const expected = twin(text);
        expect(plain(reading)).toEqual(expected);
        expect(reading.notes).toMatchObject({ unknownLines: 0, brokenLines: 0 });
      }),
      { numRuns: 400 },
    );
  });

  it("is the same by the slow way, also when damaged", () => {
    fc.assert(
      fc.property(
        jobText,
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 32, max: 126 })), { maxLength: 4 }),
        (text, hits) => {
          const bytes = latin(text);
          // Not the first line: it says whether lines end with a carriage return.
          for (const [at, byte] of hits) {
            const place = 11 + (at % Math.max(1, bytes.length - 11));
            if (place < bytes.length && bytes[place] !== 10) bytes[place] = byte;
          }
          const damaged = String.fromCharCode(...bytes);
          const fast = read(damaged);
          const slow = read(damaged.replaceAll("\n", "\r\n"));
          const facts = (items: readonly LustreItem[]) =>
            items.map((item) => (item instanceof Reading ? [plain(item), item.notes, item.cut] : item.form));
          expect(facts(slow)).toEqual(facts(fast));
        },
      ),
      { numRuns: 400 },
    );
  });

  it("cut at any byte keeps what is whole and says that it is cut", () => {
    const text = [
      ["job_stats:", "- job_id:          10", "  snapshot_time:   1687275235"],
      [
        "  read_bytes:      { samples:           1, unit: bytes, min:    4096, max:16777216, sum:103588344744749056 }",
      ],
      ["  open:            { samples:           7, unit:  reqs }", '- job_id:          "my\\x20prog.1"'],
      ["  snapshot_time:   1687275236.000000001 secs.nsecs", "  start_time:      1687275230.5 secs.nsecs"],
      [
        "  read_bytes:      { samples:           2, unit: bytes, min:       0, max:       0, sum:12, hist: { 4K: 2 } }",
      ],
      ["  open:            { samples:           8, unit:  reqs }", ""],
    ]
      .flat()
      .join("\n");
    const whole = plain(one(text));
    for (let length = 0; length <= text.length; length++) {
      const reading = one(text.slice(0, length));
      const rows = plain(reading);
      for (const [i, found] of rows.entries()) {
        const truth = whole[i] as PlainRow;
        const isLast = i === rows.length - 1;
        if (!isLast) expect(found).toEqual(truth);
        for (const [name, value] of found.counters) expect(value).toBe(truth.counters.get(name));
        if (found.snapshot !== undefined) expect(found.snapshot).toBe(truth.snapshot);
        if (found.id !== truth.id) expect(reading.cut).toBe(true);
      }
      const inLine = length > 0 && text[length - 1] !== "\n" && text[length] !== "\n" && length > 10;
      if (inLine) expect(reading.cut, text.slice(Math.max(0, length - 20), length)).toBe(true);
    }
  });

  it("tells bytes from latency by the unit alone, in any order", () => {
    const line = (name: string, unit: string, sum: number) =>
      `  ${name}: { samples: 3, unit: ${unit}, min: 1, max: 2, sum: ${sum}, sumsq: 9 }`;
    for (const lines of [
      [line("read_bytes", "bytes", 4096), line("read", "usecs", 77)],
      [line("read", "usecs", 77), line("read_bytes", "bytes", 4096)],
      [line("read", "bytes", 4096), line("read", "usecs", 77)],
    ]) {
      const counters = one(`job_stats:\n- job_id: 1\n${lines.join("\n")}\n`).counters();
      expect(counters.find(({ unit }) => unit === "bytes")?.sum).toBe(4096n);
      expect(counters.find(({ unit }) => unit === "usecs")?.sum).toBe(77n);
    }
  });

  it("ids of any bytes: raw newlines, nothing at all, escapes, twice in one reading", () => {
    const block = (id: string, n: number) =>
      `- job_id:          ${id}\n  snapshot_time:   5\n  open:  { samples: ${n}, unit: reqs }\n`;
    const ids = [
      "nl\nhere.7",
      "",
      "café.3",
      '"caf\\xE9.3"',
      '"\\x22"',
      "a=b",
      "\u0001\u00ff",
      "x".repeat(31),
    ];
    const reading = one(`job_stats:\n${ids.map((id, i) => block(id, i)).join("")}`);
    expect(Array.from({ length: reading.rows }, (_, i) => reading.jobId(i))).toEqual([
      ...["nl\nhere.7", "", "café.3", "café.3", '"', "a=b", "\u0001ÿ", "x".repeat(31)],
    ]);
    expect(decodeJobId(new TextEncoder().encode("grün"))).toBe("grün");
    const twice = one(`job_stats:\n${block("1", 1)}${block("2", 2)}${block("1", 3)}`);
    expect(plain(twice).map(({ id, counters }) => [id, counters.get("open reqs")])).toEqual([
      ["1", "3/////"],
      ["2", "2/////"],
    ]);
    expect(twice.notes.duplicates).toBe(1);
  });

  it("of an idle target is an empty reading: a header, nothing at all, or a parameter alone", () => {
    for (const items of [
      read("job_stats:\n"),
      read(""),
      read("\0\0\0\0"),
      read("obdfilter.fs-OST0001.job_stats=\n", "x.txt"),
    ]) {
      expect(items.length).toBe(1);
      expect(items[0]).toMatchObject({ kind: "job_stats", rows: 0, target: "fs-OST0001", cut: false });
    }
    expect(read("", "notes.txt")).toEqual([]);
  });

  it("keeps unknown counters, counts unknown lines, refuses numbers that do not fit", () => {
    const reading = one(
      "job_stats:\n- job_id: 1\n  new_thing: { samples: 4, unit: furlongs, min: 1, max: 2, sum: 3, extra: 5 }\n" +
        "  mystery header\n  open: { samples: 18446744073709551616, unit: reqs }\n  close: { samples: x, unit: reqs }\n",
    );
    expect(reading.counters()).toEqual([
      { name: "new_thing", unit: "furlongs", samples: 4n, min: 1n, max: 2n, sum: 3n },
    ]);
    expect(reading.notes).toMatchObject({ brokenLines: 2, firstBrokenLine: 5, unknownLines: 1 });
  });
});

describe("stats", () => {
  const text = [
    [
      "snapshot_time             1420750934.57342 secs.usecs",
      "write_bytes               3 samples [bytes] 4096 1048576 2097152",
    ],
    [
      "open                      136 samples [regs]",
      "statfs                    2 samples [reqs]",
      "statfs                    9 samples [reqs]",
    ],
    [
      "a_very_long_counter_name_beyond_the_column 7 samples [usecs] 1 2 3 -4",
      "odd                       1 samples []",
      "",
    ],
  ]
    .flat()
    .join("\n");

  it("count microseconds of a stamp, repeat a name as another counter, and may be negative", () => {
    const reading = one(text, "llite/my-fs_1-ffff88105db50000/stats");
    expect(reading).toMatchObject({ kind: "llite_stats", fileSystem: "my-fs_1", mount: "ffff88105db50000" });
    expect(reading.snapshotNs[0]).toBe(1420750934_057342000n);
    expect(reading.counters()).toEqual([
      { name: "write_bytes", unit: "bytes", samples: 3n, min: 4096n, max: 1048576n, sum: 2097152n },
      { name: "open", unit: "regs", samples: 136n },
      { name: "statfs", unit: "reqs", samples: 2n },
      { name: "statfs#2", unit: "reqs", samples: 9n },
      {
        name: "a_very_long_counter_name_beyond_the_column",
        unit: "usecs",
        samples: 7n,
        min: 1n,
        max: 2n,
        sum: 3n,
        sumsq: -4n,
      },
      { name: "odd", unit: "", samples: 1n },
    ]);
    expect(reading.notes).toMatchObject({ unknownLines: 0, brokenLines: 0 });
    // Padded by a copy of a page from /sys.
    expect(one(`${text}${"\0".repeat(500)}`, "stats").entries).toBe(6);
  });

  it("cut at any byte give only whole counters", () => {
    const whole = new Map(
      one(text, "stats")
        .counters()
        .map((counter) => [counter.name, counter]),
    );
    for (let length = 80; length <= text.length; length++)
      for (const counter of one(text.slice(0, length), "stats").counters())
        expect(counter, text.slice(0, length)).toEqual(whole.get(counter.name));
  });

  it("stamps are counts of the unit that the line names", () => {
    expect(stampFromText("1284151749.963667 (secs.usecs)")).toBe(1284151749_963667000n);
    expect(stampFromText("1704924117.050780452 secs.nsecs")).toBe(1704924117_050780452n);
    expect(stampFromText("1510781853. 10473844")).toBe(1510781853_010473844n);
    expect(stampFromText("1687275235")).toBe(1687275235_000000000n);
    expect(stampFromText("1687275235.9999999999 secs.nsecs")).toBeUndefined();
    expect(stampFromText("soon")).toBeUndefined();
  });
});

describe("other files", () => {
  it("lctl get_param: many parameters, one-line values, errors in between", () => {
    const items = read(
      "health_check=healthy\nerror: get_param: param_path 'x': No such file\nmdt.fs-MDT000a.md_stats=\nsnapshot_time 5.000000001 secs.nsecs\n" +
        "open 3 samples [reqs]\nerror: get_param: gone\nost.OSS.ost_io.stats=snapshot_time             6.000000000 secs.nsecs\n" +
        "obdfilter.fs-OST0001.exports.10.2.4.27@o2ib1.stats=\nsnapshot_time 7.000000000 secs.nsecs\nread_bytes 1 samples [bytes] 1 1 1\n" +
        "obdfilter.fs-OST0001.job_stats=\njob_stats:\n- job_id: a\n  open: { samples: 1, unit: reqs }\nmemused=12\n",
      "dump.txt",
    );
    expect(items.map(({ kind, target }) => `${kind} ${target}`)).toEqual([
      ...["setting ", "md_stats fs-MDT000a", "stats ", "export_stats fs-OST0001", "job_stats fs-OST0001"],
    ]);
    expect((items[3] as Reading).client).toBe("10.2.4.27@o2ib1");
    expect((items[1] as Reading).notes.unknownLines).toBe(1);
    expect(targetIndex("fs-MDT000a")).toEqual({ role: "MDT", index: 10 });
    expect(targetIndex("fs-OST0010")).toEqual({ role: "OST", index: 16 });
  });

  it("tables, recovery, versions and lnet", () => {
    const [brw] = read(
      "snapshot_time:         1284151749.963667 (secs.usecs)\n\n                           read      |     write\npages per bulk r/w     rpcs  % cum % |  rpcs        % cum %\n256:\t\t   1705491  99 100   | 1703982 100 100\n1K:\t\t 0 0 100 | 5 0 100\n",
      "osd-ldiskfs/fs-OST0001/brw_stats",
    ) as [TableReading];
    expect(brw.sections).toEqual([
      {
        ...{ name: "pages per bulk r/w", counted: "rpcs", sides: ["read", "write"] },
        rows: [
          { bucket: "256", counts: [1705491n, 1703982n] },
          { bucket: "1K", counts: [0n, 5n] },
        ],
      },
    ]);
    const [recovery] = read(
      "status: COMPLETE\nrecovery_start: 1286\ncompleted_clients: 4/8\n",
      "mdt/fs-MDT0000/recovery_status",
    ) as [ValueReading];
    expect(recovery.values).toContainEqual({ key: "completed_clients", value: "4/8" });
    for (const [text, key, value] of [
      ["lustre: 2.5.3\nkernel: patchless\nbuild: x\n", "lustre", "2.5.3"],
      ["2.10.8_4.chaos\n", "version", "2.10.8_4.chaos"],
    ] as const)
      expect((read(text, "/sys/fs/lustre/version")[0] as ValueReading).values).toContainEqual({ key, value });
    const [lnet] = read(
      "0 28 0 101719323 101719291 0 0 21201322992 53029565353720 0 0\n",
      "/proc/sys/lnet/stats",
    ) as [ValueReading];
    expect(lnet.values).toContainEqual({ key: "recv_length", value: "53029565353720" });
  });

  it("are known by content, and an empty one by its path", () => {
    const kind = (text: string, name: string) => recognizeLustre(latin(text), name);
    expect(kind("job_stats:\n- job_id: x\n", "a.txt")).toBe("job_stats");
    expect(kind("memused=5\nobdfilter.fs-OST0000.stats=\nsnapshot_time 5.0 secs.nsecs\n", "a.txt")).toBe(
      "params",
    );
    expect(kind("", "/proc/fs/lustre/mdt/fs-MDT0000/job_stats")).toBe("job_stats");
    expect(kind("pid,start,end\n1,2,3\n", "a.csv")).toBeUndefined();
    expect(kind("", "a.txt")).toBeUndefined();
    expect(describeParam("/proc/fs/lustre/mdt/fs-MDT0000/exports/10.0.0.1@tcp/stats")).toMatchObject({
      ...{ kind: "export_stats", target: "fs-MDT0000", client: "10.0.0.1@tcp", fileSystem: "fs" },
    });
  });

  it("of any bytes are read without a failure", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom(
          "job_stats:\n- job_id: ",
          "snapshot_time 1.0 secs.nsecs\n",
          "snapshot_time: 1.0\n",
          "",
        ),
        (bytes, head) => {
          const text = new Uint8Array([...latin(head), ...bytes]);
          const { items } = readLustre(bytesSource(text, "mdt/fs-MDT0000/stats"));
          for (const item of items)
            if (item instanceof Reading) for (let r = 0; r < item.rows; r++) item.counters(r);
        },
      ),
      { numRuns: 500 },
    );
  });
});
