/**
 * WebSocket clients that break the protocol, flood, or vanish: each is closed with the right code or cut off,
 * and the stream continues for everybody else.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { attackClass } from '../../support/attacks.ts';
import { handshake, orderEvent, orderIds, StreamBench, type StreamClient } from '../ws/support.ts';
import { until } from './support.ts';

const FLOOD = attackClass('WebSocket floods');

const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

interface FrameParts {
  readonly opcode: number;
  readonly payload?: Buffer | string;
  /** The final frame of a message. Default true. */
  readonly fin?: boolean;
  /** The three reserved bits. */
  readonly rsv?: number;
  /** Default true, as the protocol demands of a client. */
  readonly masked?: boolean;
  /** The length that the header claims, instead of the payload's own. */
  readonly length?: bigint;
}

/** The bytes of a frame, valid or not. */
function frame({ opcode, payload = '', fin = true, rsv = 0, masked = true, length }: FrameParts): Buffer {
  const data = Buffer.from(payload);
  const size = length ?? BigInt(data.length);
  const first = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  const flag = masked ? 0x80 : 0;
  const head =
    size < 126n
      ? Buffer.from([first, flag | Number(size)])
      : size < 65_536n
        ? Buffer.from([first, flag | 126, Number(size) >> 8, Number(size) & 0xff])
        : Buffer.concat([Buffer.from([first, flag | 127]), bytesOf(size)]);
  if (!masked) return Buffer.concat([head, data]);
  const mask = Buffer.from([1, 2, 3, 4]);
  return Buffer.concat([head, mask, data.map((byte, i) => byte ^ (mask[i % 4] ?? 0))]);
}

function bytesOf(size: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(size);
  return bytes;
}

