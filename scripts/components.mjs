// What the tests and some commands need outside npm. One line each; `npm test` installs what is missing
// where it can: as root on Debian, Ubuntu and their relatives. A probe is a program, or the path of a file;
// those marked `long` are for `npm run test:long` only.

import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { say } from "./setup.mjs";

export const components = [
  {
    name: "C compiler",
    probe: "cc",
    packages: ["gcc", "libc6-dev"],
    why: "compares number text with printf",
  },
  {
    name: "nginx",
    probe: "nginx",
    packages: ["nginx-light"],
    why: "stands before plimsoll serve as a proxy",
    long: true,
  },
  {
    name: "Apache",
    probe: "apache2",
    // Without the package apache2, which would start a server.
    packages: ["apache2-bin"],
    why: "stands before plimsoll serve as a proxy",
    long: true,
  },
  { name: "bzip2", probe: "bzip2", packages: ["bzip2"], why: "makes bzip2 streams to decode" },
  { name: "groff", probe: "groff", packages: ["groff-base"], why: "reads the pages for man" },
  { name: "zsh", probe: "zsh", packages: ["zsh"], why: "runs the completion script" },
  { name: "fish", probe: "fish", packages: ["fish"], why: "runs the completion script" },
  { name: "strace", probe: "strace", packages: ["strace"], why: "records system calls" },
  {
    name: "liburing",
    probe: "/usr/include/liburing.h",
    packages: ["liburing-dev"],
    why: "programs with io_uring to record",
  },
  { name: "sqlite3", probe: "sqlite3", packages: ["sqlite3"], why: "a program to record" },
  { name: "Python", probe: "python3", packages: ["python3"], why: "a program to record" },
  {
    name: "debootstrap",
    probe: "debootstrap",
    packages: ["debootstrap"],
    long: true,
    why: "a minimal Debian to install in",
  },
  {
    name: "lintian",
    probe: "lintian",
    packages: ["lintian"],
    long: true,
    why: "judges the Debian package",
  },
  { name: "rpm", probe: "rpmbuild", packages: ["rpm"], long: true, why: "builds packaging/rpm" },
  {
    name: "Lmod",
    probe: "/usr/share/lmod/lmod/init/sh",
    packages: ["lmod"],
    long: true,
    why: "loads packaging/modules",
  },
  {
    name: "YAML",
    probe: "/usr/lib/python3/dist-packages/yaml",
    packages: ["python3-yaml"],
    long: true,
    why: "reads packaging/conda and the templates for issues",
  },
  { name: "xz", probe: "xz", packages: ["xz-utils"], long: true, why: "packs what npm run dist makes" },
  {
    name: "Chromium",
    probe: "chromium",
    packages: ["chromium"],
    why: "opens reports and pages",
  },
  {
    name: "Firefox",
    probe: "firefox-esr",
    packages: ["firefox-esr"],
    long: true,
    why: "opens the drop page",
  },
  {
    name: "MPI",
    probe: "mpiexec.mpich",
    packages: ["mpich", "libmpich-dev"],
    why: "runs parallel programs",
  },
  {
    name: "Open MPI",
    probe: "mpiexec.openmpi",
    packages: ["openmpi-bin", "libopenmpi-dev"],
    why: "runs parallel programs with another ABI",
  },
  {
    name: "Slurm",
    probe: "slurmctld",
    packages: ["slurm-wlm", "slurm-wlm-basic-plugins", "munge"],
    services: ["slurmctld", "slurmd", "munge"],
    why: "a scheduler on this machine",
  },
  {
    name: "slurmdbd",
    probe: "slurmdbd",
    packages: ["slurmdbd"],
    services: ["slurmdbd"],
    why: "accounting of that scheduler",
  },
  {
    name: "MariaDB",
    probe: "mariadbd",
    // Without mariadb-server, which would start a server for everybody.
    packages: ["mariadb-server-core", "mariadb-client-core"],
    why: "the database of that accounting",
  },
  {
    name: "systemd",
    probe: "systemd-analyze",
    packages: ["systemd"],
    why: "checks the units of examples/systemd",
  },
  {
    name: "Prometheus",
    probe: "promtool",
    packages: ["prometheus"],
    services: ["prometheus"],
    why: "reads the page of metrics",
  },
  { name: "fio", probe: "fio", packages: ["fio"], why: "writes latency logs to read" },
  { name: "bpls", probe: "bpls", packages: ["libadios-bin"], why: "reads what we write" },
  {
    name: "gfortran",
    probe: "gfortran",
    packages: ["gfortran"],
    why: "compiles snippets of findings",
    long: true,
  },
  {
    name: "HDF5",
    probe: "h5pcc.mpich",
    packages: ["libhdf5-mpich-dev"],
    why: "compiles snippets of findings and the programs of examples/pathologies",
    long: true,
  },
  {
    name: "PnetCDF",
    probe: "/usr/include/pnetcdf.h",
    packages: ["libpnetcdf-dev"],
    why: "compiles snippets of findings",
    long: true,
  },
  {
    name: "mpi4py",
    probe: "/usr/lib/python3/dist-packages/mpi4py",
    packages: ["python3-mpi4py"],
    why: "runs snippets of findings",
    long: true,
  },
  {
    name: "h5py",
    probe: "/usr/lib/python3/dist-packages/h5py/_debian_h5py_mpi",
    packages: ["python3-h5py-mpi"],
    why: "runs snippets of findings",
    long: true,
  },
  {
    name: "shellcheck",
    probe: "shellcheck",
    packages: ["shellcheck"],
    why: "checks snippets of findings",
    long: true,
  },
];

/** Installs missing components where possible; gives those still missing. With names only those. */
export function ensureComponents({ long = false, names = undefined } = {}) {
  const wanted = components.filter((one) => names?.includes(one.name) ?? (long || one.long !== true));
  const missing = wanted.filter((one) => !isThere(one.probe));
  if (missing.length === 0) return [];
  if (!canInstall()) return missing;
  say(`installing ${missing.map((one) => one.name).join(", ")} (apt-get)`);
  // Without an update a fresh container knows no packages at all.
  apt("update");
  maskServices(missing.flatMap((one) => one.services ?? []));
  const packages = missing.flatMap((one) => one.packages);
  if (!apt("install", "--yes", "--no-install-recommends", ...packages)) {
    // One unknown package fails them all; then try each alone.
    for (const one of missing) apt("install", "--yes", "--no-install-recommends", ...one.packages);
  }
  return missing.filter((one) => !isThere(one.probe));
}

const isThere = (probe) => (probe.startsWith("/") ? existsSync(probe) : onPath(probe));

export function onPath(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}

/**
 * Tests start what they need themselves, so no service of a new package may start, neither now nor with the machine. (To use one
 * later: `systemctl unmask NAME`.)
 */
function maskServices(names) {
  const folder = "/etc/systemd/system";
  if (!existsSync(folder)) return;
  for (const name of names) {
    const path = join(folder, `${name}.service`);
    if (!existsSync(path)) symlinkSync("/dev/null", path);
  }
}

function apt(...args) {
  // RUNLEVEL=1 keeps scripts of packages from starting services where there is no systemd.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  return spawnSync("apt-get", ["-qq", ...args], { env, stdio: ["ignore", "ignore", 2] }).status === 0;
}

function canInstall() {
  if (process.getuid?.() !== 0 || !onPath("apt-get")) return false;
  try {
    const release = readFileSync("/etc/os-release", "utf8");
    return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release);
  } catch {
    return false;
  }
}
