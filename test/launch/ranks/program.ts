/** What ranks of `launch-processes.test.ts` do: one exercise, chosen by its data. */
import { FormatError } from "../../../src/base/errors.ts";
import { beRank } from "../../../src/launch/processes/child.ts";

interface Exercise {
  readonly what: "collectives" | "messages" | "throw" | "die" | "hang" | "abort" | "input";
}

beRank<Exercise>(async ({ communicator, data, tell }) => {
  const { rank, size } = communicator;
  switch (data.what) {
    case "collectives":
      for (let round = 0; round < 20; round++) {
        await communicator.barrier();
        const root = round % size;
        const word = await communicator.broadcast(
          rank === root ? Uint8Array.of(round, root) : undefined,
          root,
        );
        const gathered = await communicator.gather(new Uint8Array(rank + round).fill(rank), root);
        // Uneven and empty parts: rank r sends (r * to * round) bytes.
        const out = Array.from({ length: size }, (_, to) => new Uint8Array(rank * to * round).fill(rank + 1));
        const received = await communicator.exchange(out);
        tell({
          word: [...word],
          gathered: gathered?.map((part) => [part.length, part[0] ?? null]),
          received: received.map((part) => [
            part.length,
            part.every((byte, i, all) => byte === all[0] && i >= 0),
          ]),
        });
      }
      return;
    case "messages": {
      const count = 200;
      const sending = (async () => {
        for (let i = 0; i < count; i++) {
          const bytes = new Uint8Array((i * 37) % 5000);
          bytes.fill(i % 251);
          await communicator.send((rank + i) % size, bytes);
        }
      })();
      const next = new Array(size).fill(0);
      let wrong = 0;
      for (let got = 0; got < count; got++) {
        const { from, bytes } = await communicator.receive();
        // The n-th message from a rank is the n-th that it sent here.
        const i = ((rank - from + size) % size) + size * next[from]++;
        if (bytes.length !== (i * 37) % 5000 || !bytes.every((byte) => byte === i % 251)) wrong++;
      }
      await sending;
      tell({ wrong });
      return;
    }
    case "throw":
      if (rank === 1) throw new Error("the disk of rank 1 is full");
      await communicator.barrier();
      return;
    case "input":
      if (rank === size - 1) throw new FormatError("server 2", {}, "closed the connection");
      await communicator.barrier();
      return;
    case "abort":
      if (rank === size - 1) communicator.abort("parameters differ");
      await communicator.barrier();
      return;
    case "die":
      await communicator.barrier();
      if (rank === 0) process.kill(process.pid, "SIGKILL");
      await communicator.barrier();
      return;
    case "hang":
      tell("up");
      await new Promise((resolve) => setTimeout(resolve, 60_000));
  }
});
