/** Locations of the state files of servers: capacity, recovery, clients and evictions of targets; health, network and services. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { namesIfReadable, readShort } from "./files.ts";
import { LNET_FILES, PLACES, TARGET_NAME } from "./lustre-files.ts";

/** Capacity is with the disk file system of every release, and with OSTs themselves. */
const DEVICES = ["obdfilter", "mdt", "osd-ldiskfs", "osd-zfs", "osd-wbcfs"];
/** Services with client requests: data, names, and data on MDTs. */
const SERVICES = ["ost/OSS/ost_io", "mds/MDS/mdt", "mds/MDS/mdt_io"];

export class StateFiles {
  readonly lnet: readonly string[];
  readonly health: readonly string[];
  readonly #root: string;
  #services: readonly string[] = [];
  /** Folders that a target has, by its name. */
  #folders = new Map<string, string[]>();
  /** Last known path of a file. */
  readonly #found = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
    this.lnet = LNET_FILES.map((path) => join(root, path));
    this.health = PLACES.map((place) => join(root, place, "health_check"));
  }

  /** One per service, in any release. */
  get services(): readonly string[] {
    return this.#services;
  }

  /** Lists the targets again. */
  list(): void {
    this.#folders = new Map();
    for (const place of PLACES)
      for (const device of DEVICES) {
        const path = join(this.#root, place, device);
        for (const target of namesIfReadable(path)) {
          if (!TARGET_NAME.test(target)) continue;
          const known = this.#folders.get(target);
          if (known === undefined) this.#folders.set(target, [join(path, target)]);
          else known.push(join(path, target));
        }
      }
    this.#services = SERVICES.flatMap((service) => {
      const paths = PLACES.map((place) => join(this.#root, place, service, "stats"));
      return paths.filter((path) => existsSync(path)).slice(0, 1);
    });
  }

  /** The text of a file of a target; undefined: not found. */
  read(target: string, name: string): string | undefined {
    const key = `${target}/${name}`;
    const before = this.#found.get(key);
    const text = before === undefined ? undefined : readShort(before);
    if (text !== undefined) return text;
    for (const folder of this.#folders.get(target) ?? []) {
      const path = join(folder, name);
      const found = path === before ? undefined : readShort(path);
      if (found === undefined) continue;
      this.#found.set(key, path);
      return found;
    }
    this.#found.delete(key);
    return undefined;
  }
}
