/** Serves the page, and nothing else. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface MetricsServer {
  /** `127.0.0.1:9177` */
  readonly address: string;
  close(): void;
}

const TYPE = "text/plain; version=0.0.4; charset=utf-8";

export async function serveMetrics(host: string, port: number, page: () => string): Promise<MetricsServer> {
  const server: Server = createServer(
    { requestTimeout: 60_000, maxHeaderSize: 8192 },
    (request, response) => {
      request.resume();
      const path = (request.url ?? "").split("?")[0];
      const isRead = request.method === "GET" || request.method === "HEAD";
      const status = !isRead ? 405 : path === "/metrics" ? 200 : 404;
      const text = status === 200 ? page() : status === 405 ? "only GET\n" : "the page is /metrics\n";
      const body = Buffer.from(text);
      response.writeHead(status, {
        "content-type": status === 200 ? TYPE : "text/plain; charset=utf-8",
        "content-length": body.length,
        "cache-control": "no-store",
        // A sample keeps this process busy for a while; a connection that is kept could time out just when it is used again.
        connection: "close",
        "x-content-type-options": "nosniff",
        ...(status === 405 && { allow: "GET, HEAD" }),
      });
      response.end(request.method === "HEAD" ? undefined : body);
    },
  );
  // More than a scraper and some people is a fault.
  server.maxConnections = 32;
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
