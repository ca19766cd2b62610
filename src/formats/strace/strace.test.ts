import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import { CALL_DIRECT, CALL_ERROR, CALL_NONFILE } from "../../model/calls.ts";
import { type Collected, collectAccesses, WRITE_FLAG } from "../test-kit.ts";
import { CALLS, findCall } from "./calls.ts";
import { isNonfile } from "./files.ts";
import { strace } from "./format.ts";

const fixture = (name: string) =>
  readFileSync(new URL(`../../../test/fixtures/accesses/${name}`, import.meta.url));
const read = (text: string | Uint8Array, name?: string) =>
  collectAccesses(strace, text, name === undefined ? {} : { name });
const notesOf = ({ notes }: Collected) => Object.fromEntries(notes.map(({ id, count }) => [id, count]));
const NONE = Number.NaN;
const DATA = "/tmp/accesses/a) = 5 <x>.dat";
const COPY = "/tmp/accesses/copy.dat";
const PIPE = "a pipe";

/** What test/fixtures/accesses/sample.c does, counted by hand: bytes asked for, moved, offset, path, flags. */
const SAMPLE: readonly (readonly [number, number, number, string, number])[] = [
  [21, 21, 0, DATA, WRITE_FLAG],
  [4096, 4096, 4096, DATA, WRITE_FLAG],
  [30, 30, 0, DATA, 0],
  [440, 440, 21, DATA, WRITE_FLAG],
  [1000, 0, 2 ** 33, DATA, 0],
  [10, 0, NONE, "", CALL_ERROR],
  [2, 2, NONE, "/dev/null", WRITE_FLAG | CALL_NONFILE],
  [50, 50, 0, DATA, 0],
  [50, 50, 0, COPY, WRITE_FLAG],
  [64, 64, 0, DATA, 0],
  [64, 64, 8192, COPY, WRITE_FLAG],
  [5, 5, NONE, PIPE, WRITE_FLAG | CALL_NONFILE],
  [5, 5, NONE, PIPE, CALL_NONFILE],
  [3, 3, 50, COPY, WRITE_FLAG],
  [5, 5, 53, COPY, WRITE_FLAG],
  [3, 3, NONE, PIPE, WRITE_FLAG | CALL_NONFILE],
  [3, 3, NONE, PIPE, CALL_NONFILE],
  [4096, 4096, 0, COPY, CALL_DIRECT],
];

function ofSample({ accesses }: Collected, folder: string) {
  return accesses
    .filter(({ path }) => !path.includes("/lib"))
    .map(({ bytes, moved, offset, path, flags }) => [
      bytes,
      moved,
      offset,
      /^pipe/.test(path) ? PIPE : path === "" || path.startsWith("/") ? path : `${folder}/${path}`,
      flags,
    ]);
}

/** Calls of processes that run side by side are printed in any order. */
const sorted = (rows: readonly (readonly unknown[])[]) => rows.map(String).sort();

describe("strace of a program that does everything", () => {
  it.each(["named.strace", "numbered.strace", "terminal.strace", "nanoseconds.strace"])(
    "shows its accesses in %s",
    (name) => {
      const found = read(fixture(name), name);
      expect(sorted(ofSample(found, "/tmp/accesses"))).toEqual(sorted(SAMPLE));
      expect(notesOf(found)).toEqual({
        "inflated-times": found.accesses.length,
        restarted: 1,
        elided: 1,
        "unnamed-files": 1,
        truncated: 1,
      });
    },
  );

  it("shows those of one process in a file of its own", () => {
    const found = read(fixture("separate.24907"), "separate.24907");
    expect(new Set(found.processes.map(({ pid }) => pid))).toEqual(new Set([24907]));
    const own = SAMPLE.filter((_, index) => ![12, 14, 15].includes(index));
    expect(ofSample(found, "/tmp/accesses")).toEqual(own);
  });

  it("has times: the start of the call and how long it took", () => {
    const { clock, accesses } = read(fixture("named.strace"));
    expect(clock).toEqual({ kind: "realtime", epochNs: 1_794_750_323_000_000_000n });
    const resumed = accesses.find(({ bytes, flags }) => bytes === 5 && flags === CALL_NONFILE);
    expect(resumed).toMatchObject({ start: 80_054_000, end: 80_054_000 + 49_999_000, pid: 24880 });
    // Interrupted after 50 ms, started again, and done 100 ms later.
    const restarted = accesses.find(({ bytes, flags }) => bytes === 3 && flags === CALL_NONFILE);
    expect(restarted).toMatchObject({ start: 131_174_000, end: 181_359_000 + 100_129_000, pid: 24879 });
  });

  it("has programs and processes, also where lines name them only at times", () => {
    expect(read(fixture("named.strace")).processes.map(({ pid, program }) => [pid, program])).toEqual(
      [24879, 24880, 24881, 24882].map((pid) => [pid, "./sample"]),
    );
    const pids = read(fixture("terminal.strace")).accesses.map(({ pid }) => pid);
    expect(new Set(pids)).toEqual(new Set([0, 24900, 24901, 24902]));
  });
});

