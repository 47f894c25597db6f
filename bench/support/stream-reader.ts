/**
 * A minimal WebSocket client that can still tell whether it has received everything: handshake, login and
 * subscription, then every text frame is counted and added to a running checksum. Answers control pings.
 * Understands only frames from a server.
 */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { crc32 } from 'node:zlib';
import type { BenchKey } from './signed-requests.ts';

const TEXT = 0x1;
const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;

export class StreamReader {
  /** Frames since the subscription or the last `reset`. */
  count = 0;
  /** Checksum over all frames' bytes, in order. */
  checksum = 0;
  /** Bytes of these frames. */
  bytes = 0;
  /** Null while the connection is open. */
  ended: { readonly closeFrame: boolean } | null = null;
  /** Called with every counted frame. */
  onFrame: ((payload: Buffer) => void) | null = null;
  readonly ready: Promise<void>;
  readonly #socket: Socket;
  readonly #key: { readonly id: string; readonly privateKey: KeyObject } | null;
  #pending: Buffer | null = null;
  #counting = false;
  #upgraded = false;
  #closeFrame = false;
  #isReady: () => void = () => {};

  /** `key` null: the server sends without a login. */
  constructor(port: number, localAddress: string, key: BenchKey | null) {
    this.#key = key && { id: key.id, privateKey: createPrivateKey(key.pem) };
    this.ready = new Promise((resolve) => {
      this.#isReady = resolve;
    });
    this.#socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true });
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.ended = { closeFrame: this.#closeFrame };
    });
    this.#socket.write(
      'GET /api/v2/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    );
  }

  reset(): void {
    this.count = 0;
    this.checksum = 0;
    this.bytes = 0;
  }

  /** Stops reading. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    let data = this.#pending ? Buffer.concat([this.#pending, chunk]) : chunk;
    this.#pending = null;
    if (!this.#upgraded) {
      const end = data.indexOf('\r\n\r\n');
      if (end < 0) {
        this.#pending = data;
        return;
      }
      if (!data.toString('latin1', 0, 12).endsWith('101')) throw new Error(data.toString('latin1', 0, 300));
      this.#upgraded = true;
      data = data.subarray(end + 4);
      if (!this.#key) this.#count();
    }
    let at = 0;
    while (data.length - at >= 2) {
      const short = (data[at + 1] as number) & 0x7f;
      const head = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (data.length - at < head) break;
      const length =
        short === 126 ? data.readUInt16BE(at + 2) : short === 127 ? data.readUIntBE(at + 4, 6) : short;
      if (data.length - at < head + length) break;
      this.#frame((data[at] as number) & 0x0f, data.subarray(at + head, at + head + length));
      at += head + length;
    }
    if (at < data.length) this.#pending = data.subarray(at);
  }

  #frame(opcode: number, payload: Buffer): void {
    if (opcode === PING) this.#write(PONG, payload);
    else if (opcode === CLOSE) this.#closeFrame = true;
    else if (opcode !== TEXT) return;
    else if (!this.#counting) this.#converse(payload);
    else {
      this.count++;
      this.bytes += payload.length;
      this.checksum = crc32(payload, this.checksum);
      this.onFrame?.(payload);
    }
  }

  #converse(payload: Buffer): void {
    const message = JSON.parse(payload.toString()) as { op: string; data?: { challenge?: string } };
    if (message.op === 'challenge' && this.#key) {
      const { id, privateKey } = this.#key;
      const timestamp = Date.now();
      const signature = sign(null, Buffer.from(`WSAuth${timestamp}${message.data?.challenge}`), privateKey);
      this.#say({ op: 'auth', args: { key: id, sign: signature.toString('base64'), timestamp } });
    } else if (message.op === 'auth') this.#say({ op: 'subscribe', args: { channel: 'orders' } });
    else if (message.op === 'subscribed') this.#count();
    else throw new Error(payload.toString());
  }

  #count(): void {
    this.#counting = true;
    this.#isReady();
  }

  #say(message: unknown): void {
    this.#write(TEXT, Buffer.from(JSON.stringify(message)));
  }

  /** Writes a frame, masked with zeros, which is a valid mask. */
  #write(opcode: number, payload: Buffer): void {
    const long = payload.length > 125;
    const head = Buffer.alloc(long ? 8 : 6);
    head[0] = 0x80 | opcode;
    head[1] = 0x80 | (long ? 126 : payload.length);
    if (long) head.writeUInt16BE(payload.length, 2);
    this.#socket.write(Buffer.concat([head, payload]));
  }
}
