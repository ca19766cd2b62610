import { expect, it } from "vitest";
import { droppedFiles, pickedFiles } from "./drop.ts";

const file = (name: string) => new File([name], name);

/** Firefox and Safari: entries, whose folders hand out some at a time. */
const fileEntry = (name: string) => ({
  ...{ isFile: true, name },
  file: (done: (one: File) => void) => done(file(name)),
});
function folderEntry(name: string, children: readonly object[], atOnce = 2): object {
  return {
    ...{ isFile: false, name },
    createReader() {
      let at = 0;
      return {
        readEntries(done: (entries: readonly object[]) => void) {
          done(children.slice(at, (at += atOnce)));
        },
      };
    },
  };
}

/** Chromium: handles. */
const fileHandle = (name: string) => ({ kind: "file", name, getFile: async () => file(name) });
const folderHandle = (name: string, children: readonly object[]) => ({
  ...{ kind: "directory", name },
  async *values() {
    yield* children;
  },
});

const dropped = (items: readonly object[], files: readonly File[] = []) =>
  droppedFiles({
    items: items.map((item) => ({ kind: "file", ...item })),
    files,
  } as unknown as DataTransfer);
const paths = async (found: ReturnType<typeof dropped>) => (await found).map(({ path }) => path);

const TREE = ["job/node1/11/a.darshan", "job/node1/12/b.darshan", "job/c.darshan", "d.darshan"];

it("takes a folder with all below it, by entries", async () => {
  const processes = ["11", "12"].map((name, i) => folderEntry(name, [fileEntry(`${"ab"[i]}.darshan`)]));
  const job = folderEntry("job", [folderEntry("node1", processes, 1), fileEntry("c.darshan")]);
  const items = [job, fileEntry("d.darshan")].map((entry) => ({ webkitGetAsEntry: () => entry }));
  expect(await paths(dropped(items))).toEqual(TREE);
});

it("takes the same by handles, which come before entries that cannot be read", async () => {
  const processes = ["11", "12"].map((name, i) => folderHandle(name, [fileHandle(`${"ab"[i]}.darshan`)]));
  const job = folderHandle("job", [folderHandle("node1", processes), fileHandle("c.darshan")]);
  const items = [job, fileHandle("d.darshan")].map((handle) => ({
    getAsFileSystemHandle: async () => handle,
    webkitGetAsEntry: () => ({ isFile: true, name: "x", file: (_: unknown, failed: () => void) => failed() }),
  }));
  expect(await paths(dropped(items))).toEqual(TREE);
});

it("takes plain files where a browser gives nothing else", async () => {
  expect(await paths(dropped([{ webkitGetAsEntry: () => null }], [file("e.csv")]))).toEqual(["e.csv"]);
});

it("refuses more files than it would list, and drops none of them quietly", async () => {
  const many = Array.from({ length: 20_001 }, (_, i) => fileEntry(`${i}`));
  const message = "more than 20,000 files; drop the folder of one job, or use plimsoll report FOLDER";
  const large = folderEntry("large", many, 1000);
  await expect(dropped([{ webkitGetAsEntry: () => large }])).rejects.toThrow(message);
  expect(() => pickedFiles(many as unknown as FileList)).toThrow(message);
  const enough = folderEntry("enough", many.slice(1), 1000);
  expect(await dropped([{ webkitGetAsEntry: () => enough }])).toHaveLength(20_000);
});
