import { createServer } from "node:net";
import { once } from "node:events";
import { expect, it } from "vitest";
import { listenReason } from "./listen-reason.ts";

const reasonAt = async (host: string, port: number) => {
  const [error] = await once(createServer().listen(port, host), "listening").then(
    () => [undefined],
    (error: unknown) => [error],
  );
  return listenReason(error);
};

it("says why no server can listen there", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  expect(await reasonAt("127.0.0.1", port)).toBe("port already in use; choose another port");
  expect(await reasonAt("203.0.113.7", 0)).toBe("not an address of this machine");
  server.close();
  expect(listenReason(Object.assign(new Error("EMFILE"), { code: "EMFILE" }))).toBeUndefined();
});
