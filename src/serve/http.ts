/** Node's HTTP server with limits on all that a client controls: connections, headers, addresses, times. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { UsageError } from "../base/errors.ts";
import { listenReason } from "../node/listen-reason.ts";
import { policyHeaders } from "./policy.ts";

/** A reply. `policy`: the content security policy of a page that has its own. */
export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly policy?: string | undefined;
}

export interface Limits {
  readonly connectionsMax: number;
  readonly headerBytesMax: number;
  readonly addressCharactersMax: number;
  /** Time limits for request headers and for idle connections. */
  readonly headersMs: number;
  readonly idleMs: number;
}

export const LIMITS: Limits = {
  connectionsMax: 1024,
  headerBytesMax: 16 * 1024,
  addressCharactersMax: 4096,
  headersMs: 10_000,
  idleMs: 30_000,
};

const GZIP_LEAST = 2048;
const compress = promisify(gzip);
const compressed = new WeakMap<Buffer, Promise<Buffer>>();

export const plainText = (status: number, text: string, headers: Reply["headers"] = {}): Reply => ({
  ...{ status, type: "text/plain; charset=utf-8", body: `${text}\n`, headers },
});

export interface HttpServer {
  readonly address: AddressInfo;
  close(): Promise<void>;
}

/** Listens, and answers GET and HEAD with the result of `answer`. No part of a request becomes a file name. */
export async function listen(
  where: { readonly host: string; readonly port: number },
  answer: (request: IncomingMessage, url: URL, address: AddressInfo) => Promise<Reply>,
  limits: Limits = LIMITS,
): Promise<HttpServer> {
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.headersMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(1000, limits.headersMs),
      requireHostHeader: true,
    },
    (request, response) => {
      void handle(request, response, server, answer, limits);
    },
  );
  server.maxConnections = limits.connectionsMax;
  server.maxRequestsPerSocket = 10_000;
  server.setTimeout(limits.idleMs, (socket) => socket.destroy());
  server.on("clientError", refuseClient);
  // No upgrades, no tunnels, no request bodies.
  server.on("upgrade", (_, socket) => socket.destroy());
  server.on("connect", (_, socket) => socket.destroy());
  server.on("checkExpectation", (request, response) => {
    void send(request, response, plainText(417, "the Expect header is not supported"));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(listenFault(error, where)));
    server.listen(where.port, where.host, resolve);
  });
  return {
    address: server.address() as AddressInfo,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listenFault(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): unknown {
  const reason = listenReason(error);
  return reason === undefined ? error : new UsageError(`--host ${host} --port ${port}: ${reason}`);
}

function refuseClient(error: NodeJS.ErrnoException, socket: Socket): void {
  const status =
    error.code === "HPE_HEADER_OVERFLOW"
      ? "431 Request Header Fields Too Large"
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "408 Request Timeout"
        : "400 Bad Request";
  if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  // Does not wait for a client that does not read the reply.
  socket.destroySoon();
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  server: Server,
  answer: (request: IncomingMessage, url: URL, address: AddressInfo) => Promise<Reply>,
  limits: Limits,
): Promise<void> {
  // A query may take longer than the idle timeout.
  request.socket.setTimeout(0);
  try {
    const reply =
      refusalOf(request, limits) ?? (await answer(request, urlOf(request), server.address() as AddressInfo));
    await send(request, response, reply);
  } catch {
    if (!response.headersSent)
      await send(request, response, plainText(500, "this page could not be created"));
    else response.destroy();
  } finally {
    request.socket.setTimeout(limits.idleMs);
  }
}

function refusalOf({ method, url = "", headers }: IncomingMessage, limits: Limits): Reply | undefined {
  if (method !== "GET" && method !== "HEAD")
    return plainText(405, "only GET and HEAD are allowed", { Allow: "GET, HEAD" });
  if (url.length > limits.addressCharactersMax) return plainText(414, "the address is too long");
  if (!url.startsWith("/")) return plainText(400, "expected a path");
  if (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0)
    return plainText(413, "requests must not have a body", { Connection: "close" });
  return undefined;
}

/** Parses only path and parameters and ignores the host. */
function urlOf({ url = "/" }: IncomingMessage): URL {
  return new URL(`http://site${url.startsWith("//") ? url.replace(/^\/+/, "/") : url}`);
}

async function send(request: IncomingMessage, response: ServerResponse, reply: Reply): Promise<void> {
  const whole = typeof reply.body === "string" ? Buffer.from(reply.body) : reply.body;
  const mayCompress =
    whole.length >= GZIP_LEAST && /\bgzip\b/.test(request.headers["accept-encoding"]?.toString() ?? "");
  const body = mayCompress ? await gzipped(whole) : whole;
  response.writeHead(reply.status, {
    ...policyHeaders(reply.policy),
    "Content-Type": reply.type,
    "Cache-Control": "private, no-cache",
    Vary: "Accept-Encoding, Cookie",
    ...(mayCompress ? { "Content-Encoding": "gzip" } : {}),
    ...(reply.status === 304 ? {} : { "Content-Length": body.length }),
    ...reply.headers,
  });
  response.end(request.method === "HEAD" || reply.status === 304 ? undefined : body);
}

/** The same page is compressed once. */
function gzipped(body: Buffer): Promise<Buffer> {
  const known = compressed.get(body);
  if (known !== undefined) return known;
  const made = compress(body, { level: 4 });
  compressed.set(body, made);
  return made;
}
