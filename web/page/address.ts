/**
 * The address holds the view of a report and a fingerprint of the files, never a name: only fields of the list below get in, with
 * values that are numbers or words of the report itself. What readers type into a search stays out. It is a fragment, which
 * browsers do not send.
 */
const FIELD = "log";

export const fingerprintIn = (fragment: string): string | undefined =>
  /(?:^#|&)log=([0-9a-f]{6,64})(?:&|$)/.exec(fragment)?.[1];

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;

/** What may stand behind each name. A place in a timeline is numbers and words of web/report/trace/place.ts. */
const VALUES: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    file: /^-?\d+$/,
    severity: /^[a-z,]+$/,
    from: NUMBER,
    to: NUMBER,
    rank: NUMBER,
    calls: /^[a-z\d.:/-]+$/,
    sort: /^[\w-]+$/,
    order: /^rising$/,
    open: /^[\d.]+$/,
    flat: /^yes$/,
  }),
);

/** The fragment with this fingerprint, and without what could be a name. */
export function safeFragment(fragment: string, fingerprint: string): string {
  const fields = fragment.replace(/^#/, "").split("&").filter(isSafe);
  return `#${[...fields, `${FIELD}=${fingerprint}`].join("&")}`;
}

function isSafe(field: string, at: number): boolean {
  const [name = "", ...rest] = field.split("=");
  // The section comes first and alone.
  if (rest.length === 0) return at === 0 && /^[a-z][\w-]*$/.test(name);
  // Tables and timelines beyond the first have a number or an id with a dot.
  const known = /^calls(?:\.\d+)?$/.test(name) ? "calls" : name.slice(name.indexOf(".") + 1);
  return VALUES.get(known)?.test(rest.join("=")) === true;
}

/** Whatever the report writes into the address goes through `safeFragment` first. Called once; `current` may change. */
export function guardAddress(current: () => string | undefined): void {
  for (const name of ["pushState", "replaceState"] as const) {
    const original = history[name].bind(history);
    history[name] = (data, unused, url) => {
      const fingerprint = current();
      const text = url === undefined || url === null ? "" : String(url);
      const fragment = text.includes("#") ? text.slice(text.indexOf("#")) : "";
      original(data, unused, fingerprint === undefined ? url : safeFragment(fragment, fingerprint));
    };
  }
}
