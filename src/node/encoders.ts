/** Stream encoders of Node: zlib and bzip2, with memory bounded by the pieces that are written. */
import { constants, createDeflate, deflateSync } from "node:zlib";
import { bzip2Compress } from "../base/bzip2/index.ts";
import { hasSteppedZlib, type ZlibEngine } from "./zlib.ts";

interface StreamEncoder {
  write(plain: Uint8Array): void;
  end(): void;
}
type Emit = (bytes: Uint8Array) => void;

/** One zlib stream at the default level, compressed as it comes (see zlib.ts on the engine it uses). */
function steppedDeflate(emit: Emit): StreamEncoder {
  const { _handle: engine, _writeState: state } = createDeflate() as unknown as {
    _handle: ZlibEngine;
    _writeState: Uint32Array;
  };
  engine.onerror = (message) => {
    throw new Error(`zlib cannot compress: ${message}`);
  };
  const output = new Uint8Array(1 << 16);
  const run = (plain: Uint8Array, flush: number) => {
    let at = 0;
    for (;;) {
      engine.writeSync(flush, plain, at, plain.length - at, output, 0, output.length);
      const made = output.length - (state[0] as number);
      at = plain.length - (state[1] as number);
      if (made > 0) emit(output.slice(0, made));
      if ((state[0] as number) > 0) return;
    }
  };
  return {
    write: (plain) => run(plain, constants.Z_NO_FLUSH),
    end: () => {
      run(new Uint8Array(0), constants.Z_FINISH);
      engine.close();
    },
  };
}

/** Keeps a stream until its end; for codecs that take it whole. */
function collected(compress: (plain: Uint8Array) => Uint8Array): (emit: Emit) => StreamEncoder {
  return (emit) => {
    const parts: Uint8Array[] = [];
    return {
      write: (plain) => void parts.push(plain.slice()),
      end: () => emit(compress(Buffer.concat(parts))),
    };
  };
}

export const nodeEncoders = {
  zlib: hasSteppedZlib ? steppedDeflate : collected((plain) => deflateSync(plain)),
  bzip2: collected((plain) => bzip2Compress(plain)),
};
