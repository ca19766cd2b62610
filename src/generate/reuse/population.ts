/** Who is there: users, applications, storage targets, and how many of everything at a scale. */
import { createHash } from "node:crypto";
import { type Weighted, zipf } from "./distributions.ts";
import { BACKGROUND_FILES, DECOY_SHARE, FULL, IO_TIME } from "./scenario.ts";

export interface ReuseOptions {
  readonly seed: number;
  /** Of the 8,500 selected files. */
  readonly scale: number;
  /** Of the 52 million other files. */
  readonly background: number;
  /** How gaps are spread: log-normal, or by the literal reading of the 80 % sentence (A08). "spread" unless given. */
  readonly interArrival?: InterArrival;
  /** The most selected files that a run touches; 1 unless given. */
  readonly filesPerRun?: number;
  /** How much longer a transfer takes while others want the whole rate of its OST; 2 unless given. */
  readonly contention?: number;
}

export const INTER_ARRIVALS = ["spread", "literal"] as const;
export type InterArrival = (typeof INTER_ARRIVALS)[number];

interface Application {
  readonly name: string;
  readonly commandLine: string;
  /** First eight bytes of the SHA-256 of the name. */
  readonly id: bigint;
}

export class Population {
  readonly options: ReuseOptions;
  readonly selectedFiles: number;
  readonly backgroundFiles: number;
  readonly logs: number;
  /** Of each kind. */
  readonly decoys: number;
  readonly osts: number;
  readonly selectedUsers: number;
  readonly users: number;
  readonly selectedApplications: number;
  readonly applications: readonly Application[];
  readonly userPopularity: Weighted;
  readonly applicationPopularity: Weighted;
  readonly #selectedUser: Weighted;

  constructor(options: ReuseOptions) {
    this.options = options;
    const { scale, background } = options;
    this.selectedFiles = Math.max(1, Math.round(FULL.selectedFiles * scale));
    this.backgroundFiles = Math.round(FULL.backgroundFiles * background);
    this.logs = Math.round(FULL.logs * background);
    this.decoys = Math.max(
      1,
      Math.round(DECOY_SHARE * Math.min(this.backgroundFiles / 3, this.selectedFiles)),
    );
    this.osts = Math.max(8, Math.round(FULL.osts * scale));
    const grown = (full: number, share: number, least: number) =>
      Math.max(least, Math.round(full * Math.sqrt(share)));
    this.selectedUsers = grown(FULL.selectedUsers, scale, 5);
    this.users = Math.max(this.selectedUsers, grown(FULL.users, background, 5));
    this.selectedApplications = grown(FULL.selectedApplications, scale, 10);
    const applications = Math.max(this.selectedApplications, grown(FULL.applications, background, 10));
    this.applications = Array.from({ length: applications }, (_, index) => {
      const name = `${PROGRAMS[index % PROGRAMS.length]}-${padded(index, 5)}`;
      const id = createHash("sha256").update(name).digest().readBigUInt64BE(0);
      return { name, commandLine: `/global/common/bin/${name} --input case.in`, id };
    });
    this.userPopularity = zipf(this.users, BACKGROUND_FILES.popularity);
    this.applicationPopularity = zipf(applications, BACKGROUND_FILES.popularity);
    this.#selectedUser = zipf(this.selectedUsers, BACKGROUND_FILES.popularity);
  }

  /** Of I/O time against the load of an OST by others. */
  get slope(): number {
    return this.options.contention ?? IO_TIME.slope;
  }

  /** Every user has a file before anybody has a second one. */
  selectedUser(file: number, u: number): number {
    return file < this.selectedUsers ? file : this.#selectedUser.pick(u);
  }

  /** Application number `which` of those that a user has; neighbours share some, as they share codes. */
  userApplication(user: number, which: number): number {
    const first = Math.floor((user * this.selectedApplications) / this.selectedUsers);
    return (first + which) % this.selectedApplications;
  }

  /** How many applications a user has to choose from. */
  get applicationsOfUser(): number {
    return Math.min(
      this.selectedApplications,
      Math.max(8, Math.ceil((1.5 * this.selectedApplications) / this.selectedUsers)),
    );
  }
}

const PROGRAMS = ["cosmo", "gyro", "vasp", "chroma", "nwp", "pic", "assembly", "beam"];

export function padded(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}
