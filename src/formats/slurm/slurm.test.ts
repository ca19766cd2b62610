import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError, UsageError } from "../../base/errors.ts";
import { bytesSource } from "../../base/source.ts";
import { expandNodeList, readSlurm, recognizeSlurm, timeOf, type Zone, zoneOf } from "./index.ts";
import { tresOf } from "./job.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string, options = {}) => readSlurm(bytesSource(bytes(text), "sacct.txt"), options);

describe("lists of nodes", () => {
  it("unfold with zeros and several brackets", () => {
    expect(expandNodeList("d13n[03,05,07-08],r[1-2]n[01-02],n9")).toEqual([
      ...["d13n03", "d13n05", "d13n07", "d13n08", "r1n01", "r1n02", "r2n01", "r2n02", "n9"],
    ]);
    expect(expandNodeList("n[098-101]")).toEqual(["n098", "n099", "n100", "n101"]);
    for (const none of ["", "None assigned", "(null)"]) expect(expandNodeList(none)).toEqual([]);
    for (const bad of ["n[1-", "n[2-1]", "n[a]", "n]1[", "a,,b", "n[[1]]", "n[1-99999999999]", "two words"])
      expect(expandNodeList(bad), bad).toBeUndefined();
  });

  it("folded and unfolded again are the same", () => {
    const part = fc.record({
      prefix: fc.stringMatching(/^[a-z]{1,4}$/),
      numbers: fc.uniqueArray(fc.nat(999), { minLength: 1, maxLength: 9 }),
      width: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const names: string[] = [];
        const folded = parts.map(({ prefix, numbers, width }) => {
          const sorted = [...numbers].sort((a, b) => a - b);
          for (const n of sorted) names.push(prefix + String(n).padStart(width, "0"));
          const ranges: string[] = [];
          for (let i = 0; i < sorted.length; ) {
            let j = i;
            while (sorted[j + 1] === (sorted[j] as number) + 1) j++;
            const text = (n: number | undefined) => String(n).padStart(width, "0");
            ranges.push(i === j ? text(sorted[i]) : `${text(sorted[i])}-${text(sorted[j])}`);
            i = j + 1;
          }
          return `${prefix}[${ranges.join(",")}]`;
        });
        expect(expandNodeList(folded.join(","))).toEqual(names);
      }),
    );
  });
});

describe("columns of fixed width", () => {
  const rows = [
    "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode ",
    "------------ ---------- ---------- ---------- ---------- ---------- -------- ",
    "331             vpic io      batch       phys          4  COMPLETED      0:0 ",
    "331.batch         batch                  phys          2  COMPLETED      0:0 ",
    "",
  ];
  it.each([
    ["sacct alone", rows],
    ["without the line of dashes", [rows[0], ...rows.slice(2)]],
    ["another column first", ["     User        JobID      State ", "--------- ------------ ---------- "]],
    ["one column", ["JobID", "------------", "331"]],
    ["narrow columns", ["JobID JobName", "----- -------", "331   vpic"]],
  ])("are refused with the command that prints a whole list: %s", (_, lines) => {
    const text = lines.join("\n");
    expect(recognizeSlurm(bytes(text))).toBe("sacct-fixed");
    expect(() => read(text)).toThrow(FormatError);
    expect(() => read(text)).toThrow(
      /fixed-width.*create the list with: .*sacct .*-P .*-o Cluster,JobIDRaw,/,
    );
  });

  it.each(["JobID|State\n1|COMPLETED\n", "JobID State\n1 COMPLETED\n", "JobID\tState\n1\tCOMPLETED\n"])(
    "are not what has a delimiter: %j",
    (text) => {
      expect(recognizeSlurm(bytes(text))).toBe("sacct");
      expect(read(text).jobs).toHaveLength(1);
    },
  );
});

