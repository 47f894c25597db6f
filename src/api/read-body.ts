/**
 * Reads a request's body as raw bytes, never more than the limit (D33), Content-Length first. Never parses.
 */
import type { IncomingMessage } from 'node:http';

const EMPTY = Buffer.alloc(0);

/** The bytes; or `too-large`; or `gone`: the client left before the end. */
export type BodyResult = Buffer | 'too-large' | 'gone';

export function readBody(req: IncomingMessage, limit: number): BodyResult | Promise<BodyResult> {
  const declared = req.headers['content-length'];
  if (declared !== undefined && Number(declared) > limit) return 'too-large';
  if (req.headers['transfer-encoding'] === undefined && Number(declared ?? 0) === 0) return EMPTY;
  const length = declared === undefined ? null : Number(declared);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (result: BodyResult) => {
      req.off('data', onData).off('end', onEnd).off('close', onGone);
      resolve(result);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) settle('too-large');
      // The parser lets no byte more through than was declared: nothing but the end follows.
      else if (size === length) settle(Buffer.concat(chunks, size));
    };
    const onEnd = () => settle(Buffer.concat(chunks, size));
    const onGone = () => settle('gone');
    // 'close' always follows 'error'; the error listener stays, so that a late error cannot end the process.
    req
      .on('data', onData)
      .on('end', onEnd)
      .on('close', onGone)
      .on('error', () => {});
  });
}
