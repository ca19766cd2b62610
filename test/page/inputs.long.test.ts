// Everything that can be dropped: recordings, traces, tables, folders, many files, packed ones, and what is none of it.

import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "../../src/base/prng.ts";
import { recordLog } from "../../src/generate/recorder/record.ts";
import { Application, osts } from "../../src/generate/single/index.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { publicDftracer } from "../reference-data.ts";
import { agree, buildPage, type DropPage, hasBrowser, launch, openPage, root } from "./kit.ts";

const PROCESSES = 100;

/** One process of a job without MPI writes a log of its own, with the number of the job. */
function oneProcess(seed: number): Uint8Array {
  const job = new Application(1, new Random(seed));
  for (let k = 0; k < 5; k++) {
    const file = job.lustre(`out.${seed}.${k}`, osts(k, 2));
    job.open("POSIX", 0, file);
    for (let i = 0; i < 50; i++) job.write("POSIX", 0, file, { offset: i * 65536, bytes: 65536 });
    job.close("POSIX", 0, file);
  }
  return recordLog({ ...job.plan("workers", {}), jobId: 7001 }, nodeEncoders).bytes;
}

describe.skipIf(!hasBrowser)("what can be dropped", () => {
  let browser: Browser;
  let folder: string;
  let html: string;
  const at = (name: string) => join(folder, name);
  const fixture = (name: string) => join(root, "test", "fixtures", "accesses", name);
  const plimsoll = (...words: string[]) => {
    const { status, stderr } = spawnSync(join(root, "bin", "plimsoll"), words, {
      cwd: folder,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`plimsoll ${words.join(" ")}: ${stderr}`);
  };
  const withPage = async (use: (open: DropPage) => Promise<void>) => {
    const open = await openPage(browser, html);
    try {
      await use(open);
    } finally {
      await open.close();
    }
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plimsoll-inputs-"));
    html = await buildPage(folder);
    browser = await launch();
    const script =
      "dd if=/dev/zero of=a bs=4k count=64 2>/dev/null & dd if=/dev/zero of=b bs=1M count=4 2>/dev/null; wait";
    plimsoll("record", "-o", "recording", "--", "sh", "-c", script);
    for (const name of ["named.strace", "plain_lat.1.log", "paper.csv"]) {
      cpSync(fixture(name), at(name));
      writeFileSync(at(`${name}.gz`), gzipSync(readFileSync(fixture(name))));
    }
    plimsoll("export", "paper.csv", "-o", "exported.parquet");
    plimsoll("export", "named.strace", "-o", "strace.parquet");
    for (let process = 0; process < PROCESSES; process++) {
      const place = at(`jobs/alice/workers/7001/node${process % 4}/${process}`);
      mkdirSync(place, { recursive: true });
      mkdirSync(at("flat"), { recursive: true });
      const bytes = oneProcess(process);
      writeFileSync(join(place, "run.darshan"), bytes);
      writeFileSync(at(`flat/process-${process}.darshan`), bytes);
    }
    const log = oneProcess(1);
    writeFileSync(at("packed.darshan.gz"), gzipSync(log));
    writeFileSync(at("cut.darshan.gz"), gzipSync(log).subarray(0, 300));
    writeFileSync(at("cut.csv.gz"), gzipSync(readFileSync(fixture("paper.csv"))).subarray(0, 60));
    writeFileSync(at("empty.csv"), "");
    writeFileSync(at("empty.gz"), gzipSync(""));
    writeFileSync(at("notes.gz"), gzipSync("Lorem ipsum dolor sit amet.\n"));
    writeFileSync(at("picture.png"), Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
    writeFileSync(at("jobs.txt"), "JobIDRaw|User|Start|End\n1|ada|0|1\n");
    writeFileSync(at("broken.parquet"), "PAR1 but nothing else");
    mkdirSync(at("nothing"));
    writeFileSync(at("nothing/readme.txt"), "nothing to see\n");
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ...[
      "recording",
      "named.strace",
      "named.strace.gz",
      "plain_lat.1.log",
      "plain_lat.1.log.gz",
      "paper.csv",
      "paper.csv.gz",
    ],
    ...["exported.parquet", "strace.parquet", "cut.csv.gz", "packed.darshan.gz", "jobs"],
  ])("%s: the report of the command", (name) =>
    withPage(async (open) => {
      expect(await agree(open, at(name), at("report.html"))).toBe("report");
    }),
  );

  it.skipIf(publicDftracer === undefined)("DFTracer: a folder of processes, and one packed file", () =>
    withPage(async (open) => {
      cpSync(join(publicDftracer ?? "", "cm1"), at("cm1"), { recursive: true });
      cpSync(join(publicDftracer ?? "", "strings-dialect.pfw.gz"), at("strings-dialect.pfw.gz"));
      expect(await agree(open, at("cm1"), at("report.html"))).toBe("report");
      expect(await agree(open, at("strings-dialect.pfw.gz"), at("report.html"))).toBe("report");
    }),
  );

  it(`${PROCESSES} files of a job without MPI, dropped one beside the other`, () =>
    withPage(async (open) => {
      const files = readdirSync(at("flat")).map((name) => join(at("flat"), name));
      expect(files).toHaveLength(PROCESSES);
      expect(await agree(open, files, at("report.html"))).toBe("report");
    }));

  it.each([...["cut.darshan.gz", "empty.csv", "empty.gz", "notes.gz", "picture.png", "jobs.txt", "nothing"]])(
    "%s: the refusal of the command",
    (name) =>
      withPage(async (open) => {
        expect(await agree(open, at(name), at("report.html"))).toBe("refusal");
      }),
  );

  it("a Parquet file that is none: one line", () =>
    withPage(async (open) => {
      await open.drop([at("broken.parquet")]);
      expect(await open.failure()).toMatch(/^broken\.parquet: not a readable Parquet file: /);
    }));

  it("without names: recordings, traces and tables too", () =>
    withPage(async (open) => {
      for (const name of ["recording", "named.strace", "exported.parquet"]) {
        expect(existsSync(at(name))).toBe(true);
        await open.drop([at(name)]);
        await open.page.waitForFunction(
          (word) => document.body.textContent?.includes(`report ${word}`),
          name,
        );
        await open.report();
        const plain = JSON.parse(await open.save("json"));
        const nameless = await open.save("json", { withoutNames: true });
        expect(nameless).not.toMatch(/named\.strace|exported|recording|plimsoll-inputs|\/tmp|\/home|"dd"/);
        expect(JSON.parse(nameless).metrics.bytesWritten).toBe(plain.metrics.bytesWritten);
      }
    }));
});
