/** Commands: layouts on Lustre, places of files, and what to set so that the next log says more. */
import { formatCount } from "../../../base/units.ts";
import { entry } from "./entry.ts";
import { type Directed, whole } from "./words.ts";

type Layout = Directed & {
  /** A file of those that the finding is about. */
  readonly path: string;
  readonly stripes: number;
  /** As `lfs` takes it: 4M. */
  readonly stripeSize: string;
};

/** Stripes of new files and of one that exists. */
const setStripe = entry<Layout>("set-stripe", {
  plain: {
    shell: ({ path, stripes, stripeSize, way }, paths) => {
      const layout = `-c ${whole(stripes)} -S ${stripeSize}`;
      const existing = `# a file that exists (Lustre 2.4 and newer; nothing may write to it meanwhile)
lfs migrate ${layout} ${paths.file(path)}`;
      return way === "read"
        ? existing
        : `# new files in this directory\nlfs setstripe ${layout} ${paths.folder(path)}\n${existing}`;
    },
  },
});

type Place = {
  readonly path: string;
};

const oneStripe = entry<Place>("one-stripe", {
  plain: {
    shell: ({ path }, paths) => `lfs setstripe -c 1 ${paths.folder(path)}
# or, from Lustre 2.10 on: one stripe up to 64 MiB, four up to 1 GiB, all beyond
lfs setstripe -E 64M -c 1 -E 1G -c 4 -E -1 -c -1 ${paths.folder(path)}`,
  },
});

/** Targets chosen by Lustre again. */
const anyOst = entry<Place & Directed>("any-ost", {
  plain: {
    shell: ({ path, way }, paths) =>
      way === "read"
        ? `# one of the files to targets that Lustre chooses (Lustre 2.4 and newer); the others likewise
lfs migrate -c 1 -i -1 ${paths.file(path)}`
        : `lfs getstripe -d ${paths.folder(path)} # stripe_offset should be -1
lfs setstripe -d ${paths.folder(path)}
lfs setstripe -c 1 -i -1 ${paths.folder(path)}`,
  },
});

const moreStripes = entry<Place & Directed & { readonly stripes: number }>("more-stripes", {
  plain: {
    shell: ({ path, stripes, way }, paths) =>
      way === "read"
        ? `# one of the files over this many OSTs (Lustre 2.4 and newer); the larger ones first
lfs migrate -c ${whole(stripes)} -i -1 ${paths.file(path)}`
        : `# new files in this directory: over this many OSTs, chosen by Lustre
lfs setstripe -c ${whole(stripes)} -i -1 ${paths.folder(path)}`,
  },
});

type SlowTarget = Place & {
  readonly ost: number;
  readonly stripes: number;
  readonly fastOst: number;
};

/** Away from a slow target. */
const leaveOst = entry<SlowTarget>("leave-ost", {
  plain: {
    shell: ({ path, ost, stripes, fastOst }, paths) => `# how full is OST ${whole(ost)}, is it inactive?
lfs df ${paths.folder(path)}
# what lies on it
lfs find ${paths.folder(path)} --ost ${whole(ost)} -type f
# one of them to another target (Lustre 2.4 and newer); spread the others over more of them
lfs migrate -c ${Math.max(1, whole(stripes))} -i ${whole(fastOst)} ${paths.file(path)}`,
  },
});

const lookAtOst = entry<Place & { readonly ost: number }>("look-at-ost", {
  plain: {
    shell: ({ path, ost }, paths) => `lfs getstripe ${paths.file(path)}
# is OST ${whole(ost)} full, or inactive?
lfs df ${paths.folder(path)}`,
  },
});

type Move = Place & {
  /** Inputs are copied before the job, results after it; a job that only writes elsewhere needs no copy. */
  readonly copy: "before" | "after" | "none";
};

/** Work in the parallel file system. `:?` ends the command where a site has no such variable. */
const toScratch = entry<Move>("to-scratch", {
  plain: {
    shell: ({ path, copy }, paths) => {
      if (copy === "none") return `# run where the results should lie\ncd "\${SCRATCH:?}" || exit`;
      return copy === "before"
        ? `# inputs first; this one, and others like it\ncp ${paths.file(path)} "\${SCRATCH:?}"/ && cd "\${SCRATCH:?}" || exit`
        : `# at the end of the job script, on the node: this result, and others like it\ncp ${paths.file(path)} "\${SCRATCH:?}"/`;
    },
  },
});

/** An image instead of many files. */
const oneImage = entry<Place & { readonly files: number }>("one-image", {
  plain: {
    shell: (
      { path, files },
      paths,
    ) => `# one image instead of ${formatCount(whole(files))} files, mounted read-only without root
mksquashfs ${paths.folder(path)} data.squashfs
mkdir -p /tmp/data && squashfuse data.squashfs /tmp/data`,
    torch: () => `import h5py
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    """Samples of one HDF5 file instead of a file for each; opened once by each worker."""

    def __init__(self, path):
        self.path, self.file = path, None
        with h5py.File(path, "r") as file:
            self.count = len(file["samples"])

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        return self.file["samples"][index]


loader = DataLoader(Samples(path), batch_size=batch, num_workers=2, persistent_workers=True)`,
  },
});

