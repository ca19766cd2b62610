import fc from "fast-check";
import { expect, it } from "vitest";
import { type Folder, folderTree } from "./folder-tree.ts";
import type { JobFile } from "./job.ts";

const file = (path: string, seconds: number, bytes = 1): JobFile =>
  ({
    ...{ path, seconds, bytesRead: bytes, bytesWritten: 2 * bytes },
    layers: new Map([["POSIX", {}]]),
    called: { layer: "POSIX", metaSeconds: seconds / 4 },
  }) as unknown as JobFile;

const outline = (folder: Folder): unknown[] => [
  `${folder.path} ${folder.files} ${folder.seconds}`,
  ...folder.children.map(outline),
  ...(folder.other === null ? [] : [`other ${folder.other.folders} ${folder.other.files}`]),
];

it("joins chains, puts the most time first and sums up what is small", () => {
  const files = [
    ...[file("/scratch/p/run/a/x", 5), file("/scratch/p/run/a/deep/er/y", 3)],
    ...[file("/scratch/p/run/b/z", 20), file("/scratch/p/run/tiny/q", 0.0625)],
  ];
  expect(outline(folderTree({ files }) as Folder)).toEqual([
    "/scratch/p/run 4 28.0625",
    ["/scratch/p/run/b 1 20"],
    ["/scratch/p/run/a 2 8", ["/scratch/p/run/a/deep/er 1 3"]],
    "other 1 1",
  ]);
  expect(folderTree({ files: [] })).toBeUndefined();
});

it("keeps names that are no paths, files in / and unknown times", () => {
  const tree = folderTree({ files: [file("<STDOUT>", Number.NaN), file("/vmlinuz", 1), file("rel/a", 1)] });
  expect(outline(tree as Folder)).toEqual([" 3 2", ["/ 1 1"]]);
});

it("loses no file, byte or second, whatever is folded", () => {
  const part = fc.constantFrom("a", "b", "c", "");
  const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join("/")}f`);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(path, fc.nat(9)), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 30 }),
      (list, shownMax, foldersMax) => {
        const files = list.map(([name, seconds]) => file(name, seconds, seconds + 1));
        const tree = folderTree({ files }, shownMax, foldersMax) as Folder;
        expect(tree.files).toBe(files.length);
        expect(tree.seconds).toBe(list.reduce((sum, [, seconds]) => sum + seconds, 0));
        expect(tree.metadataSeconds).toBeCloseTo(tree.seconds / 4);
        expect(tree.bytesWritten).toBe(2 * tree.bytesRead);
        let count = 0;
        const check = (folder: Folder): void => {
          count++;
          const below = [...folder.children, ...(folder.other === null ? [] : [folder.other])];
          const inside = below.reduce((sum, one) => sum + one.files, 0);
          const own = files.filter(({ path: name }) => name.startsWith(`${folder.path}/`)).length;
          expect(inside).toBeLessThanOrEqual(folder.files);
          if (folder.path !== "" && folder.path !== "/" && foldersMax > list.length + 1)
            expect(folder.files).toBe(own);
          folder.children.forEach(check);
        };
        check(tree);
        expect(count).toBeLessThanOrEqual(shownMax);
      },
    ),
  );
});

it("keeps time and memory in bounds with a folder for each of very many files", () => {
  const files = Array.from({ length: 200_000 }, (_, i) => file(`/s/p${i % 97}/d${i}/f`, 1));
  const tree = folderTree({ files }, 40, 1000) as Folder;
  expect(tree.files).toBe(200_000);
  expect(tree.path).toBe("/s");
});
