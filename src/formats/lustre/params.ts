/** Paths of parameters: what a file is, and of which target, file system, client or mount. */

export interface Param {
  /** As given: a path of files, or the dotted name that `lctl get_param` prints. */
  readonly path: string;
  /** One of `KINDS`, `stats` for other files of counters, `other` for the rest. */
  readonly kind: string;
  /** `lustre1-OST0003`, `MGS`; for llite the directory. Empty when the path does not say. */
  readonly target: string;
  readonly fileSystem: string;
  readonly client: string;
  readonly mount: string;
}

interface Rule {
  readonly device?: RegExp;
  readonly name: RegExp;
  readonly exports?: boolean;
  readonly kind: string;
}

/** The first rule that fits decides. */
const RULES: readonly Rule[] = [
  // Collections often keep one file for each time: `1528329660.job_stats`.
  { name: /^([\w-]+\.)?job_stats$/, kind: "job_stats" },
  { name: /^stats$/, exports: true, kind: "export_stats" },
  { device: /^llite$/, name: /^stats$/, kind: "llite_stats" },
  { device: /^mdt$/, name: /^md_stats$/, kind: "md_stats" },
  { device: /^obdfilter$/, name: /^stats$/, kind: "ost_stats" },
  { device: /^osd-/, name: /^stats$/, kind: "osd_stats" },
  { device: /^lnet$/, name: /^stats$/, kind: "lnet_stats" },
  { device: /^(lmv|mdc)$/, name: /^md_stats$/, kind: "client_md_stats" },
  { name: /^brw_stats$/, kind: "brw_stats" },
  { name: /^rpc_stats$/, kind: "rpc_stats" },
  { name: /^(extents_stats|extents_stats_per_process)$/, kind: "extents_stats" },
  { name: /^io_latency_stats$/, kind: "io_latency_stats" },
  { name: /^recovery_status$/, kind: "recovery_status" },
  { name: /^(version|jobid_var|jobid_name|health_check|job_cleanup_interval)$/, kind: "setting" },
  { name: /^stats_track_(pid|ppid|gid)$/, kind: "setting" },
  { name: /^(rename_stats|unstable_stats|statahead_stats)$/, kind: "other" },
  { name: /_?stats$/, kind: "stats" },
];

/** Kinds with known content, besides `stats` and `other`. */
export const KINDS: readonly string[] = [...new Set(RULES.map(({ kind }) => kind))].filter(
  (kind) => kind !== "stats" && kind !== "other",
);

/** Folders above the parameters, which the dotted names leave out. */
const ROOT = /^(proc|sys|fs|kernel|debug|lustre)$/;

export function describeParam(path: string): Param {
  const parts = path.includes("/") ? path.split("/").filter((part) => part !== "") : dottedParts(path);
  const name = parts.at(-1) ?? "";
  const exportsAt = parts.lastIndexOf("exports");
  const isExport = exportsAt > 0 && exportsAt === parts.length - 3;
  const target = (isExport ? parts[exportsAt - 1] : parts.at(-2)) ?? "";
  const device = (isExport ? parts[exportsAt - 2] : parts.at(-3)) ?? "";
  const kind = kindOf(name, device, target, isExport);
  const named = isTargetName(target) || knownDevice(device);
  const isClient = device === "llite";
  const dash = target.lastIndexOf("-");
  return {
    path,
    kind,
    target: named && !ROOT.test(target) ? target : "",
    fileSystem: isClient ? target.slice(0, Math.max(dash, 0)) : fileSystemOf(target),
    client: isExport ? (parts[exportsAt + 1] ?? "") : "",
    mount: isClient && dash >= 0 ? target.slice(dash + 1) : "",
  };
}

function kindOf(name: string, device: string, folder: string, isExport: boolean): string {
  for (const rule of RULES) {
    if (!rule.name.test(name) || (rule.exports === true) !== isExport) continue;
    if (rule.device === undefined || rule.device.test(device)) return rule.kind;
    if (rule.kind === "lnet_stats" && folder === "lnet") return rule.kind;
  }
  return "other";
}

const knownDevice = (device: string) =>
  /^(llite|mdt|obdfilter|osd-\w+|mdc|osc|osp|lmv|lov|mgs|mds|ost|mdd|lod|ofd)$/.test(device);

/** A NID has dots of its own, so the parts around `exports` are cut from both sides. */
function dottedParts(path: string): string[] {
  const cut = /^([^.]+)\.([^.]+)\.exports\.(.+)\.([^.]+)$/.exec(path);
  return cut === null ? path.split(".") : [cut[1] ?? "", cut[2] ?? "", "exports", cut[3] ?? "", cut[4] ?? ""];
}

export function isTargetName(name: string): boolean {
  return /(^|-)(OST|MDT)[0-9a-f]{4}$/.test(name) || name === "MGS";
}

/** `lustre1` of `lustre1-OST0003` and of `lustre1-OST0003-osc-MDT0000`; empty when there is none. */
export function fileSystemOf(target: string): string {
  return /^(.*?)-(?:OST|MDT)[0-9a-f]{4}(?:-|$)/.exec(target)?.[1] ?? "";
}

/** OST or MDT and its index, which the name has in hexadecimal; undefined for anything else. */
export function targetIndex(
  target: string,
): { readonly role: "OST" | "MDT"; readonly index: number } | undefined {
  const match = /(?:^|-)(OST|MDT)([0-9a-f]{4})$/.exec(target);
  if (match === null) return undefined;
  return { role: match[1] as "OST" | "MDT", index: Number.parseInt(match[2] ?? "", 16) };
}

const EQUALS = 61;

/** Where the `=` of a line `word.word.word=` at `at` stands, or -1 when the line does not begin a parameter. */
export function paramNameEnd(bytes: Uint8Array, at: number, end: number): number {
  const first = (bytes[at] as number) | 32;
  if (first < 97 || first > 122) return -1;
  for (let i = at + 1; i < end && i < at + 1024; i++) {
    const byte = bytes[i] as number;
    if (byte === EQUALS) return i;
    // Names and NIDs: printable, no blank, no bracket of a counter line.
    if (byte <= 32 || byte >= 127 || byte === 123 || byte === 91) return -1;
  }
  return -1;
}
