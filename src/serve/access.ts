/** Authentication: a token in a header or a cookie; behind a proxy, the user that its header names. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { inFile, UsageError } from "../base/errors.ts";

export interface Viewer {
  /** User name from the proxy; null: any holder of the token. */
  readonly name: string | null;
  /** Administrators see everything; other users see their own jobs, and sums. */
  readonly isAdmin: boolean;
}

export interface AccessOptions {
  readonly token: string;
  /** Header that names the user, in lower case. */
  readonly userHeader?: string | undefined;
  readonly admins: readonly string[];
}

type Access =
  | { readonly kind: "viewer"; readonly viewer: Viewer; readonly setCookie: boolean }
  | { readonly kind: "refused"; readonly status: 401 | 403 | 400; readonly text: string };

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Takes the same time for every wrong token. */
const isToken = (given: string, token: string): boolean => timingSafeEqual(digest(given), digest(token));

export const newToken = (): string => randomBytes(24).toString("hex");

export function readToken(path: string): string {
  const token = inFile(path, () => readFileSync(path, "utf8")).trim();
  if (!/^[\w.~+/=-]{16,200}$/.test(token))
    throw new UsageError(
      `${path}: expected a token of 16 to 200 letters, digits or -._~+/=; openssl rand -hex 24 makes one`,
    );
  return token;
}

export const cookieName = (port: number): string => `plimsoll-${port}`;

export function accessOf(
  request: IncomingMessage,
  url: URL,
  port: number,
  { token, userHeader, admins }: AccessOptions,
): Access {
  const inUrl = url.searchParams.get("token");
  const given = [bearerOf(request), cookieOf(request, cookieName(port)), inUrl];
  if (!given.some((one) => one !== null && isToken(one, token)))
    return refused(401, "open the address that plimsoll serve printed: it contains the token");
  const setCookie = inUrl !== null;
  if (userHeader === undefined) return { kind: "viewer", viewer: { name: null, isAdmin: true }, setCookie };
  const names = request.headersDistinct[userHeader] ?? [];
  const name = names[0]?.trim() ?? "";
  if (names.length > 1)
    return refused(400, `${userHeader} was set ${names.length} times; the proxy must set it once`);
  if (name === "") return refused(403, `the proxy set no user in ${userHeader}`);
  return { kind: "viewer", viewer: { name, isAdmin: admins.includes(name) }, setCookie };
}

const refused = (status: 401 | 403 | 400, text: string): Access => ({ kind: "refused", status, text });

function bearerOf({ headers }: IncomingMessage): string | null {
  const match = /^Bearer ([\w.~+/=-]{1,200})$/.exec(headers.authorization ?? "");
  return match?.[1] ?? null;
}

function cookieOf({ headers }: IncomingMessage, name: string): string | null {
  for (const part of (headers.cookie ?? "").split(";")) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name && value !== undefined) return value;
  }
  return null;
}
