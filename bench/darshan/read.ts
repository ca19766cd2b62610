/** Our side of the reading benchmark: `read ours|inflate ROUNDS LOG…`, in the form of the peers. */
import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { LOW } from "../../src/base/words.ts";
import { DarshanLog } from "../../src/formats/darshan/log.ts";
import { readHeader } from "../../src/formats/darshan/header.ts";
import { bytesSource } from "../../src/base/source.ts";
import { nodeCodecs } from "../../src/node/codecs.ts";
import { openFile } from "../../src/node/file-source.ts";

let records = 0;
let names = 0;
let ids = 0n;

/** Job, name table, every record of every module; ids are added up so that each record is touched. */
function readLog(path: string): void {
  const source = openFile(path);
  try {
    const log = new DarshanLog(source, { codecs: nodeCodecs });
    names += log.names.size;
    let low = 0;
    let high = 0;
    for (const entry of log.modules) {
      for (const block of log.records(entry)) {
        const { u32 } = block.views;
        records += block.count;
        for (let k = 0; k < block.count; k++) {
          low += u32[2 * block.at(k) + LOW] as number;
          high += u32[2 * block.at(k) + 1 - LOW] as number;
        }
      }
      for (const block of log.segments(entry)) {
        records += block.count;
        if (block.first > 0) continue;
        records++;
        low += block.record.idLow;
        high += block.record.idHigh;
      }
    }
    ids = BigInt.asUintN(64, ids + BigInt(low) + (BigInt(high) << 32n));
  } finally {
    source.close();
  }
}

/** The floor: only the compressed regions, through Node's documented call, first streams of each. */
function inflateOnly(path: string): void {
  const bytes = readFileSync(path);
  const header = readHeader(bytesSource(bytes, path));
  for (const region of [header.job, header.names, ...header.modules.map((entry) => entry.region)]) {
    let at = region.offset;
    const end = region.offset + region.length;
    while (at < end) {
      const { engine } = inflateSync(bytes.subarray(at, end), { info: true }) as unknown as {
        engine: { bytesWritten: number };
      };
      at += engine.bytesWritten;
    }
  }
}

const [what, rounds, ...paths] = process.argv.slice(2);
for (let round = 0; round < Number(rounds); round++) {
  records = 0;
  names = 0;
  ids = 0n;
  const start = process.hrtime.bigint();
  for (const path of paths) (what === "ours" ? readLog : inflateOnly)(path);
  console.log((Number(process.hrtime.bigint() - start) / 1e9).toFixed(9));
}
console.log(`checksum ${records} ${names} ${ids}`);
console.error(`peak ${peakKib()} KiB`);

/** Highest memory of this process. What `resourceUsage` says may be that of the process that started it. */
function peakKib(): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
