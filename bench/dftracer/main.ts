/**
 * `npm run bench dftracer`: events per second of the reader, from memory and from a gzip file, beside `JSON.parse` of every
 * line in the same run.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { bytesSource } from "../../src/base/source.ts";
import { dftracer } from "../../src/formats/dftracer/format.ts";
import type { CallSink } from "../../src/model/index.ts";
import { openFile } from "../../src/node/file-source.ts";
import { gunzipped } from "../../src/node/gzip-source.ts";

const EVENTS = Number(process.env.PLIMSOLL_BENCH_EVENTS ?? 1_000_000);
const TURNS = Number(process.env.PLIMSOLL_BENCH_TURNS ?? 5);
const T0 = 1_727_387_307_000_000;

function makeTrace(): Uint8Array {
  const lines = ["["];
  const event = (fields: object) => lines.push(JSON.stringify(fields));
  const common = { pid: 3537780, tid: 3537780 };
  event({ id: 0, name: "HH", cat: "dftracer", ...common, ph: "M", args: { name: "node1", value: 5692 } });
  for (let file = 0; file < 500; file++)
    event({
      ...{ id: file, name: "FH", cat: "dftracer", ...common, ph: "M" },
      args: { name: `/p/lustre1/run/out_${file}.dat`, value: 30_000 + file },
    });
  for (let at = lines.length - 1; at < EVENTS; at++) {
    const name = at % 9 === 0 ? "read" : "write";
    event({
      ...{ id: at, name, cat: "POSIX", ...common, ts: T0 + 20 * at, dur: 5 + (at % 7), ph: "X" },
      args: {
        ...{ hhash: 5692, p_idx: -1, level: 1, count: 4096, ret: 4096 },
        ...{ fhash: 30_000 + (at % 500), fd: 3 + (at % 50) },
      },
    });
  }
  return new TextEncoder().encode(`${lines.join("\n")}\n]`);
}

let calls = 0;
const sink: CallSink = {
  clock() {},
  process: () => 0,
  file: () => 0,
  note() {},
  block: ({ count }) => void (calls += count),
};

/** Every line through `JSON.parse`, and the fields that a call has. */
function peer(bytes: Uint8Array): void {
  let sum = 0;
  for (const line of new TextDecoder().decode(bytes).split("\n")) {
    if (line.length < 3) continue;
    const event = JSON.parse(line);
    if (event.ph === "X") sum += event.ts + event.dur + event.args.ret + event.args.fhash;
  }
  if (Number.isNaN(sum)) throw new Error("the peer found no numbers");
}

function best(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < TURNS; turn++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1e6);
  }
  return least;
}

const bytes = makeTrace();
const folder = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
try {
  const packed = join(folder, "trace.pfw.gz");
  writeFileSync(packed, gzipSync(bytes, { level: 6 }));
  const plain = best(() => dftracer.calls(bytesSource(bytes, "trace.pfw"), sink));
  const gzip = best(() => {
    const source = gunzipped(openFile(packed), { streams: () => true });
    dftracer.calls(source, sink);
    source.close();
  });
  const parse = best(() => peer(bytes));
  const rate = (seconds: number) => `${(EVENTS / seconds / 1e6).toFixed(2)} M events/s`;
  console.log(`${EVENTS} events, ${(bytes.length / 2 ** 20).toFixed(0)} MiB, CPU time, best of ${TURNS}`);
  console.log(`plain          ${rate(plain)}`);
  console.log(`gzip           ${rate(gzip)}`);
  console.log(`JSON.parse     ${rate(parse)}; plain is ${(parse / plain).toFixed(2)} times as fast`);
  if (calls === 0) throw new Error("no calls");
} finally {
  rmSync(folder, { recursive: true });
}
