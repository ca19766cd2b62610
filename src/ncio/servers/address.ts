/** Address of a server as text: `unix:/path/of/socket` or `tcp:host:port`. */
import { UsageError } from "../../base/errors.ts";
import type { ListenAt } from "./server/setting.ts";

export function formatAddress(listen: ListenAt): string {
  if (listen.kind === "unix") return `unix:${listen.path}`;
  return `tcp:${listen.host.includes(":") ? `[${listen.host}]` : listen.host}:${listen.port}`;
}

export function parseAddress(text: string): ListenAt {
  if (text.startsWith("unix:") && text.length > 5) return { kind: "unix", path: text.slice(5) };
  const match = /^tcp:(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port < 1 || port > 65_535)
    throw new UsageError(`${text}: not an address of a server; expected unix:PATH or tcp:HOST:PORT`);
  return { kind: "tcp", host, port };
}
