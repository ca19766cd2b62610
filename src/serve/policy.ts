/** Security headers of every reply. */

/** Only the pages' own script and styles; bar widths are style attributes, which can load nothing. */
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

/** `policy`: of a report, which embeds its script and allows it by hash. */
export const policyHeaders = (policy = POLICY): Readonly<Record<string, string>> => ({
  ...COMMON,
  "Content-Security-Policy": policy,
});

/** The policy in the meta tag of a saved page, plus the directives that only a header can set. */
export function ownPolicy(html: string): string | undefined {
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html)?.[1];
  return policy === undefined ? undefined : `${policy}; frame-ancestors 'none'`;
}
