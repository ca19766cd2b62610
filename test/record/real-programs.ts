/** Real programs, each with input of its own: what they do must not depend on whether they are recorded. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface RealProgram {
  readonly name: string;
  /** All must be there, else the program is left out. */
  readonly needs: readonly string[];
  readonly script: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Why only the sums over all files can be compared with those of strace; absent when each file can. */
  readonly unequal?: "temporary names";
  /** Bytes read and written together, where strace cannot say. */
  readonly totalBytes?: number;
}

const LINES = Array.from({ length: 60_000 }, (_, i) => `${(i * 7919) % 100_003} some text ${i}\n`).join("");

const CXX = `#include <fstream>
#include <iostream>
#include <string>
int main() {
  { std::ofstream out("out.txt"); for (int i = 0; i < 20000; i++) out << i << " lines\\n"; }
  std::ifstream in("out.txt"); std::string line; long n = 0;
  while (std::getline(in, line)) n += line.size();
  std::ofstream raw("raw.bin", std::ios::binary); raw.write(line.c_str(), 0); for (int i = 0; i < 3000; i++) raw.write((char *)&i, 4);
  std::cout << n << std::endl;
}
`;
const FORTRAN = `program io
  integer :: i, n, total
  real(8) :: values(1000)
  open(10, file='text.dat'); do i = 1, 5000; write(10, '(i8,a)') i, ' line'; end do; close(10)
  values = 1.5d0
  open(11, file='raw.dat', form='unformatted'); do i = 1, 20; write(11) values; end do; close(11)
  open(10, file='text.dat', status='old'); total = 0
  do i = 1, 5000; read(10, *) n; total = total + n; end do; close(10)
  open(12, file='direct.dat', access='direct', recl=800); do i = 10, 1, -1; write(12, rec=i) values(1:100); end do; close(12)
  print *, total
end program
`;
const C = `#include <stdio.h>
int main(void) { FILE *f = fopen("made", "w"); for (int i = 0; i < 1000; i++) fprintf(f, "%d\\n", i); return fclose(f); }
`;