/** The program's modules and libraries as one file; `path` lies in the environment. */
const environmentImage = entry<Place & { readonly files: number }>("environment-image", {
  plain: {
    shell: (
      { path, files },
      paths,
    ) => `# once: the environment as one image instead of ${formatCount(whole(files))} files
mksquashfs ${paths.folder(path)} environment.squashfs
# in the job, on each node: mounted read-only without root, in a folder of this job
image="\${TMPDIR:-/tmp}/environment.\${USER:-job}.\${SLURM_JOB_ID:-$$}"
mkdir -p "$image" && squashfuse environment.squashfs "$image"
export PATH="$image/bin:$PATH"`,
  },
});

/** Ours: files in /dev/shm take memory from the job, so only what every node has to spare goes there. */
export const fitsMemory = (bytes: number) => bytes <= 2 ** 30;

// A word of the shell.
const OWN_DISK = "$" + "{TMPDIR:-/tmp}";

/** Temporary files in memory of the node. */
const nodeTmp = entry<{ readonly bytes: number }>("node-tmp", {
  plain: {
    shell: ({ bytes }) => `# where the program takes the place of its temporary files from a variable
export TMPDIR="${fitsMemory(bytes) ? "/dev/shm" : OWN_DISK}/\${USER:-job}.\${SLURM_JOB_ID:-$$}"
mkdir -p "$TMPDIR"`,
  },
});

/** Single calls in the next log. */
const traceCalls = entry("trace-calls", {
  plain: {
    shell: () => `export DARSHAN_MOD_ENABLE=DXT_POSIX,DXT_MPIIO # Darshan 3.4 and newer
export DXT_ENABLE_IO_TRACE=1 # Darshan 3.1.3 to 3.3`,
  },
});

type Room = {
  /** Modules that had no room, as the log names them. */
  readonly modules: readonly string[];
};

/** Names of modules are words of capitals; whatever else a damaged log says stays out of the file. */
const recordModules = ({ modules }: Room) => modules.filter((name) => /^(?!DXT)[A-Z0-9_-]+$/.test(name));

/** A file of its own makes the recorder forget the one before, and traces are off by default. */
const tracesOn = ({ modules }: Room) => {
  const traces = ["DXT_POSIX", "DXT_MPIIO"].filter((name) => modules.includes(name));
  return traces.length === 0 ? "" : `MOD_ENABLE ${traces.join(",")}\n`;
};

/** More memory for the recorder, beside what it is told already. Pasted twice or anywhere, it overwrites no file. */
const moreRecords = entry<Room>("more-records", {
  plain: {
    shell: (params) => {
      const modules = recordModules(params);
      return `# Darshan 3.4 and newer
conf=$(mktemp "$PWD/darshan-XXXXXX")
cat "\${DARSHAN_CONFIG_PATH:-/dev/null}" - > "$conf" <<'END'
MODMEM 64
NAMEMEM 16
${modules.length === 0 ? "" : `MAX_RECORDS 20000 ${modules.join(",")}\n`}${tracesOn(params)}NAME_EXCLUDE \\.pyc$,\\.so$ *
END
export DARSHAN_CONFIG_PATH="$conf"
# Darshan 3.1 to 3.3: memory only, in MiB; left out are whole directories
export DARSHAN_MODMEM=64
export DARSHAN_EXCLUDE_DIRS=/usr,/opt,/etc,/proc,/sys`;
    },
  },
});

/** What the recorder records, and what it leaves out. */
const whatIsRecorded = entry("what-is-recorded", {
  plain: {
    shell: () => `env | grep DARSHAN
export DARSHAN_DUMP_CONFIG=1 # prints what is recorded and what is left out (Darshan 3.4 and newer)
export DARSHAN_ENABLE_NONMPI=1 # for processes without MPI (Darshan 3.2 and newer)`,
  },
});

/** Traffic of mappings. */
const pageFaults = entry("page-faults", {
  plain: {
    shell: () => `# page faults that read from storage, on a node of the job
grep -E 'pgmajfault|pgpgin' /proc/vmstat
# Lustre: read_bytes, write_bytes, page faults
lctl get_param 'llite.*.stats'`,
  },
});

/** Calls of worker processes, which end without the log of their parent. */
const lookAtMounts = entry("look-at-mounts", {
  plain: {
    shell: () => `df -h # how full is each target?
findmnt -o TARGET,SOURCE,FSTYPE,OPTIONS`,
  },
});

const recordWorkers = entry("record-workers", {
  plain: {
    shell: () => `# records every process that the program starts, workers among them; PROGRAM is its command
plimsoll record -o recording PROGRAM`,
    torch: () => `from torch.utils.data import DataLoader

# for one recorded run: the main process reads, so that its log has the reads
loader = DataLoader(dataset, batch_size=batch, num_workers=0)`,
  },
});

export const COMMAND_SNIPPETS = {
  setStripe,
  oneStripe,
  anyOst,
  moreStripes,
  leaveOst,
  lookAtOst,
  toScratch,
  oneImage,
  environmentImage,
  nodeTmp,
  traceCalls,
  moreRecords,
  whatIsRecorded,
  pageFaults,
  recordWorkers,
  lookAtMounts,
};
