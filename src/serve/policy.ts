/** Headers of every answer: what a browser may do with it, which is little. */

/** The pages' own script and styles; widths of bars are style attributes, which can load nothing. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const COMMON: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
};

/** `policy`: that of a report, which carries its script inside and allows it by hash. */
export const policyHeaders = (policy = POLICY): Readonly<Record<string, string>> => ({
  ...COMMON,
  "Content-Security-Policy": policy,
});

/** The policy that a saved page names for itself, for a header; what a header alone can say is added. */
export function ownPolicy(html: string): string | undefined {
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html)?.[1];
  return policy === undefined ? undefined : `${policy}; frame-ancestors 'none'`;
}
