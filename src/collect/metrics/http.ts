/** Serves the metrics page only. With too many connections, the one that has waited longest is closed. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface MetricsServer {
  /** `127.0.0.1:9177` */
  readonly address: string;
  close(): void;
}

export interface Page {
  readonly text: string;
  /** Called when `reader` has received all of it. */
  taken?(reader: string): void;
}

interface ServeLimits {
  /** Time limits for sending the request and for receiving the page. */
  readonly headersMs: number;
  readonly wholeMs: number;
  /** Enough for a scraper and some people. */
  readonly connections: number;
}

export const SERVE_LIMITS: ServeLimits = { headersMs: 5000, wholeMs: 30_000, connections: 32 };
const TYPE = "text/plain; version=0.0.4; charset=utf-8";

export async function serveMetrics(
  host: string,
  port: number,
  page: () => Page,
  limits: ServeLimits = SERVE_LIMITS,
): Promise<MetricsServer> {
  const { headersMs, wholeMs } = limits;
  const connections = new Connections(limits);
  const server: Server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: wholeMs,
      connectionsCheckingInterval: Math.ceil(headersMs / 5),
      maxHeaderSize: 8192,
    },
    (request, response) => {
      connections.asked(request.socket);
      answer(request, response, page);
    },
  );
  server.on("connection", (socket) => connections.add(socket));
  server.on("clientError", (_, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
  const { address, port: actual, family } = server.address() as AddressInfo;
  return {
    address: family === "IPv6" ? `[${address}]:${actual}` : `${address}:${actual}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, page: () => Page): void {
  request.resume();
  const path = (request.url ?? "").split("?")[0];
  const isRead = request.method === "GET" || request.method === "HEAD";
  const status = !isRead ? 405 : path === "/metrics" ? 200 : 404;
  const found: Page =
    status === 200 ? page() : { text: status === 405 ? "only GET\n" : "the page is /metrics\n" };
  const body = Buffer.from(found.text);
  response.writeHead(status, {
    "content-type": status === 200 ? TYPE : "text/plain; charset=utf-8",
    "content-length": body.length,
    "cache-control": "no-store",
    // A sample blocks this process for a while; a kept-alive connection could time out just when it is used again.
    connection: "close",
    "x-content-type-options": "nosniff",
    ...(status === 405 && { allow: "GET, HEAD" }),
  });
  const reader = `${request.socket.remoteAddress ?? ""} ${request.headers["user-agent"] ?? ""}`.slice(0, 256);
  if (request.method === "GET")
    response.write(body, (error) => {
      // Node reports a write to a closed connection as done.
      if (!error && !request.socket.destroyed) found.taken?.(reader);
    });
  response.end();
}

/** Open connections, oldest first, each with a time limit. */
class Connections {
  readonly #limits: ServeLimits;
  readonly #silent = new Set<Socket>();
  readonly #all = new Set<Socket>();

  constructor(limits: ServeLimits) {
    this.#limits = limits;
  }

  add(socket: Socket): void {
    if (this.#all.size >= this.#limits.connections) {
      // Connections without a request go first.
      const [oldest] = this.#silent.size > 0 ? this.#silent : this.#all;
      this.#remove(oldest as Socket);
      oldest?.destroy();
    }
    this.#all.add(socket);
    this.#silent.add(socket);
    const timer = setTimeout(() => socket.destroy(), this.#limits.wholeMs);
    socket.once("close", () => {
      clearTimeout(timer);
      this.#remove(socket);
    });
  }

  asked(socket: Socket): void {
    this.#silent.delete(socket);
  }

  #remove(socket: Socket): void {
    this.#all.delete(socket);
    this.#silent.delete(socket);
  }
}
