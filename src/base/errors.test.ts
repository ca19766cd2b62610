import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { pathReason, systemError, systemReason } from "./errors.ts";

it("errors of the system have words, the same everywhere", () => {
  const failed = (code: string) => systemError(code, "open", "/x");
  expect(systemReason(failed("EPERM"))).toBe("not permitted");
  expect(systemReason(failed("ENOENT"))).toBe("no such file");
  expect(systemReason(failed("ENOENT"), "folder")).toBe("no such folder");
  expect(pathReason(failed("EACCES"))).toBe("permission denied");
  expect(pathReason(failed("ENOSPC"))).toBeUndefined();
  for (const other of [failed("EWHAT"), new Error("x"), undefined, null])
    expect(systemReason(other)).toBeUndefined();
});

it("no other file has a table of them", () => {
  const src = fileURLToPath(new URL("..", import.meta.url));
  const tables = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .filter((path) => /\b(EPERM|ENOSPC|EIO|EROFS): "[a-z]/.test(readFileSync(`${src}/${path}`, "utf8")));
  expect(tables).toEqual(["base/errors.ts"]);
});