/** A connection past its handshake that writes anything and records the frames it gets. */
class RawStream {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  #received = Buffer.alloc(0);
  #upgraded = false;
  readonly frames: { readonly opcode: number; readonly payload: Buffer }[] = [];

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = once(socket, 'close').catch(() => {});
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#read();
    });
  }

  /** Connects. `behind`: bytes in the same write as the handshake. */
  static async open(bench: StreamBench, behind: Buffer = Buffer.alloc(0)): Promise<RawStream> {
    const socket = connect({ host: '127.0.0.1', port: bench.api.port });
    const stream = new RawStream(socket);
    await once(socket, 'connect');
    socket.write(Buffer.concat([Buffer.from(handshake()), behind]));
    await until('the handshake', () => stream.#upgraded);
    return stream;
  }

  /** Ops of the messages received so far. */
  get ops(): string[] {
    return this.frames
      .filter(({ opcode }) => opcode === TEXT)
      .map(({ payload }) => JSON.parse(payload.toString()).op);
  }

  /** Returns the code of the close frame; null when the connection ended without one. */
  async closeCode(): Promise<number | null> {
    await this.closed;
    const close = this.frames.find(({ opcode }) => opcode === CLOSE);
    return close === undefined ? null : close.payload.readUInt16BE(0);
  }

  #read(): void {
    if (!this.#upgraded) {
      const end = this.#received.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.#upgraded = true;
      this.#received = this.#received.subarray(end + 4);
    }
    for (;;) {
      const [first = 0, second = 0] = this.#received;
      const size = second & 0x7f;
      const start = size === 126 ? 4 : size === 127 ? 10 : 2;
      if (this.#received.length < start) return;
      const length =
        size === 126
          ? this.#received.readUInt16BE(2)
          : size === 127
            ? Number(this.#received.readBigUInt64BE(2))
            : size;
      if (this.#received.length < start + length) return;
      this.frames.push({ opcode: first & 0x0f, payload: this.#received.subarray(start, start + length) });
      this.#received = this.#received.subarray(start + length);
      // Answers a close frame as a client must, so that the connection ends.
      if ((first & 0x0f) === CLOSE) this.socket.end(frame({ opcode: CLOSE }));
    }
  }
}

let bench: StreamBench;
/** A normal client: connected before the hostile one, and still served afterwards. */
let witness: StreamClient;
beforeEach(async () => {
  bench = await StreamBench.start();
  witness = await bench.subscribed('orders');
});

let events = 0;
async function expectUnharmed(): Promise<void> {
  const late = await bench.subscribed('orders');
  events += 1;
  bench.desk.tell(orderEvent(events));
  for (const client of [witness, late]) {
    await client.settle();
    expect(orderIds(client).at(-1)).toBe(`ps-${events}`);
  }
  late.ws.close();
  await late.end();
  for (const { level, text } of bench.desk.lines) {
    expect(level, text).not.toBe('error');
    expect(text).toMatch(/^[\x20-\x7e]*$/);
  }
}

const JSON_PING = JSON.stringify({ op: 'ping' });

describe('a frame that no client may send', () => {
  // proves: ws-close 1009, limit frame-size
  it.each<[string, number | null, FrameParts[]]>([
    ['without a mask', 1002, [{ opcode: TEXT, payload: JSON_PING, masked: false }]],
    ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode): [string, number, FrameParts[]] => [
      `of the reserved kind ${opcode}`,
      1002,
      [{ opcode, payload: 'x' }],
    ]),
    ...[1, 2, 4].map((rsv): [string, number, FrameParts[]] => [
      `with the reserved bits ${rsv}`,
      1002,
      [{ opcode: TEXT, payload: JSON_PING, rsv }],
    ]),
    ['that is part of a ping', 1002, [{ opcode: PING, fin: false }]],
    ['that is part of a close', 1002, [{ opcode: CLOSE, fin: false }]],
    ['that is a ping of 126 bytes', 1002, [{ opcode: PING, payload: 'x'.repeat(126) }]],
    ['that goes on with nothing', 1002, [{ opcode: CONTINUATION, payload: 'x' }]],
    [
      'that begins anew in the middle of a message',
      1002,
      [
        { opcode: TEXT, payload: '{', fin: false },
        { opcode: TEXT, payload: '}' },
      ],
    ],
    ['that is half a close code', 1002, [{ opcode: CLOSE, payload: 'x' }]],
    ['that closes with the code 999', 1002, [{ opcode: CLOSE, payload: Buffer.from([3, 231]) }]],
    ['that closes with the code 1005', 1002, [{ opcode: CLOSE, payload: Buffer.from([3, 237]) }]],
    ['that closes with broken UTF-8', 1007, [{ opcode: CLOSE, payload: Buffer.from([3, 232, 0xff]) }]],
    ['with broken UTF-8', 1007, [{ opcode: TEXT, payload: Buffer.from([0xc3, 0x28]) }]],
    ['with half a surrogate', 1007, [{ opcode: TEXT, payload: Buffer.from([0xed, 0xa0, 0x80]) }]],
    ['that says it is 64 KiB and one byte', 1009, [{ opcode: TEXT, length: 65_537n }]],
    ['that says it is 8 PiB', 1009, [{ opcode: BINARY, length: 2n ** 53n }]],
    ['that says it is more than can be', 1009, [{ opcode: TEXT, length: 2n ** 64n - 1n }]],
  ])('%s ends its connection with %s', async (_what, code, frames) => {
    const raw = await RawStream.open(bench);
    raw.socket.write(Buffer.concat(frames.map(frame)));
    expect(await raw.closeCode()).toBe(code);
    await expectUnharmed();
  });
});

describe('a flood', () => {
  it.each([
    ['10,000 fragments of nothing', { opcode: TEXT, fin: false }, { opcode: CONTINUATION, fin: false }],
    [
      '10,000 fragments of one byte',
      { opcode: TEXT, payload: '{', fin: false },
      { opcode: CONTINUATION, payload: ' ', fin: false },
    ],
  ] as const)(
    'of %s ends its connection with 1008',
    FLOOD.counts(async (_what, first, rest) => {
      const raw = await RawStream.open(bench);
      raw.socket.write(Buffer.concat([frame(first), ...Array.from({ length: 10_000 }, () => frame(rest))]));
      expect(await raw.closeCode()).toBe(1_008);
      await expectUnharmed();
    }),
  );

  // proves: ws-close 1008, limit ws-messages, ws-error RATE_LIMITED
  it.each([
    ['pings', frame({ opcode: PING, payload: 'x' })],
    ['messages', frame({ opcode: TEXT, payload: JSON_PING })],
    ['messages of nothing', frame({ opcode: TEXT })],
    ['binary messages', frame({ opcode: BINARY, payload: 'x' })],
    ['answers to pings that nobody sent', frame({ opcode: PONG, payload: 'x'.repeat(100) })],
  ])(
    'of %s ends its connection with 1008 after 200',
    FLOOD.counts(async (_what, one) => {
      const raw = await RawStream.open(bench);
      raw.socket.write(Buffer.concat(Array.from({ length: 5_000 }, () => one)));
      expect(await raw.closeCode()).toBe(1_008);
      expect(raw.frames.length).toBeLessThan(220);
      const last = raw.frames.filter(({ opcode }) => opcode === TEXT).at(-1);
      expect(JSON.parse(String(last?.payload))).toMatchObject({
        op: 'error',
        data: { code: 'RATE_LIMITED' },
      });
      await expectUnharmed();
    }),
  );

  it(
    'of a message in single bytes is read as the message it is',
    FLOOD.counts(async () => {
      const raw = await RawStream.open(bench);
      raw.socket.setNoDelay(true);
      for (const byte of frame({ opcode: TEXT, payload: JSON_PING })) {
        raw.socket.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await until('the answer', () => raw.ops.includes('pong'));
      raw.socket.destroy();
      await expectUnharmed();
    }),
  );
});

describe('bytes that are no frames', () => {
  it.each([
    ['a request of HTTP', Buffer.from('GET /api/v2/orders HTTP/1.1\r\nHost: a\r\n\r\n')],
    ['another handshake', Buffer.from(handshake())],
    ['zeros', Buffer.alloc(5_000)],
    ['bytes of every value', Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 7) & 0xff))],
    ['text', Buffer.from('{"op":"ping"}\n'.repeat(100))],
  ])('%s behind the handshake end the connection', async (_what, bytes) => {
    const raw = await RawStream.open(bench);
    raw.socket.write(bytes);
    await raw.closed;
    await expectUnharmed();
  });

  // proves: rule ws-challenge
  it('but frames in one write with the handshake are read', async () => {
    const raw = await RawStream.open(bench, frame({ opcode: TEXT, payload: JSON_PING }));
    await until('the answer', () => raw.ops.includes('pong'));
    expect(raw.ops).toEqual(['challenge', 'pong']);
    raw.socket.destroy();
    await expectUnharmed();
  });
});

