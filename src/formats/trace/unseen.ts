/**
 * What the recorder noticed of the program and could not record. It leaves a line for each in a file of the trace: what, which program,
 * and of what, separated by tabs (native/recorder.c).
 */
import { formatBytes, formatCount, formatMany } from "../../base/units.ts";
import type { CallNote } from "../../model/index.ts";

/** Its name in the folder of a trace. */
export const UNSEEN_FILE = "unseen";
/** Facts of the run beside its traces, written when the program has ended. */
export const RUN_FILE = "run.json";

/** Notes about the trace; none where there is nothing to say. */
export function notesOfUnseen(text: string): CallNote[] {
  const lines = [...new Set(text.split("\n"))].filter((line) => line !== "").map((line) => line.split("\t"));
  return KINDS.flatMap(({ id, kinds, say }) => {
    const found = lines.filter(([kind = ""]) => kinds.includes(kind));
    const names = [...new Set(found.map(say.name))];
    const amount = found.reduce((sum, line) => sum + (Number.parseInt(detail(line), 10) || 0), 0);
    return names.length === 0 ? [] : [{ id, count: names.length, text: say.text(list(names), amount) }];
  });
}

/** How the names of trace files end. */
export const TRACE_SUFFIX = ".plt";

/** About files of a trace folder that are no traces: a process could not even get the space for a header. */
export function notesOfUnrecorded(processes: number): CallNote[] {
  if (processes === 0) return [];
  const text = `${formatMany(processes, "process", "processes")} not recorded: no space in the folder of the trace, or the trace file was truncated.`;
  return [{ id: "unrecorded-processes", count: processes, text }];
}

interface Kind {
  /** Of the note. */
  readonly id: string;
  /** Of lines. */
  readonly kinds: readonly string[];
  readonly say: {
    readonly name: (line: readonly string[]) => string;
    /** `amount` is the sum of all details that begin with a number. */
    readonly text: (names: string, amount: number) => string;
  };
}

const program = ([, name = ""]: readonly string[]) => name;
const detail = ([, , what = ""]: readonly string[]) => what;

/** Why the recorder cannot be loaded into a program, as the recorder says it and as people do. */
const REASONS: Readonly<Record<string, string>> = {
  static: "statically linked",
  go: "a Go program",
  machine: "for another architecture",
  "set-uid": "set-uid",
  "no-library": "the recorder's library cannot be read",
};

const KINDS: readonly Kind[] = [
  {
    id: "unseen-streams",
    kinds: ["stream"],
    say: {
      name: detail,
      text: (names) =>
        `Not recorded: fprintf, fgets, getc and similar calls on ${names}. --with strace counts their system calls.`,
    },
  },
  {
    id: "unseen-io-uring",
    kinds: ["io_uring"],
    say: {
      name: program,
      text: (names, requests) =>
        `Not recorded: ${requests > 0 ? `${formatCount(requests)} io_uring requests` : "io_uring requests"} in ${names}, submitted by system calls of the program or of a statically linked liburing. strace cannot record them either; to measure them, use another I/O engine.`,
    },
  },
  {
    id: "unseen-libaio",
    kinds: ["libaio"],
    say: {
      name: program,
      text: (names) =>
        `Not recorded: libaio reads and writes (io_submit) in ${names}. --with strace records them.`,
    },
  },
  {
    id: "unseen-lio-listio",
    kinds: ["lio_listio"],
    say: {
      name: program,
      text: (names) => `Not recorded: lio_listio reads and writes in ${names}. --with strace records them.`,
    },
  },
  {
    id: "unseen-bytes",
    kinds: ["bytes"],
    say: {
      name: amounts,
      text: (names) =>
        `Not recorded: ${names}, which the kernel counts beyond the recorded calls: programs without preload support, programs that were killed, or system calls that bypass the C library. --with strace records them.`,
    },
  },
  {
    id: "unseen-devices",
    kinds: ["devices"],
    say: {
      name: amounts,
      text: (names) =>
        `Devices moved more than the recorded calls (${names}): mapped files, io_uring, or read-ahead.`,
    },
  },
  {
    id: "unseen-programs",
    kinds: Object.keys(REASONS),
    say: {
      name: ([kind = "", , path = ""]) => `${path} (${REASONS[kind]})`,
      text: (names) =>
        `Not recorded: programs without preload support: ${names}. --with strace records them (set-uid programs only as root).`,
    },
  },
  {
    id: "unseen-root",
    kinds: ["root"],
    say: {
      name: ([, name = "", root = ""]) => `${name} (to ${root})`,
      text: (names) =>
        `Not recorded: programs started after a chroot by ${names}. --with strace records them.`,
    },
  },
  {
    id: "unseen-user",
    kinds: ["user"],
    say: {
      name: program,
      text: (names) =>
        `Not recorded: programs started after a change of user by ${names}; the new user cannot write the trace folder or read the recorder. Put both in a place that the user can access (-o, XDG_CACHE_HOME).`,
    },
  },
];

/** `READ WRITTEN` as text; nothing for what is 0. */
function amounts(line: readonly string[]): string {
  const [read = 0, written = 0] = detail(line).split(" ").map(Number);
  const parts = [
    ...(written > 0 ? [`${formatBytes(written)} written`] : []),
    ...(read > 0 ? [`${formatBytes(read)} read`] : []),
  ];
  return parts.join(" and ");
}

const NAMES_MAX = 3;

function list(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_MAX).join(", ");
  return names.length > NAMES_MAX ? `${shown} and ${names.length - NAMES_MAX} more` : shown;
}
