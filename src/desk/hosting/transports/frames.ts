/** Messages on a byte stream: four bytes of length (big-endian), then that many bytes of UTF-8 JSON. */

/** Most bytes of a message in either direction: a state is sent in parts that are far below it. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** Most bytes of a message from a terminal to the desk: a call. */
export const MAX_CALL_BYTES = 1024 * 1024;
const HEADER_BYTES = 4;

export class FrameError extends Error {
  override readonly name = 'FrameError';
}

/** Encodes a message. Throws a `FrameError` when it is too long, a `TypeError` when it is not plain data. */
export function encodeFrame(message: unknown, maxBytes = MAX_FRAME_BYTES): Buffer {
  if (isDelta(message)) {
    const { delta, ...rest } = message;
    return frameOf(['{"delta":', bytesOf(delta), `,${JSON.stringify(rest).slice(1)}`], maxBytes);
  }
  return frameOf([JSON.stringify(message)], maxBytes);
}

function frameOf(parts: readonly (string | Buffer)[], maxBytes: number): Buffer {
  let length = 0;
  for (const part of parts) length += Buffer.byteLength(part);
  if (length > maxBytes)
    throw new FrameError(`a message of ${length} bytes is over the limit of ${maxBytes}`);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length);
  let at = frame.writeUInt32BE(length, 0);
  for (const part of parts) at += typeof part === 'string' ? frame.write(part, at) : part.copy(frame, at);
  return frame;
}

/** JSON of state changes, while they are being sent: the same object goes to many terminals. */
const written = new WeakMap<object, Buffer>();

function bytesOf(delta: object): Buffer {
  let bytes = written.get(delta);
  if (!bytes) {
    bytes = Buffer.from(JSON.stringify(delta));
    written.set(delta, bytes);
  }
  return bytes;
}

/** Whether a message is a delta as sessions send it; its object is never changed again. */
function isDelta(message: unknown): message is { readonly t: 'delta'; readonly delta: object } {
  const { t, delta } = (message ?? {}) as { readonly t?: unknown; readonly delta?: unknown };
  return t === 'delta' && typeof delta === 'object' && delta !== null;
}

/**
 * Cuts a byte stream into messages. Holds at most one unfinished frame and the chunk it came in; fills the
 * bytes it has read with zeros, since a call may carry a passphrase or keys.
 */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Number of bytes that must be there before the next check. */
  #needed = HEADER_BYTES;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the messages that `chunk` completes. Throws a `FrameError` on bytes that are no such stream. */
  push(chunk: Buffer): unknown[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const messages: unknown[] = [];
    if (this.#bytes < this.#needed) return messages;
    let rest = chunk;
    if (this.#chunks.length > 1) {
      rest = Buffer.concat(this.#chunks, this.#bytes);
      for (const part of this.#chunks) part.fill(0);
    }
    this.#needed = HEADER_BYTES;
    while (rest.length >= HEADER_BYTES) {
      const length = rest.readUInt32BE(0);
      if (length > this.#maxBytes)
        throw new FrameError(`a message of ${length} bytes is over the limit of ${this.#maxBytes}`);
      if (rest.length < HEADER_BYTES + length) {
        this.#needed = HEADER_BYTES + length;
        break;
      }
      const text = rest.toString('utf8', HEADER_BYTES, HEADER_BYTES + length);
      rest.fill(0, 0, HEADER_BYTES + length);
      messages.push(parse(text));
      rest = rest.subarray(HEADER_BYTES + length);
    }
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
    return messages;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FrameError('a message is not JSON', { cause });
  }
}
