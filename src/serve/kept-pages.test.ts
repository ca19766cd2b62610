import { describe, expect, it } from "vitest";
import { KeptPages } from "./kept-pages.ts";

function making() {
  let resolve = (_: string): void => {};
  let reject = (_: Error): void => {};
  const promise = new Promise<string>((done, failed) => {
    [resolve, reject] = [done, failed];
  });
  return { promise, resolve, reject };
}

const page = (tag: string, text: string) => ({ tag, body: Buffer.from(text) });
const request = (tag: string, make: () => Promise<{ tag: string; body: Buffer }>, mayBeOlder = false) => ({
  ...{ key: "/", tag, make, mayBeOlder },
});
const none = () => Promise.reject(new Error("made again"));

describe("pages that are kept", () => {
  it("makes a page once for a version, however many ask", async () => {
    const pages = new KeptPages();
    let times = 0;
    const make = async () => page("1", `page ${++times}`);
    const all = await Promise.all([1, 2, 3].map(() => pages.page(request("1", make))));
    expect(all.map(({ body }) => String(body))).toEqual(["page 1", "page 1", "page 1"]);
    expect((await pages.page(request("1", none))).ageMs).toBeUndefined();
  });

  it("gives whoever opens a page the one before while the new one is made, with its age", async () => {
    const pages = new KeptPages({ patienceMs: 0 });
    await pages.page(request("1", async () => page("1", "old")));
    const slow = making();
    const opened = await pages.page(request("2", async () => page("2", await slow.promise), true));
    expect([String(opened.body), opened.tag]).toEqual(["old", "1"]);
    expect(opened.ageMs).toBeGreaterThanOrEqual(0);
    // Open pages wait for what is being made, and it is not made again.
    const live = pages.page(request("2", none));
    slow.resolve("new");
    expect(String((await live).body)).toBe("new");
    expect((await pages.page(request("2", none, true))).ageMs).toBeUndefined();
  });

  it("gives no page that is too old to be of use", async () => {
    const pages = new KeptPages({ patienceMs: 0, oldestMs: -1 });
    await pages.page(request("1", async () => page("1", "old")));
    const { body } = await pages.page(request("2", async () => page("2", "new"), true));
    expect(String(body)).toBe("new");
  });

  it("makes a page for a newer version after the one that is being made", async () => {
    const pages = new KeptPages();
    const slow = making();
    const first = pages.page(request("1", async () => page("1", await slow.promise)));
    await new Promise((resolve) => setTimeout(resolve, 2));
    const second = pages.page(request("2", async () => page("2", "second")));
    slow.resolve("first");
    expect(String((await first).body)).toBe("first");
    expect(String((await second).body)).toBe("second");
  });

  it("tries again after a failure, and tells it only those who asked before it", async () => {
    const pages = new KeptPages();
    const slow = making();
    const first = pages.page(request("1", async () => page("1", await slow.promise)));
    await new Promise((resolve) => setTimeout(resolve, 2));
    const second = pages.page(request("1", async () => page("1", "again")));
    slow.reject(new Error("segments are gone"));
    await expect(first).rejects.toThrow("segments are gone");
    expect(String((await second).body)).toBe("again");
  });

  it("keeps no more bytes than it may, the latest used longest", async () => {
    const pages = new KeptPages({ bytesMax: 250 });
    const of = (key: string, make = async () => page("1", key.repeat(100))) =>
      pages.page({ key, tag: "1", mayBeOlder: false, make });
    for (const key of ["a", "b", "c"]) await of(key);
    await of("c", none);
    await of("b", none);
    await expect(of("a", none)).rejects.toThrow("made again");
  });
});
