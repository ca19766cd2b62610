import { describe, expect, it } from "vitest";
import { type Corpus, randomCorpus } from "../../../../../test/analyze/study-reference/corpus.ts";
import { Random } from "../../../../base/prng.ts";
import { type ReuseOptions, reuseOptions } from "../options.ts";
import { runStudy } from "../study.ts";
import { memoryStore, PieceSpill } from "../../common/test-kit.ts";
import { type GroupRuns, groupedRuns } from "./index.ts";
import { READ_TYPE, type Records, TIMED, COMPLETE, WRITE_TYPE } from "./records.ts";
import { Sequences } from "./sequences.ts";

async function study(
  corpus: Corpus,
  options: Partial<ReuseOptions>,
  recordBytes: number,
  groupRuns?: GroupRuns,
  spills?: PieceSpill[],
) {
  const db = await memoryStore();
  try {
    await db.insert("runs", corpus.runs as never);
    await db.insert("accesses", corpus.accesses as never);
    await db.insert("files", corpus.files as never);
    const spill = () => {
      const made = new PieceSpill();
      spills?.push(made);
      return made;
    };
    const keep = () => ({ accessBytes: recordBytes, spilled: true });
    const resources = { recordBytes, groupRuns, ...(spills && { keep }) };
    return await runStudy(
      { ...db, ...(spills && { spill }) },
      reuseOptions({ replicates: 20, ...options }),
      resources,
    );
  } finally {
    db.close();
  }
}

describe("a sweep", () => {
  const settings: Partial<ReuseOptions>[] = [
    {},
    { gap: "end-start", applicationGap: "different", application: "exe-uid" },
    { runBytes: "all", covRuns: "per-type", hourStatistic: "median", metadataOnly: "exclude" },
  ];
  it.each(settings)("gives the same in many passes as in one, with %o", async (setting) => {
    const corpus = randomCorpus({ seed: 21, files: 60 });
    const once = await study(corpus, setting, 2 ** 30);
    // Two or three files at a time, and a handful of runs.
    const often = await study(corpus, setting, 4000);
    const spills: PieceSpill[] = [];
    const spilled = await study(corpus, setting, 4000, undefined, spills);
    // Columns of so few files fill no page; accesses by run wait on disk unless all files count.
    expect(spills.map(({ pieces }) => pieces.size > 10)).toEqual(
      setting.runBytes === "all" ? [false] : [false, true],
    );
    expect(once.files).toBeGreaterThan(15);
    // Figures have means whose last digit depends on the order of adding.
    const numbers = ({ items }: typeof once) =>
      Object.values(items).map(({ n, values, dropped, tables }) => ({ n, values, dropped, tables }));
    for (const other of [often, spilled]) {
      expect(numbers(other)).toEqual(numbers(once));
      expect(other.findings).toEqual(once.findings);
      expect(other.outputs).toEqual(once.outputs);
    }
  });

  it("gives the same when another thread groups the runs, and tells when that fails", async () => {
    const corpus = randomCorpus({ seed: 24, files: 120 });
    const here = await study(corpus, {}, 2 ** 30);
    const shared: boolean[] = [];
    const beside = await study(corpus, {}, 2 ** 30, async (work) => {
      shared.push(work.rows.words.buffer instanceof SharedArrayBuffer);
      return structuredClone(groupedRuns(structuredClone(work)));
    });
    expect(shared).toEqual([true]);
    expect({ ...beside, seconds: {} }).toEqual({ ...here, seconds: {} });
    const failing = study(corpus, {}, 2 ** 30, () => Promise.reject(new Error("no thread")));
    await expect(failing).rejects.toThrow("no thread");
  });

  it("tells a stripe count that is not recorded from any other", async () => {
    const corpus = randomCorpus({ seed: 23 });
    const striped = corpus.accesses.map((one, i) => ({ ...one, stripe_count: i % 3 === 0 ? 4 : null }));
    const none = await study(corpus, {}, 2 ** 30);
    expect(none.items.A16?.dropped["selected files without a recorded stripe width"]).toBe(none.files);
    expect(none.items.A16?.values.stripeWidth1).toBeNaN();
    const some = await study({ ...corpus, accesses: striped as never }, {}, 2 ** 30);
    const widths = some.items.A16?.tables[0]?.rows.map((row) => row[0]) ?? [];
    expect(new Set(widths)).toEqual(new Set([4, null].slice(0, widths.length)));
    expect(widths[0]).toBe(4);
  });

  it("reads lists of OSTs that are not written well: each OST once, and no other", async () => {
    const corpus = randomCorpus({ seed: 23 });
    const texts = ["5 ", "5  7", "7", " 9", "-1 -1", "-1", "", " ", "x", "1.5", "4294967296", null];
    const laid = corpus.accesses.map((one, i) => ({ ...one, osts: texts[i % texts.length] ?? null }));
    const { items } = await study({ ...corpus, accesses: laid as never }, {}, 2 ** 30);
    const loads = items.A12?.tables.find(({ id }) => id === "ost-load")?.rows ?? [];
    expect(loads.map(([ost]) => ost)).toEqual([5, 7, 9]);
  });

  it("leaves figures and tables of files out when nobody asks for them, and counts their rows", async () => {
    const corpus = randomCorpus({ seed: 22 });
    const db = await memoryStore();
    await db.insert("runs", corpus.runs as never);
    await db.insert("accesses", corpus.accesses as never);
    await db.insert("files", corpus.files as never);
    const options = reuseOptions({ replicates: 20 });
    const [full, bare] = [await runStudy(db, options), await runStudy(db, options, { details: false })];
    db.close();
    expect(bare.outputs).toEqual([]);
    expect(bare.outputRows).toEqual(full.outputRows);
    expect(full.outputRows).toEqual(
      Object.fromEntries(full.outputs.map(({ id, rows }) => [id, { rows: rows.length, total: rows.length }])),
    );
    expect(Object.values(bare.items).flatMap(({ figures }) => figures)).toEqual([]);
    expect(bare.findings).toEqual(full.findings);
  });
});