describe("asynchronous requests", () => {
  it("last from their submission to the event that tells of them", () => {
    const found = read(fixture("libaio.strace"));
    const text = fixture("libaio.strace").toString();
    const submits = [...text.matchAll(/(\d+\.\d+) io_submit\(.*aio_nbytes=(\d+)/g)];
    const events = [...text.matchAll(/(\d+\.\d+) io_getevents\(.* = (\d+) <([\d.]+)>/g)];
    expect(found.accesses.length).toBe(16);
    expect(
      found.accesses.every(({ bytes, moved, flags }) => bytes === moved && (flags & CALL_DIRECT) !== 0),
    ).toBe(true);
    // The sum of times does not depend on how requests and events are paired.
    const epoch = Number(found.clock?.epochNs ?? 0n) / 1e9;
    const starts = submits.reduce((sum, [, at]) => sum + Number(at) - epoch, 0);
    const ends = events.reduce(
      (sum, [, at, count, took]) => sum + Number(count) * (Number(at) - epoch + Number(took)),
      0,
    );
    const total = found.accesses.reduce((sum, { start, end }) => sum + end - start, 0) / 1e9;
    expect(total).toBeCloseTo(ends - starts, 6);
    expect(notesOf(found)).toMatchObject({ asynchronous: 16 });
  });

  it("may fail, be several at once, or never come back", () => {
    const found = read(
      [
        '7 1712345678.000000 io_submit(0x7f00, 3, [{aio_data=0, aio_lio_opcode=IOCB_CMD_PREADV, aio_fildes=3</d/a>, aio_buf=[{iov_base=0x1, iov_len=7}, {iov_base=0x2, iov_len=9}], aio_offset=5}, {aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=4, aio_buf="},{", aio_nbytes=4096, aio_offset=0}, {aio_lio_opcode=IOCB_CMD_FSYNC, aio_fildes=4}]) = 3 <0.000001>',
        "7 1712345678.000100 io_getevents(0x7f00, 1, 8, [{data=0, obj=0x1, res=-5, res2=0}, {data=0, obj=0x2, res=4096, res2=0}, {data=0, obj=0x3, res=0, res2=0}], NULL) = 3 <0.000050>",
        "7 1712345678.000200 io_submit(0x7f00, 1, [{aio_lio_opcode=IOCB_CMD_PREAD, aio_fildes=3</d/a>, aio_nbytes=1, aio_offset=0}]) = 1 <0.000001>",
        "7 1712345678.000300 +++ exited with 0 +++",
        "",
      ].join("\n"),
    );
    expect(
      found.accesses.map(({ bytes, moved, offset, flags, end }) => [bytes, moved, offset, flags, end]),
    ).toEqual([
      [16, 0, 5, CALL_ERROR, 150_000],
      [4096, 4096, 0, WRITE_FLAG, 150_000],
    ]);
    expect(notesOf(found)).toMatchObject({ unfinished: 1, asynchronous: 4 });
  });
});

const AT = "1712345678.000000";
const line = (call: string) => `10 ${AT} ${call} <0.000010>\n`;

describe("single calls", () => {
  it.each([
    ["a string that looks like a result", 'write(1</f>, "a\\") = 5 <0.1>", 9) = 9', { bytes: 9, moved: 9 }],
    ["a string that was cut", 'read(3</f>, "abc"..., 100000) = 99', { bytes: 100000, moved: 99 }],
    [
      "an error",
      "read(3</f>, 0x7ffd, 5) = -1 EIO (Input/output error)",
      { bytes: 5, moved: 0, flags: CALL_ERROR },
    ],
    [
      "more than four gigabytes",
      'pwrite64(3</f>, "x"..., 9007199254740991, 4294967296) = 4294967296',
      { bytes: 2 ** 53 - 1, offset: 2 ** 32 },
    ],
    ["a deleted file", 'read(3</f (deleted)>, "", 1) = 0', { path: "/f (deleted)" }],
    ["a deleted file of a newer strace", 'read(3</f>(deleted), "", 1) = 0', { path: "/f", bytes: 1 }],
    ["a name with escapes", 'read(3</\\303\\244\\x41\\n\\"\\\\>, "", 1) = 0', { path: '/äA\n"\\' }],
    [
      "a socket with arrows",
      'write(3<TCP:[127.0.0.1:80->127.0.0.1:9]>, "x", 1) = 1',
      { flags: WRITE_FLAG | CALL_NONFILE, bytes: 1 },
    ],
    [
      "a unix socket with a name",
      'read(3<UNIX-STREAM:[1->2,"/run/>x"]>, "x", 1) = 1',
      { flags: CALL_NONFILE, bytes: 1 },
    ],
    [
      "a vector",
      'pwritev2(3</f>, [{iov_base="]}, {iov_len=7", iov_len=3}, {iov_base=NULL, iov_len=0}], 2, 64, RWF_HIPRI) = 3',
      { bytes: 3, offset: 64 },
    ],
    [
      "a vector that cannot be read",
      "readv(3</f>, 0xdead, 2) = -1 EFAULT (Bad address)",
      { bytes: NONE, flags: CALL_ERROR },
    ],
    [
      "a long vector that failed",
      "readv(3</f>, [{iov_base=0x1, iov_len=8}, ...], 99) = -1 EIO (x)",
      { bytes: 8 },
    ],
    [
      "a long vector that did not",
      "readv(3</f>, [{iov_base=0x1, iov_len=8}, ...], 99) = 700",
      { bytes: 700, moved: 700 },
    ],
    ["an alignment", "read(3</f>, NULL, 0)             = 0", { bytes: 0, moved: 0 }],
  ])("are read with %s", (_, call, expected) => {
    const { accesses } = read(line(call));
    expect(accesses[0]).toMatchObject({ pid: 10, start: 0, end: 10_000, ...expected });
    expect(accesses.length).toBe(1);
  });

  it("that are known are found by name, others not", () => {
    for (const call of CALLS) {
      const bytes = new TextEncoder().encode(`(${call.name})`);
      expect(findCall(bytes, 1, bytes.length - 1)).toBe(call);
    }
    expect(findCall(new TextEncoder().encode("reads"), 0, 5)).toBeUndefined();
  });

  it("on terminals, pipes and sockets are not on files", () => {
    for (const path of ["/dev/pts/1", "/dev/null", "pipe:[1]", "socket:[1]", "anon_inode:[eventfd]", "pipe"])
      expect(isNonfile(path), path).toBe(true);
    for (const path of [
      "/a",
      "b/c",
      "",
      "/dev/shm/x",
      "/dev/sda1",
      "/dev/nvme0n1",
      "/dev/mapper/v-l",
      "/devices",
    ])
      expect(isNonfile(path), path).toBe(false);
  });
});

describe("descriptors without names", () => {
  const calls = (...list: string[]) =>
    read(list.map((call) => (/^\d/.test(call) ? `${call} <0.000001>\n` : line(call))).join(""));

  it("are followed through open, dup, close, fork and exec", () => {
    const found = calls(
      'openat(AT_FDCWD, "/d/a", O_RDONLY|O_CLOEXEC) = 3',
      'open("/d/b", O_RDWR|O_DIRECT) = 4',
      "dup2(3, 5) = 5",
      "fcntl(4, F_DUPFD_CLOEXEC, 10) = 10",
      "fcntl(4, F_GETFL) = 2",
      "clone(child_stack=NULL, flags=SIGCHLD) = 11",
      `11 ${AT} close(4) = 0`,
      `11 ${AT} read(4, "", 1) = 0`,
      'read(4, "", 2) = 0',
      'read(10, "", 3) = 0',
      'execve("/bin/x", ["x"], 0x1 /* 2 vars */) = 0',
      'read(3, "", 4) = 0',
      'read(5, "", 5) = 0',
      "pipe2([6, 7], O_CLOEXEC) = 0",
      'write(7, "x", 6) = 1',
      "socket(AF_INET, SOCK_STREAM, 0) = 8",
      'read(8, "x", 7) = 1',
    );
    expect(found.accesses.map(({ bytes, path, flags }) => [bytes, path, flags])).toEqual([
      [1, "", 0],
      [2, "/d/b", CALL_DIRECT],
      [3, "/d/b", CALL_DIRECT],
      [4, "", 0],
      [5, "/d/a", 0],
      [6, "pipe", WRITE_FLAG | CALL_NONFILE],
      [7, "socket", CALL_NONFILE],
    ]);
    expect(notesOf(found)).toMatchObject({ "unnamed-files": 2 });
  });

  const offsets = (...list: string[]) => calls(...list).accesses.map(({ offset }) => offset);

  it("have positions, which reads, writes and seeks move", () => {
    expect(
      offsets(
        'open("/d/a", O_RDWR) = 3',
        'read(3, "", 100) = 60',
        'readv(3, [{iov_base="", iov_len=8}], 1) = 8',
        'pread64(3, "", 5, 4096) = 5',
        'read(3, "", 1) = -1 EIO (x)',
        'write(3, "", 7) = 7',
        "lseek(3, -10, SEEK_END) = 990",
        "lseek(3, -1, SEEK_SET) = -1 EINVAL (x)",
        'read(3, "", 9) = 9',
        'pwritev2(3, [{iov_base="", iov_len=2}], 1, -1, 0) = 2',
        'open("/d/b", O_WRONLY) = 4',
        "sendfile(4, 3, NULL, 50) = 20",
        "copy_file_range(3, [5], 4, NULL, 4, 0) = 4",
        'write(4, "", 1) = 1',
      ),
    ).toEqual([0, 60, 4096, 68, 68, 990, 999, 1001, 0, 5, 20, 24]);
  });

  it("move on together after a dup or a fork, and apart after another open", () => {
    expect(
      offsets(
        'open("/d/a", O_RDONLY) = 3',
        "dup(3) = 4",
        'read(4, "", 10) = 10',
        "clone(child_stack=NULL, flags=SIGCHLD) = 11",
        `11 ${AT} read(3, "", 10) = 10`,
        'read(3, "", 10) = 10',
        'open("/d/a", O_RDONLY) = 5',
        'read(5, "", 10) = 10',
      ),
    ).toEqual([0, 10, 20, 0]);
  });

  it("have no position where the trace does not tell it", () => {
    const told = offsets(
      'read(0, "", 10) = 10',
      'open("/d/log", O_WRONLY|O_APPEND) = 3',
      'write(3, "", 10) = 10',
      'open("/d/a", O_RDONLY) = 4',
      "_llseek(4, 0, 100, [100], SEEK_SET) = 0",
      'read(4, "", 10) = 10',
      'open("/d/b", O_RDONLY) = 5',
      'read(5</d/other>, "", 10) = 10',
      'open("/d/c", O_WRONLY) = 6',
      "fcntl(6, F_SETFL, O_WRONLY|O_APPEND) = 0",
      'write(6, "", 10) = 10',
      // A copy of descriptor 8 was made by a call that was not traced.
      'open("/d/e", O_RDONLY) = 8</d/e>',
      'read(9</d/e>, "", 10) = 10',
      'read(8</d/e>, "", 10) = 10',
      // The child ran before its clone came back, and nobody knows what it moved.
      'open("/d/d", O_RDONLY) = 7',
      `11 ${AT} read(7, "", 10) = 10`,
      "fork() = 11",
      'read(7, "", 10) = 10',
    );
    expect(told).toEqual(told.map(() => NONE));
    expect(told.length).toBe(9);
  });

  it("stay where they are while a signal interrupts a call", () => {
    expect(
      offsets(
        'open("/d/a", O_RDONLY) = 3',
        "read(3, 0x1, 5) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)",
        'read(3, "", 5) = 5',
        'read(3, "", 5) = 5',
      ),
    ).toEqual([0, 5]);
  });

  it("are shared by threads, also when a thread runs before its clone returns", () => {
    const found = calls(
      `11 ${AT} openat(AT_FDCWD, "/d/a", O_RDONLY) = 3`,
      "clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, stack=0x1} => {parent_tid=[11]}, 88) = 11",
      'read(3, "", 1) = 0',
      "close(3) = 0",
      `11 ${AT} read(3, "", 2) = 0`,
    );
    expect(found.accesses.map(({ path }) => path)).toEqual(["/d/a", ""]);
  });
});

describe("what is no whole access", () => {
  it("is counted and explained", () => {
    const found = read(
      [
        `10 ${AT} read(3</a>, "x", 1) = 1 <0.000001>`,
        `10 ${AT} read(3</a>, "x", 1) = 1`,
        `10 ${AT} read(3</a>,  <unfinished ...>`,
        `11 ${AT} <... read resumed>"x", 1) = 1 <0.1>`,
        `12 ${AT} read(3</a>,  <unfinished ...>) = ?`,
        `12 ${AT} +++ killed by SIGKILL +++`,
        `13 ${AT} read(3</a>,  <unfinished ...>`,
        `13 ${AT} +++ exited with 0 +++`,
        `10 ${AT} io_uring_enter(3, 1, 0, 0, NULL, 8) = 1 <0.1>`,
        "some text of the program",
        `10 ${AT} --- SIGINT {si_signo=SIGINT} ---`,
        `10 ${AT} write(3</a>, "abc`,
      ].join("\n"),
    );
    expect(found.accesses.length).toBe(1);
    expect(notesOf(found)).toEqual({
      "inflated-times": 1,
      untimed: 1,
      unfinished: 4,
      "unseen-requests": 1,
      "bad-line": 1,
      truncated: 1,
    });
    expect(found.notes.find(({ id }) => id === "bad-line")?.text).toContain(
      "line 10: some text of the program",
    );
  });

  it("is a failure, when the program was told of an interruption and did something else", () => {
    const found = read(
      line("read(3<pipe:[1]>, 0x1, 5) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)") +
        line('read(3<pipe:[1]>, "abc", 3) = 3') +
        line("read(3<pipe:[1]>, 0x1, 8) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)"),
    );
    expect(found.accesses.map(({ bytes, moved, flags }) => [bytes, moved, flags])).toEqual([
      [5, 0, CALL_NONFILE | CALL_ERROR],
      [3, 3, CALL_NONFILE],
      [8, 0, CALL_NONFILE | CALL_ERROR],
    ]);
  });

  it.each([
    [
      "times of day",
      '12:34:56.123456 read(3, "", 1) = 0 <0.1>\n',
      /line 1: times of day .* strace -f -ttt -T -y/,
    ],
    ["relative times", '     0.000012 read(3, "", 1) = 0 <0.1>\n', /line 1: relative times \(strace -r\)/],
    ["no times", 'read(3, "", 1) = 0\n', /line 1: calls without times/],
    ["no durations", `${AT} read(3, "", 1) = 0\n`, /no call has a duration/],
    ["other text", "hello\n", /line 1: expected a line of strace/],
    ["nothing", "", FormatError],
  ])("is refused with %s", (_, text, message) => {
    expect(() => read(text)).toThrow(FormatError);
    expect(() => read(text)).toThrow(message);
  });
});

/** One regular expression per line, for lines without calls in two parts. */
function slowly(text: string) {
  const LINE =
    /^(?<pid>\d+) +(?<s>\d+)\.(?<us>\d{6}) (?<name>read|write|pread64|pwrite64)\(\d+<(?<path>[^>]*)>, "(?:[^"\\]|\\.)*"(?:\.\.\.)?, (?<size>\d+)(?:, (?<offset>\d+))?\) += (?<result>-?\d+)(?: E\w+ \([^)]*\))? <(?<took>\d+\.\d{6})>$/;
  return text.split("\n").flatMap((each) => {
    const fields = LINE.exec(each)?.groups;
    if (fields === undefined) return [];
    const start = (Number(fields.s) - 1712345678) * 1e9 + Number(fields.us) * 1000;
    return {
      pid: Number(fields.pid),
      start,
      end: start + Math.round(Number(fields.took) * 1e6) * 1000,
      bytes: Number(fields.size),
      moved: Math.max(0, Number(fields.result)),
      offset: Number(fields.offset ?? Number.NaN),
      path: fields.path,
      layer: "POSIX",
      flags: (fields.name?.includes("write") ? WRITE_FLAG : 0) | (Number(fields.result) < 0 ? CALL_ERROR : 0),
    };
  });
}

describe("any trace", () => {
  const micros = fc.nat(999_999).map((us) => String(us).padStart(6, "0"));
  const content = fc.array(
    fc.constantFrom(
      "a",
      ")",
      " = 5",
      "<0.1>",
      "\\n",
      '\\"',
      "\\\\",
      "(",
      ",",
      "{",
      "[",
      "<unfinished ...>",
      "\\0",
      ">",
    ),
    { maxLength: 6 },
  );
  const io = fc
    .record({
      pid: fc.constantFrom(7, 12345, 4194304),
      us: micros,
      name: fc.constantFrom("read", "write", "pread64", "pwrite64"),
      path: fc.constantFrom("/a", "/b c", "/d)e = 4"),
      text: content,
      cut: fc.constantFrom("", "..."),
      size: fc.nat(1 << 30),
      result: fc.constantFrom("0", "17", "-1 EIO (Input/output error)"),
      took: micros,
    })
    .map(({ pid, us, name, path, text, cut, size, result, took }) => {
      const offset = name.startsWith("p") ? ", 4096" : "";
      const args = `3<${path}>, "${text.join("")}"${cut}, ${size}${offset}`;
      return `${pid} 1712345678.${us} ${name}(${args}) = ${result} <0.${took}>`;
    });
  const other = fc.constantFrom(
    '7 1712345678.000001 stat("/a", {st_mode=S_IFREG}) = 0 <0.000001>',
    "7 1712345678.000001 --- SIGCHLD {si_signo=SIGCHLD} ---",
    "7 1712345678.000001 brk(NULL) = 0x1 <0.000001>",
  );

  it("gives what a regular expression finds in it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 4, arbitrary: io }, other), { minLength: 1, maxLength: 20 }),
        (lines) => {
          const text = `7 1712345678.000001 brk(NULL) = 0x1 <0.000001>\n${lines.join("\n")}\n`;
          expect(read(text).accesses).toEqual(slowly(text));
          expect(notesOf(read(text))["bad-line"]).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });

  it("that was cut anywhere gives the accesses before the cut", () => {
    const bytes = fixture("terminal.strace");
    const whole = read(bytes).accesses;
    let most = 0;
    for (let length = 0; length <= bytes.length; length++) {
      try {
        const { accesses } = read(bytes.subarray(0, length));
        // An interrupted call is only a failure when the trace ends before it is started again.
        const certain = accesses.filter(
          ({ flags, bytes: size }) => (flags & CALL_ERROR) === 0 || size === 10,
        );
        if (certain.length > most) expect(whole.slice(0, certain.length)).toEqual(certain);
        expect(certain.length).toBeGreaterThanOrEqual(most);
        most = Math.max(most, certain.length);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
      }
    }
    expect(most).toBe(whole.length);
  });

  it("with bytes changed, removed or doubled is read or refused", () => {
    const seeds = ["named.strace", "terminal.strace", "libaio.strace"].map(fixture);
    fc.assert(
      fc.property(
        fc.nat(2),
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255), fc.nat(2)), {
          minLength: 1,
          maxLength: 8,
        }),
        (which, changes) => {
          let bytes = Array.from(seeds[which] as Buffer);
          for (const [place, byte, kind] of changes) {
            const at = Math.floor(place * (bytes.length - 1));
            if (kind === 0) bytes[at] = byte;
            else if (kind === 1) bytes.splice(at, byte % 40);
            else bytes = [...bytes.slice(0, at), ...bytes.slice(Math.max(0, at - byte))];
          }
          try {
            for (const { start, end } of read(Uint8Array.from(bytes)).accesses) {
              expect(Number.isNaN(start + end)).toBe(false);
            }
          } catch (error) {
            if (!(error instanceof FormatError)) throw error;
          }
        },
      ),
      { numRuns: 600 },
    );
  });

  it("does not depend on where windows end", () => {
    const bytes = fixture("terminal.strace");
    // A source that gives little at a time, but always all of a line in the end.
    const repeated = Buffer.concat(
      Array.from({ length: 400 }, () => bytes.subarray(0, bytes.lastIndexOf(10) + 1)),
    );
    const source: ByteSource = {
      name: "long",
      byteLength: repeated.length,
      read: (offset, length) => Uint8Array.from(repeated.subarray(offset, offset + length)),
    };
    expect(repeated.length).toBeGreaterThan(2 << 20);
    const once = read(bytes.subarray(0, bytes.lastIndexOf(10) + 1)).accesses.length;
    expect(collectAccesses(strace, source).accesses.length).toBe(400 * once);
  });
});