describe("times", () => {
  it("are epochs or local times of a zone, in summer and winter", () => {
    const berlin = zoneOf("Europe/Berlin") as Zone;
    expect(timeOf("2026-07-01T12:00:00", berlin)).toBe(Date.parse("2026-07-01T10:00:00Z") / 1000);
    expect(timeOf("2026-01-01T12:00:00", berlin)).toBe(Date.parse("2026-01-01T11:00:00Z") / 1000);
    // 02:30 comes twice on the last Sunday of October: the first one; in March it does not come at all.
    expect(timeOf("2026-10-25T02:30:00", berlin)).toBe(Date.parse("2026-10-25T00:30:00Z") / 1000);
    expect(timeOf("2026-03-29T02:30:00", berlin)).toBe(Date.parse("2026-03-29T01:30:00Z") / 1000);
    expect(timeOf("2026-07-01T12:00:00", zoneOf("-05:30") as Zone)).toBe(
      Date.parse("2026-07-01T17:30:00Z") / 1000,
    );
    expect(timeOf("1794724386", berlin)).toBe(1794724386);
    for (const text of ["Unknown", "None", "", "0"]) expect(timeOf(text, berlin)).toBeUndefined();
    for (const text of ["yesterday", "2026-13-01T00:00:00", "12:00:00"])
      expect(timeOf(text, berlin)).toBeNull();
    expect(zoneOf("Mars/Olympus")).toBeUndefined();
  });

  it("agree with the zone's own calendar at every hour of a year", () => {
    const zone = zoneOf("America/New_York") as Zone;
    const format = new Intl.DateTimeFormat("sv-SE", {
      timeZone: "America/New_York",
      dateStyle: "short",
      timeStyle: "medium",
    });
    for (let unix = Date.UTC(2026, 0, 1) / 1000; unix < Date.UTC(2027, 0, 1) / 1000; unix += 7 * 3600) {
      const text = format.format(unix * 1000).replace(" ", "T");
      const found = timeOf(text, zone) as number;
      // Of a time that comes twice, the first is taken.
      expect([unix, unix - 3600]).toContain(found);
    }
  });
});