describe('clients that vanish', () => {
  // proves: limit ws-connections-per-address
  it('by the dozen, at every moment of their life, give their places back', async () => {
    bench = await StreamBench.start({ stream: { perAddress: 12 } });
    witness = await bench.subscribed('orders');
    const moments = [
      handshake().slice(0, 40),
      handshake(),
      handshake() + frame({ opcode: TEXT, payload: '{"op"' }).toString('latin1'),
      `${handshake()}\u0081`,
    ];
    for (let round = 0; round < 30; round++) {
      const sockets = await Promise.all(
        moments.map(async (text) => {
          const { socket } = await bench.raw();
          socket.write(Buffer.from(text, 'latin1'));
          return socket;
        }),
      );
      for (const [i, socket] of sockets.entries()) {
        if (i % 2) socket.resetAndDestroy();
        else socket.destroy();
      }
    }
    await until('there is room', async () => {
      const late = await bench.connect().catch(() => null);
      late?.ws.terminate();
      return late !== null;
    });
    await expectUnharmed();
  });
});

describe('a message that is hostile inside', () => {
  // proves: ws-error INVALID_JSON, ws-error INVALID_ARGS, D28
  it.each([
    ['a key twice', '{"op":"ping","op":"auth"}', 'INVALID_JSON'],
    ['__proto__', '{"op":"ping","__proto__":{"op":"auth"}}', 'INVALID_JSON'],
    ['constructor', '{"op":"subscribe","args":{"constructor":{}}}', 'INVALID_JSON'],
    ['33 levels', `{"op":"ping","x":${'['.repeat(33)}${']'.repeat(33)}}`, 'INVALID_JSON'],
    ['60,000 brackets', '['.repeat(60_000), 'INVALID_JSON'],
    ['a number as op', '{"op":1}', 'INVALID_ARGS'],
    ['op of 60,000 letters', JSON.stringify({ op: 'x'.repeat(60_000) }), null],
    ['terminal control as op', JSON.stringify({ op: '\u001b]0;x\u0007' }), null],
    [
      'terminal control as channel',
      JSON.stringify({ op: 'subscribe', args: { channel: '\u001b[2J' } }),
      'INVALID_ARGS',
    ],
    ['an id of 60,000 letters', JSON.stringify({ op: 'ping', id: 'x'.repeat(60_000) }), 'INVALID_ARGS'],
    ['an id that is no text', '{"op":"ping","id":{"a":1}}', 'INVALID_ARGS'],
    [
      'a symbol of another script',
      JSON.stringify({ op: 'subscribe', args: { channel: 'orders', symbol: '\u202e' } }),
      undefined,
    ],
  ])('%s: %s', async (_what, text, code) => {
    const client = await bench.connect();
    await client.authenticate();
    const before = client.messages.length;
    client.send(text);
    await client.settle();
    const answers = client.messages.slice(before, -1);
    if (code === null) expect(answers).toEqual([]);
    else if (code === undefined) expect(answers).toMatchObject([{ op: 'subscribed' }]);
    else expect(answers).toMatchObject([{ op: 'error', data: { code } }]);
    for (const answer of answers) {
      expect(JSON.stringify(answer).length).toBeLessThan(600);
      if (answer.op === 'error') expect(answer.data.message).toMatch(/^[\x20-\x7e]+$/);
    }
    await expectUnharmed();
  });
});