const straceWorks =
  spawnSync("strace", ["-o", "/dev/null", "true"], { stdio: "ignore" }).status === 0 &&
  spawnSync("cc", ["--version"], { stdio: "ignore" }).status === 0;

it.runIf(straceWorks)("strace on this machine shows what the sample does", () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-strace-"));
  try {
    const source = new URL("../../../test/fixtures/accesses/sample.c", import.meta.url).pathname;
    execFileSync("cc", ["-O1", "-o", join(folder, "sample"), source, "-lpthread"]);
    // In a session of its own: the sample kills its process group, and strace with it.
    spawnSync("setsid", ["-w", "strace", "-f", "-ttt", "-T", "-y", "-o", "trace", "./sample"], {
      cwd: folder,
    });
    const found = read(readFileSync(join(folder, "trace")));
    const expected = SAMPLE.map(([bytes, moved, offset, path, flags]) => [
      bytes,
      moved,
      offset,
      path.replace("/tmp/accesses", folder),
      flags,
    ]);
    expect(sorted(ofSample(found, folder))).toEqual(sorted(expected));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("resolves relative names below the directory that -y prints", () => {
  const line = (call: string) => `10 ${AT} ${call} <0.000010>`;
  const { files } = read(
    [
      line('openat(AT_FDCWD</w>, "./m/../m/f1", O_WRONLY|O_CREAT) = 3</w/m/f1>'),
      line('write(3</w/m/f1>, "a", 1) = 1'),
      line('openat(AT_FDCWD</w>, "m", O_RDONLY|O_DIRECTORY) = 5</w/m>'),
      line('newfstatat(5</w/m>, "f1", {}, 0) = 0'),
      line('unlinkat(5</w/m>, "f1", 0) = 0'),
      line('unlinkat(5</w/m>, "/w/m/f1", 0) = -1 ENOENT (No such file or directory)'),
    ].join("\n"),
  );
  expect(files.map(({ path }) => path).sort()).toEqual(["/w/m", "/w/m/f1"]);
});

it("names the program of a process anew after exec", () => {
  const { processes } = read(
    [
      `10 ${AT} execve("/bin/sh", ["sh"], 0x1 /* 3 vars */) = 0 <0.000010>`,
      `10 ${AT} read(3</a>, "a", 1) = 1 <0.000010>`,
      `10 ${AT} execve("/bin/app", ["app"], 0x1 /* 3 vars */) = 0 <0.000010>`,
      `10 ${AT} read(3</a>, "a", 1) = 1 <0.000010>`,
    ].join("\n"),
  );
  expect(processes.map(({ program }) => program)).toEqual(["/bin/sh", "/bin/app"]);
});

it("says that a last line is cut, and does not ask for names where it has them", () => {
  const found = read(
    [
      `10 ${AT} write(3</a>, "a", 1) = 1 <0.000010>`,
      `10 ${AT} read(0, NULL, 0) = -1 EBADF (Bad file descriptor) <0.000010>`,
      "10 17123",
    ].join("\n"),
  );
  const text = (id: string) => found.notes.find((note) => note.id === id)?.text;
  expect(text("bad-line")).toBeUndefined();
  expect(text("truncated")).toBe("line 3, the last, is incomplete and was skipped: 10 17123");
  expect(text("unnamed-files")).not.toContain("use strace -y");
});