export const PROGRAMS: readonly RealProgram[] = [
  {
    name: "gcc with its intermediate files, then the program",
    needs: ["gcc"],
    files: { "a.c": C },
    script: "gcc -O1 -save-temps -o a a.c && ./a && rm a.o",
  },
  {
    name: "make that compiles two files",
    needs: ["make", "gcc"],
    files: { "a.c": C, Makefile: "all: a b\nb: a\n\tcp a b\na: a.c\n\tgcc -O0 -o a a.c\n" },
    script: "make && make -q",
  },
  { name: "C++ streams", needs: ["g++"], files: { "a.cc": CXX }, script: "g++ -O1 -o a a.cc && ./a" },
  {
    name: "Fortran, formatted, unformatted and direct",
    needs: ["gfortran"],
    files: { "a.f90": FORTRAN },
    script: "gfortran -o a a.f90 && ./a",
  },
  {
    name: "python3, text and binary files and a module",
    needs: ["python3"],
    files: {
      lines: LINES,
      "own.py": "def total(path):\n    return sum(int(line.split()[0]) for line in open(path))\n",
    },
    script: `python3 -B -c '
import os, shutil, own, json
print(own.total("lines"))
json.dump(list(range(5000)), open("j", "w"))
shutil.copy2("lines", "copy"); os.rename("copy", "moved"); os.makedirs("a/b"); shutil.rmtree("a")
with open("moved", "r+b") as f: f.seek(1000); f.write(b"x" * 10); f.truncate(50000)
'`,
  },
  {
    name: "perl",
    needs: ["perl"],
    files: { lines: LINES },
    script: `perl -ne 'print if /9 some/' lines > out && perl -pi -e 's/some/any/' lines`,
    unequal: "temporary names",
  },
  {
    name: "node",
    needs: ["node"],
    files: { lines: LINES },
    script: `node -e 'const fs = require("fs"); const t = fs.readFileSync("lines", "utf8"); fs.writeFileSync("out", t.toUpperCase()); fs.mkdirSync("d"); fs.copyFileSync("out", "d/c"); for (const f of fs.readdirSync("d")) fs.appendFileSync("d/" + f, "end"); console.log(fs.statSync("d/c").size)'`,
  },
  {
    name: "awk",
    needs: ["awk"],
    files: { lines: LINES },
    script: `awk '{ s[$1 % 7] += $4; print > ("part" $1 % 7) } END { for (k in s) print k, s[k] | "sort" }' lines`,
  },
  {
    name: "sed in place",
    needs: ["sed"],
    files: { lines: LINES },
    script: "sed -i -e 's/some/any/' -e '1,10d' lines",
    unequal: "temporary names",
  },
  {
    name: "sort with temporary files",
    needs: ["sort"],
    files: { lines: LINES },
    script: "mkdir t && sort -n -S 100k -T t lines > out && sort -c -n out && rmdir t",
    unequal: "temporary names",
  },
  {
    name: "sqlite3, with rollback and a CSV file",
    needs: ["sqlite3"],
    script: `sqlite3 x.db 'create table t(a, b); begin; with recursive c(x) as (select 1 union all select x+1 from c where x<20000) insert into t select x, x*x from c; commit; begin; delete from t; rollback;' && sqlite3 -csv x.db 'select * from t' > out.csv && sqlite3 x.db 'pragma integrity_check; vacuum; select count(*) from t'`,
  },
  {
    name: "tar and gzip, in and out",
    needs: ["tar", "gzip"],
    files: { lines: LINES },
    script: `mkdir d e; for i in $(seq 1 50); do head -n $i lines > d/f$i; done; tar --mtime=@0 --sort=name -czf a.tgz d && tar -C e -xzf a.tgz && diff -r d e/d`,
  },
  {
    name: "gzip, bzip2, xz and zstd",
    needs: ["gzip", "bzip2", "xz", "zstd"],
    files: { lines: LINES },
    script:
      "gzip -nk lines; bzip2 -k lines; xz -k -T1 lines; zstd -q --single-thread lines; xz -dc lines.xz | cmp - lines && zstd -dqc lines.zst | cmp - lines",
  },
  {
    name: "zip",
    needs: ["zip"],
    files: { lines: LINES },
    script: "touch -d @1000000000 lines && zip -qX a.zip lines && zip -sf a.zip",
    unequal: "temporary names",
  },
  {
    name: "git: commits, a branch, a clone",
    needs: ["git"],
    files: { lines: LINES },
    script: `export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_DATE='1000000000 +0000' GIT_COMMITTER_DATE='1000000000 +0000' GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q -b main r && cd r && cp ../lines . && git add lines && git commit -qm one && git checkout -qb b && echo x >> lines && git commit -qam two && cd .. && git clone -q --no-local r c && git -C c log --format=%H && rm -rf r/.git/index c/.git/index c/.git/logs r/.git/logs`,
    unequal: "temporary names",
  },
  {
    name: "rsync, whole files and in place",
    needs: ["rsync"],
    files: { lines: LINES },
    script:
      "mkdir a; for i in 1 2 3 4; do head -n $i'000' lines > a/f$i; touch -d @1000 a/f$i; done; rsync -a a/ b/ && echo x >> a/f1 && touch -d @2000 a/f1 && rsync -a --checksum a/ b && rsync -a --inplace --no-whole-file --ignore-times a/ b && diff -r a b",
    unequal: "temporary names",
  },
  {
    name: "find that starts programs, xargs",
    needs: ["find", "xargs", "md5sum"],
    files: { lines: LINES },
    script:
      "mkdir a; for i in 1 2 3 4; do head -n $i'00' lines > a/f$i; done; find a -type f -exec cp {} {}.copy ';'; find a -name '*.copy' -print0 | sort -z | xargs -0 -n 2 md5sum; find a -type f -exec md5sum {} + | sort; find a -name '*.copy' -delete; ls a",
  },
  {
    name: "make with four jobs at once",
    needs: ["make", "gcc"],
    files: { "a.c": C, "b.c": C, "c.c": C, Makefile: "all: a b c\n%: %.c\n\tgcc -O1 -o $@ $<\n" },
    script: "make -s -j4 && ./a && ls",
    unequal: "temporary names",
  },
  ...["fork", "spawn"].map(
    (way): RealProgram => ({
      name: `Python's multiprocessing, by ${way}`,
      needs: ["python3"],
      files: {
        lines: LINES,
        "work.py": `import multiprocessing, sys
def work(i):
    with open(f"o{i}", "w") as out: out.write("x" * 1000 * i)
    return sum(len(line) for line in open("lines"))
if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(2) as pool:
        print(pool.map(work, range(6), chunksize=3))
        pool.close(); pool.join()
    one = context.Process(target=work, args=(9,)); one.start(); one.join(); print(one.exitcode)
`,
      },
      script: `python3 -B work.py ${way}`,
    }),
  ),
  {
    name: "dd, direct where it can be",
    needs: ["dd"],
    files: { lines: LINES },
    script:
      "dd if=lines of=out bs=7777 conv=fsync status=none; dd if=lines of=out2 bs=1M status=none; cmp out out2",
  },
  {
    name: "cp, mv, ln, find, rm, du, chmod",
    needs: ["cp", "find", "du"],
    files: { lines: LINES },
    script: `mkdir -p d/e; for i in 1 2 3; do cp lines d/e/$i; done; cp -r d d2; ln -s d l; ln d/e/1 hard; mv d2 d3; chmod 640 d3/e/2; touch -d @1000 d3/e/3; find . -name '[0-9]' -newermt @500 | sort; du -s --apparent-size d3; rm -r d3/e; ls d3 l/e`,
  },
  {
    name: "grep, cut, split, paste, od, md5sum, diff",
    needs: ["grep", "split"],
    files: { lines: LINES },
    script:
      "grep -c 9 lines; cut -d' ' -f1 lines > n; split -l 10000 n part; paste part?? > p; od -An -c p > o; md5sum part?? p; diff partaa partab > df; tail -n 3 p; wc lines",
  },
  {
    name: "a shell with redirections, a here document and its descriptors",
    needs: ["bash"],
    files: { lines: LINES },
    script: `exec 5<lines; read -r a <&5; echo "$a"; exec 5<&-; { echo one; echo two >&2; } > out 2> err; cat <<END > here
text
END
ls /proc/self/fd; (exit 7); echo $?; ulimit -n; umask; cat < here >> out; printf 'x%.0s' {1..5000} > many; kill -TERM $$`,
  },
  {
    name: "2,000 short children",
    needs: ["sh"],
    script: `i=0; while [ $i -lt 2000 ]; do /bin/true; i=$((i+1)); done; echo $i > done; for i in 1 2 3 4 5 6 7 8; do (echo $i > c$i) & done; wait; cat c?`,
  },
  {
    name: "a Python that forks, spawns, and closes all descriptors",
    needs: ["python3"],
    script: `python3 -B -c '
import os, subprocess, sys, resource
os.closerange(3, 256)
open("a", "w").write("x" * 10000)
print(subprocess.run(["cat", "a"], capture_output=True, close_fds=True).stdout.count(b"x"))
pids = []
for i in range(5):
    p = os.fork()
    if p == 0:
        open(f"c{i}", "w").write(str(i) * 1000); os._exit(i)
    pids.append(p)
print([os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]) for p in pids])
print(sorted(os.listdir("/proc/self/fd")), os.path.exists("missing"))
try: open("missing/x")
except OSError as e: print(e.errno)
os.abort()
'`,
  },
  {
    name: "100 threads",
    needs: ["python3"],
    script: `python3 -B -c '
import threading
def work(i):
    with open(f"t{i}", "w") as f:
        for j in range(200): f.write(f"{i} {j}\\n")
threads = [threading.Thread(target=work, args=(i,)) for i in range(100)]
[t.start() for t in threads]; [t.join() for t in threads]
print("done")
'`,
  },
  {
    name: "cmake's own file commands",
    needs: ["cmake"],
    files: {
      "a.cmake":
        'file(WRITE w.txt "abc")\nfile(READ w.txt x)\nfile(APPEND w.txt "more")\nfile(COPY w.txt DESTINATION d)\nfile(SHA256 d/w.txt s)\n',
    },
    script: "cmake -P a.cmake",
  },
  {
    name: "java",
    needs: ["java", "javac"],
    files: {
      "A.java":
        'import java.nio.file.*;public class A{public static void main(String[] a) throws Exception{Files.writeString(Path.of("o"),"x".repeat(100000));System.out.println(Files.readString(Path.of("o")).length());Files.move(Path.of("o"),Path.of("p"));}}',
    },
    script: "javac -J-Xshare:auto A.java && java -Xshare:auto -cp . A",
  },
  {
    name: "rustc",
    needs: ["rustc"],
    files: {
      "a.rs":
        'use std::io::Write; fn main() { let mut f = std::fs::File::create("o").unwrap(); for i in 0..1000 { writeln!(f, "{}", i).unwrap(); } println!("{}", std::fs::read_to_string("o").unwrap().len()); }',
    },
    script: "rustc -C codegen-units=1 -o a a.rs 2>/dev/null; ./a; rm -f a",
    unequal: "temporary names",
  },
  {
    name: "fio with libaio",
    needs: ["fio"],
    script:
      "fio --name=a --ioengine=libaio --rw=randrw --size=1m --bs=4k --iodepth=8 --randseed=1 --output=/dev/null --verify=0 --allrandrepeat=1; rm -f local* a.0.0",
    // 1 MiB laid out, and 1 MiB of random reads and writes; strace shows requests and results that it does not pair.
    totalBytes: 2 * 2 ** 20,
  },
];

/** Those that the quick tests run. */
export const QUICK: ReadonlySet<string> = new Set([
  "gcc with its intermediate files, then the program",
  "C++ streams",
  "sort with temporary files",
  "sqlite3, with rollback and a CSV file",
  "tar and gzip, in and out",
  "a shell with redirections, a here document and its descriptors",
]);

export function putFiles(folder: string, { files = {} }: RealProgram): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}