describe("sacct", () => {
  it("keys are cluster, raw id and submit; requeued runs are apart; steps are none", () => {
    const { jobs, notes } = read(
      "Cluster|JobIDRaw|JobID|User|State|Submit|Start|End|NNodes|NodeList|JobName\n" +
        "a|343|343|u|REQUEUED|100|110|120|1|n4|re\na|343|343|u|COMPLETED|121|130|140|1|n4|re\nb|343|343|u|RUNNING|100|110|Unknown|2|n[1-2]|x\n" +
        "a|350|349+1|u|CANCELLED by 5101|100|Unknown|130|0|None assigned|het\na|343.batch|343.batch||COMPLETED|100|110|120|1|n4|batch\n",
    );
    expect(jobs.map(({ key }) => key)).toEqual(["a/343/100", "a/343/121", "b/343/100", "a/350/100"]);
    expect(jobs[2]).toMatchObject({ endUnix: undefined, state: "RUNNING" });
    expect(jobs[3]).toMatchObject({
      hetJobId: "349",
      hetOffset: "1",
      cancelledBy: "5101",
      startUnix: undefined,
    });
    expect(notes).toMatchObject({ rows: 5, steps: 1, broken: 0, localTimes: 0, nodeMismatches: 0 });
  });

  it("counts broken lines with their numbers, and goes on", () => {
    const { jobs, notes } = read(
      "JobID|State|Start|JobName\n1|COMPLETED|10|a\n2|COMPLETED\nof a comment\n3|COMPLETED|later|b\nx|COMPLETED|10|c\n4|COMPLETED|11|d|e\n5|FAILED|12|f",
      { cluster: "c" },
    );
    expect(jobs.map(({ jobId, name }) => [jobId, name])).toEqual([
      ["1", "a"],
      ["4", "d|e"],
      ["5", "f"],
    ]);
    expect(notes.brokenLines.map(({ line }) => line)).toEqual([3, 4, 5, 6]);
    expect(notes).toMatchObject({ broken: 4, repaired: 1 });
  });

  it("a bar goes to the free text that leaves the other columns right; where two ways differ nothing is guessed", () => {
    const { jobs } = read("JobID|JobName|UID|State\n1|a|b|17|COMPLETED\n2|a|5|17|COMPLETED\n");
    expect(jobs.map(({ name, uid }) => [name, uid])).toEqual([
      ["a|b", "17"],
      ["a|5", "17"],
    ]);
    // The account could be `b` or `c`.
    const ambiguous = read("JobID|JobName|Account|Comment|State\n1|a|b|c|d|COMPLETED\n");
    expect(ambiguous.jobs).toEqual([]);
    expect(ambiguous.notes).toMatchObject({ broken: 1, repaired: 0 });
  });

  it("a delimiter at the end of every line belongs to no name, one at the end of a name does", () => {
    const parsable = read("JobID|JobName|UID|State|\n1|a|b|17|COMPLETED|\n2|c|18|FAILED|\n");
    expect(parsable.jobs.map(({ name, uid }) => [name, uid])).toEqual([
      ["a|b", "17"],
      ["c", "18"],
    ]);
    expect(read("JobID|State|JobName\n1|COMPLETED|a|\n2|FAILED|\n").jobs.map(({ name }) => name)).toEqual([
      "a|",
      "",
    ]);
    const columns = ["JobID", "State", "JobName"];
    const bare = read("1|COMPLETED|a|\n2|FAILED|b\n3|FAILED|\n", { columns });
    expect(bare.jobs.map(({ name }) => name)).toEqual(["a", "b", ""]);
  });

  it("a job without nodes has none, though sacct prints what it asked for", () => {
    const { jobs } = read(
      "JobID|State|Start|NNodes|NCPUS|NodeList\n1|CANCELLED by 0|None|4|64|None assigned\n",
    );
    expect(jobs).toMatchObject([{ nodes: 0, cpus: 0, cancelledBy: "0" }]);
  });

  it("JSON says what Slurm wrote of its own failure", () => {
    const errors = [{ description: "Nothing found", error_number: 9003, error: "Nothing found with query" }];
    const { jobs, notes } = read(JSON.stringify({ meta: { Slurm: {} }, errors, jobs: [] }));
    expect(jobs).toEqual([]);
    expect(notes.complaints).toEqual(["Nothing found with query"]);
  });

  it("JSON of several releases", () => {
    const job = (state: unknown, number: (n: number) => unknown) => ({
      ...{ job_id: 7, cluster: "c", name: "n", nodes: "n[1-2]", allocation_nodes: 2, account: "acc" },
      association: { user: "alice" },
      array: { job_id: 5, task_id: number(3) },
      het: { job_id: 0, job_offset: number(0) },
      state: { current: state },
      time: { submission: 100, start: 110, end: 0, elapsed: 5, eligible: 100 },
      tres: {
        allocated: [
          { type: "cpu", name: null, count: 8 },
          { type: "energy", name: null, count: null },
          { type: "gres", name: "gpu", count: 2 },
        ],
      },
    });
    for (const entry of [
      job("RUNNING", (n) => n),
      job(["RUNNING"], (n) => ({ set: true, infinite: false, number: n })),
    ]) {
      const { jobs, notes } = read(JSON.stringify({ meta: { Slurm: {} }, jobs: [entry, 5] }));
      expect(jobs).toMatchObject([
        {
          key: "c/7/100",
          user: "alice",
          state: "RUNNING",
          arrayJobId: "5",
          arrayTaskId: "3",
          cpus: 8,
          nodes: 2,
          endUnix: undefined,
          hetJobId: undefined,
        },
      ]);
      expect([...(jobs[0]?.tres.keys() ?? [])].some((key) => key.startsWith("gres/gpu"))).toBe(true);
      expect(jobs[0]?.tres.has("energy")).toBe(false);
      expect(notes.broken).toBe(1);
    }
    expect(() => read('{"jobs": [')).toThrow(FormatError);
    expect(() => read('{"meta": {"Slurm": {}}, "jobs": 5}')).toThrow(/list of jobs/);
  });

  it("names of jobs in the completion file may hold keys", () => {
    const line = (name: string) =>
      `JobId=28 UserId=alice(5101) GroupId=g(5) Name=${name} JobState=COMPLETED Partition=batch TimeLimit=UNLIMITED StartTime=2026-11-15T06:26:56 EndTime=2026-11-15T06:26:57 NodeList=n1 NodeCnt=1 ProcCnt=1 WorkDir=/a b ReservationName= Tres=cpu=1,mem=2000M Account= QOS= WcKey= Cluster=unknown SubmitTime=2026-11-15T06:26:50 EligibleTime=2026-11-15T06:26:50 DerivedExitCode=0:0 ExitCode=3:0 `;
    for (const name of ["my job=1 x", "a JobState=FAILED b", "Partition=x", ""]) {
      const { jobs, notes } = read(`${line(name)}\n`, { cluster: "tiny" });
      expect(notes.broken).toBe(0);
      expect(jobs[0]).toMatchObject({
        name,
        state: "COMPLETED",
        uid: "5101",
        cluster: "tiny",
        workDir: "/a b",
        exitCode: "3:0",
        nodes: 1,
      });
    }
    expect(read(`${line("x")}\nJobId=29 UserId=a(1) Name=cut`).notes.brokenLines).toMatchObject([
      { line: 2 },
    ]);
  });

  it("is known by its first line, and refused with a reason", () => {
    expect(recognizeSlurm(bytes("JobIDRaw\u001fJobID\n"))).toBe("sacct");
    expect(recognizeSlurm(bytes("time,bytes\n1,2\n"))).toBeUndefined();
    expect(() => read("hello\nworld\n")).toThrow(FormatError);
    expect(() => read("JobID|State\n", { zone: "Nowhere" })).toThrow(UsageError);
    expect([...tresOf("cpu=4,gres/gpu:a100=2")]).toEqual([
      ["cpu", "4"],
      ["gres/gpu:a100", "2"],
    ]);
  });

  it("of any text is read without a failure", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 30 }), { maxLength: 12 }), (lines) => {
        const { notes, jobs } = read(`JobID|State|Start|End|JobName\n${lines.join("\n")}`);
        expect(jobs.length + notes.broken + notes.steps).toBe(notes.rows);
      }),
    );
  });
});
