/** Locations of Lustre's files by release: /proc up to 2.10, later more and more in /sys and debugfs. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Relative to the root; the first match wins, since a release may link the old location to the new one. */
export const PLACES = ["proc/fs/lustre", "sys/fs/lustre", "sys/kernel/debug/lustre"];
export const LNET_FILES = ["sys/kernel/debug/lnet/stats", "proc/sys/lnet/stats", "sys/kernel/lnet/stats"];

export interface LustreFile {
  /** Candidate paths; the first readable one is used. */
  readonly paths: readonly string[];
  /** `obdfilter/lustre1-OST0007/job_stats`: the end of its path, the same in all releases. */
  readonly param: string;
  /** `lustre1-OST0007`, `lustre1-ffff8800aa`. */
  readonly folder: string;
}

interface Listing {
  readonly files: readonly LustreFile[];
  /** Folders that exist but cannot be listed. */
  readonly unreadable: readonly { readonly path: string; readonly code: string }[];
}

export const TARGET_NAME = /(^|-)(OST|MDT)[0-9a-f]{4}$/;

/** Files of counters of the OSTs and MDTs of a server. */
export function serverFiles(root: string, withBrw = false): Listing {
  const lister = new Lister(root);
  lister.add("mdt", ["job_stats", "md_stats"], TARGET_NAME);
  lister.add("obdfilter", ["job_stats", "stats"], TARGET_NAME);
  if (withBrw)
    for (const device of ["osd-ldiskfs", "osd-zfs", "osd-wbcfs", "obdfilter"])
      lister.add(device, ["brw_stats"], /(^|-)OST[0-9a-f]{4}$/);
  return lister.listing();
}

/** Folders with one of each client of a target: `obdfilter/lustre1-OST0007/exports`, wherever the release has it. */
export function exportFolders(root: string, target: string): string[] {
  const device = /OST[0-9a-f]{4}$/.test(target) ? "obdfilter" : "mdt";
  return PLACES.map((place) => join(root, place, device, target, "exports"));
}

/** How long targets keep idle jobs, if they report it. */
export function cleanupFiles(root: string): Listing {
  const lister = new Lister(root);
  for (const device of ["mdt", "obdfilter"]) lister.add(device, ["job_cleanup_interval"], TARGET_NAME);
  return lister.listing();
}

/** Files of the mounts of a client, and of its network. */
export function clientFiles(root: string): Listing {
  const lister = new Lister(root);
  lister.add("llite", ["stats", "stats_track_pid", "stats_track_ppid", "stats_track_gid"], /-[0-9a-f]+$/);
  const { files, unreadable } = lister.listing();
  const paths = LNET_FILES.map((path) => join(root, path));
  return { files: [...files, { paths, param: "lnet/stats", folder: "lnet" }], unreadable };
}

class Lister {
  readonly #root: string;
  readonly #files = new Map<string, { paths: string[]; param: string; folder: string }>();
  readonly #unreadable: { path: string; code: string }[] = [];

  constructor(root: string) {
    this.#root = root;
  }

  add(device: string, names: readonly string[], folders: RegExp): void {
    for (const place of PLACES) {
      const path = join(this.#root, place, device);
      for (const folder of this.#list(path)) {
        if (!folders.test(folder)) continue;
        for (const name of names) this.#file(join(path, folder, name), `${device}/${folder}/${name}`, folder);
      }
    }
  }

  #file(path: string, param: string, folder: string): void {
    const known = this.#files.get(param);
    if (known === undefined) this.#files.set(param, { paths: [path], param, folder });
    else known.paths.push(path);
  }

  #list(path: string): string[] {
    try {
      return readdirSync(path).sort();
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") this.#unreadable.push({ path, code });
      return [];
    }
  }

  listing(): Listing {
    return { files: [...this.#files.values()], unreadable: this.#unreadable };
  }
}
