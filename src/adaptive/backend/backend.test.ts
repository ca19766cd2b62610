import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type BackendSpec, keepsData, makeBackend, Pacer, ratesOf } from "./index.ts";

const root = mkdtempSync(join(tmpdir(), "plimsoll-backend-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const services = { pace: async () => {} };
const text = (value: string) => new TextEncoder().encode(value);

const keeping: [string, BackendSpec][] = [
  ["posix", { kind: "posix" }],
  ["throttled", { kind: "throttled", of: { kind: "posix" }, rates: [1e9] }],
  ["faulty", { kind: "faulty", of: { kind: "posix" }, faults: [] }],
];

describe.each(keeping)("back end %s", (name, spec) => {
  const path = join(root, name);

  it("keeps what is written anywhere in a file, for all who open it", async () => {
    const backend = makeBackend(spec, services);
    expect(keepsData(spec)).toBe(true);
    const file = await backend.create(path, 0);
    await file.write(text("there"), 6);
    const other = await backend.open(path, 0);
    await other.write(text("hello "), 0);
    await file.flush();
    await file.sync();
    const found = new Uint8Array(20);
    expect([await file.read(found, 0), await file.size()]).toEqual([11, 11]);
    expect(new TextDecoder().decode(found.subarray(0, 11))).toBe("hello there");
    await file.truncate(5);
    expect(await other.read(found, 0)).toBe(5);
    await Promise.all([file.close(), other.close()]);
  });

  it("knows a file from another that has its name", async () => {
    const backend = makeBackend(spec, services);
    const [file, again, other] = [
      await backend.open(path, 0),
      await backend.open(path, 0),
      await backend.create(`${path}-other`, 0),
    ];
    const identity = await file.identity();
    expect(await again.identity()).toBe(identity);
    expect(await other.identity()).not.toBe(identity);
    expect(await backend.identityOf(path, 0)).toBe(identity);
    expect(await backend.identityOf(`${path}-none`, 0)).toBeUndefined();
    await Promise.all([file.close(), again.close(), other.close()]);
  });

  it("makes no file twice and opens none that is not there", async () => {
    const backend = makeBackend(spec, services);
    await expect(backend.create(path, 0)).rejects.toMatchObject({ code: "EEXIST" });
    await expect(backend.open(`${path}-none`, 0)).rejects.toMatchObject({
      code: "ENOENT",
      path: `${path}-none`,
    });
  });
});

it("null takes everything and keeps nothing", async () => {
  const spec: BackendSpec = { kind: "throttled", of: { kind: "null" }, rates: [5] };
  expect([keepsData(spec), ratesOf(spec)]).toEqual([false, [5]]);
  const file = await makeBackend(spec, services).create("nowhere", 0);
  await file.write(text("x"), 0);
  expect(await file.read(new Uint8Array(1), 0)).toBe(0);
});

it("faulty fails the call, the target and the moment that it is told", async () => {
  const faults = [
    { target: 1, call: "write", code: "ENOSPC", afterBytes: 10 },
    { target: 2, call: "sync", code: "EIO" },
    { target: 3, call: "create", code: "EIO" },
  ] as const;
  const backend = makeBackend({ kind: "faulty", of: { kind: "null" }, faults }, services);
  const one = await backend.create("one", 1);
  await one.write(new Uint8Array(10), 0);
  await expect(one.write(new Uint8Array(1), 10)).rejects.toMatchObject({ code: "ENOSPC", syscall: "write" });
  const two = await backend.create("two", 2);
  await two.write(new Uint8Array(99), 0);
  await expect(two.sync()).rejects.toMatchObject({ code: "EIO", path: "two" });
  await expect(backend.create("three", 3)).rejects.toMatchObject({ code: "EIO" });
});

it("faulty holds up the call and the sizes that it is told", async () => {
  const faults = [
    { target: 0, call: "sync", code: "slow", seconds: 0.05 },
    { target: 1, call: "write", code: "slow", seconds: 0.05, bytesMax: 10 },
  ] as const;
  const backend = makeBackend({ kind: "faulty", of: { kind: "null" }, faults }, services);
  // The clock starts before the call does: on a busy machine the test may stand still between the two.
  const isLate = async (call: () => Promise<void>) => {
    const began = performance.now();
    await call();
    return performance.now() - began > 45;
  };
  const [zero, one] = [await backend.create("zero", 0), await backend.create("one", 1)];
  expect(await isLate(() => zero.sync())).toBe(true);
  expect(await isLate(() => one.write(new Uint8Array(10), 0))).toBe(true);
  const order: string[] = [];
  const small = one.write(new Uint8Array(10), 0).then(() => order.push("small"));
  await one.write(new Uint8Array(11), 0).then(() => order.push("large"));
  await zero.write(new Uint8Array(10), 0).then(() => order.push("other target"));
  await small;
  expect(order).toEqual(["large", "other target", "small"]);
});

it("a pace is kept in the long run, whoever asks, and idle time is not saved up", () => {
  let now = 100;
  const pacer = new Pacer([1000, 0], () => now);
  expect(pacer.wait(1, 1e9)).toBe(0);
  let waited = 0;
  for (let i = 0; i < 50; i++) {
    const wait = pacer.wait(0, 100);
    // Each is 2 ms late, as if the request had been on its way.
    now += wait + 0.002;
    waited = now - 100;
  }
  expect(waited).toBeGreaterThan(4.95);
  expect(waited).toBeLessThan(5.06);
  now += 60;
  expect(pacer.wait(0, 100)).toBeCloseTo(0.05, 6);
});