describe("sequences", () => {
  /** One access: start in ns, type, id of the run. */
  type Access = readonly [start: bigint, type: number, run: bigint];

  function records(accesses: readonly Access[]): Records {
    const stride = 12;
    const words = new Uint32Array(accesses.length * stride);
    accesses.forEach(([start, type, run], i) => {
      const key = (start << 2n) | BigInt(type);
      const split = (value: bigint) => [Number(value & 0xffffffffn), Number(value >> 32n)];
      words.set([...split(key), ...split(run)], i * stride);
      words[i * stride + 11] = TIMED | COMPLETE;
    });
    return {
      words,
      doubles: new Float64Array(words.buffer),
      stride,
      starts: Uint32Array.of(0, accesses.length),
      widths: Int32Array.of(-1),
    };
  }

  it.each([3, 20, 500])("of %i accesses are those of a sort of all of them, ties by run", (n) => {
    const random = new Random(n);
    for (let round = 0; round < 30; round++) {
      const accesses = Array.from({ length: n }, (_, i): Access => {
        const start =
          1_500_000_000_000_000_000n + BigInt(random.below(round % 2 === 0 ? n : 2 ** 40)) * 1_000_003n;
        return [start, 1 + random.below(3), (BigInt(random.bits()) << 32n) | BigInt(i)];
      });
      const order = [...accesses].sort(([a, , p], [b, , q]) => (a < b ? -1 : a > b ? 1 : p < q ? -1 : 1));
      const found = new Sequences(false);
      found.add(0, records(accesses), 0, n);
      for (const [type, streak, gap] of [
        [READ_TYPE, found.streakRead, found.gapRead],
        [WRITE_TYPE, found.streakWrite, found.gapWrite],
      ] as const) {
        const mine = order.filter(([, one]) => one === type);
        const streaks = order.filter(([, one], i) => one === type && order[i - 1]?.[1] !== type).length;
        const [mean] = gap.values();
        expect(streak.values()[0]).toBe(mine.length === 0 ? 0 : mine.length / streaks);
        const [first, last] = [mine[0]?.[0] ?? 0n, mine.at(-1)?.[0] ?? 0n];
        if (mine.length < 2) expect(mean).toBeNaN();
        else {
          const expected = Number(last - first) / (mine.length - 1) / 3.6e12;
          expect(Math.abs((mean as number) - expected)).toBeLessThanOrEqual(1e-14 * expected);
        }
      }
    }
  });
});
