/**
 * The address holds the view of a report and a fingerprint of the files, never a name: what readers type into a search, and keys
 * of rows that are no numbers, stay out of it. It is a fragment, which browsers do not send.
 */
const FIELD = "log";

export const fingerprintIn = (fragment: string): string | undefined =>
  /(?:^#|&)log=([0-9a-f]{6,64})(?:&|$)/.exec(fragment)?.[1];

/** The fragment with this fingerprint, and without what could be a name. */
export function safeFragment(fragment: string, fingerprint: string): string {
  const fields = fragment.replace(/^#/, "").split("&").filter(isSafe);
  return `#${[...fields, `${FIELD}=${fingerprint}`].join("&")}`;
}

function isSafe(field: string): boolean {
  if (field === "") return false;
  const at = field.indexOf("=");
  if (at < 0) return true;
  const [name, value] = [field.slice(0, at), field.slice(at + 1)];
  if (name === FIELD || /(?:^|\.)q$/.test(name)) return false;
  return name !== "file" || /^-?\d+$/.test(value);
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
