/** A socket that reconnects: waits, silence, the change to a new socket with overlap, and its reports. */
import { describe, expect, it } from 'vitest';
import { Line, type LineSocket } from '../../../src/venues/kit/line.ts';
import type { SocketRefusal } from '../../../src/venues/kit/net.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { HandNet, type HandSocket } from './hand-net.ts';

const SILENCE_MS = 60_000;
const ROTATE_MS = 3_600_000;

class Case {
  readonly net = new HandNet();
  readonly clock = new VirtualClock();
  readonly told: string[] = [];
  readonly opened: LineSocket[] = [];
  readonly line: Line;
  chance = 0;
  url: () => string | Promise<string> = () => 'wss://stream.example/ws';
  /** Monotonic time before which nothing may be sent. */
  shutUntil = 0;
  readonly refusals: SocketRefusal[] = [];

  constructor({ readyAtOnce = true } = {}) {
    this.line = new Line({
      net: this.net,
      clock: this.clock,
      random: { next: () => this.chance },
      gate: {
        shutMs: () => Math.max(0, this.shutUntil - this.clock.monotonic()),
        refused: (refusal) => this.refusals.push(refusal),
      },
      url: () => this.url(),
      silenceMs: SILENCE_MS,
      rotateMs: ROTATE_MS,
      bytesMax: 1_000,
      events: {
        opened: (socket) => {
          this.opened.push(socket);
          if (readyAtOnce) socket.ready();
        },
        message: (text) => this.told.push(text),
        up: () => this.told.push('up'),
        down: (cause) => this.told.push(`down: ${cause}`),
      },
    });
    this.line.open();
  }

  /** The newest socket that the line has requested. */
  get socket(): HandSocket {
    return this.net.sockets.at(-1) as HandSocket;
  }

  async open(): Promise<void> {
    await this.clock.advance(0);
    this.socket.events.opened();
  }

  /** Returns the ms until the line tries again, if each of its sockets fails as soon as it is requested. */
  async nextTry(): Promise<number> {
    const before = this.net.sockets.length;
    const from = this.clock.monotonic();
    while (this.net.sockets.length === before) await this.clock.advance(this.clock.untilNextTimer ?? 1);
    return this.clock.monotonic() - from;
  }
}

describe('a line', () => {
  it('is up once its socket is ready, and tells what comes', async () => {
    const c = new Case({ readyAtOnce: false });
    await c.open();
    expect([c.line.isUp, c.opened[0]?.send('subscribe'), c.socket.sent]).toEqual([
      false,
      true,
      ['subscribe'],
    ]);
    c.opened[0]?.ready();
    c.socket.events.message('hello');
    expect([c.line.isUp, c.told]).toEqual([true, ['up', 'hello']]);
  });

  it('waits half a second at first, then longer, half a minute at most, with jitter', async () => {
    const c = new Case();
    await c.clock.advance(0);
    const waits: number[] = [];
    for (c.chance of [0, 0, 0, 1, 0, 1, 1, 1, 1]) {
      c.socket.events.closed('the connection was refused');
      waits.push(await c.nextTry());
    }
    expect(waits).toEqual([500, 500, 1_000, 4_000, 4_000, 16_000, 30_000, 30_000, 30_000]);
    expect(c.told).toEqual([]);
  });

  it('begins with the first wait again after a socket that has been ready for a while', async () => {
    const c = new Case();
    c.chance = 1;
    await c.clock.advance(0);
    for (let i = 0; i < 5; i += 1) {
      c.socket.events.closed('x');
      await c.nextTry();
    }
    c.socket.events.opened();
    await c.clock.advance(3_000);
    c.socket.events.closed('cut');
    expect(await c.nextTry()).toBe(500);
    expect(c.told).toEqual(['up', 'down: cut']);
  });

  it('waits longer each time while its sockets are cut as soon as they are ready', async () => {
    const c = new Case();
    c.chance = 1;
    await c.clock.advance(0);
    const waits: number[] = [];
    for (const readyMs of [1_999, 0, 1_999, 1_000, 2_000, 0]) {
      c.socket.events.opened();
      await c.clock.advance(readyMs);
      c.socket.events.closed('cut');
      waits.push(await c.nextTry());
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 500, 1_000]);
  });

  it('asks for no third socket while it waits to try a change again', async () => {
    const c = new Case();
    await c.open();
    c.line.rotate();
    await c.clock.advance(0);
    c.socket.events.closed('refused');
    expect(c.net.sockets).toHaveLength(2);
    c.line.rotate();
    await c.clock.advance(0);
    expect(c.net.sockets).toHaveLength(2);
    expect(await c.nextTry()).toBe(500);
    expect([c.net.sockets.length, c.told]).toEqual([3, ['up']]);
  });

  it('ends a socket that is silent, and not one on which there are pings', async () => {
    const c = new Case();
    await c.open();
    await c.clock.advance(SILENCE_MS - 1);
    c.socket.events.pinged();
    await c.clock.advance(SILENCE_MS - 1);
    expect(c.told).toEqual(['up']);
    expect(c.line.silentMs).toBe(SILENCE_MS - 1);
    await c.clock.advance(1);
    expect(c.told).toEqual(['up', 'down: nothing was heard for 60 s']);
    expect(c.socket.isClosed).toBe(true);
    expect(await c.nextTry()).toBe(500);
  });

  it('ends a socket that opens and is not ready in time, or does not open', async () => {
    const c = new Case({ readyAtOnce: false });
    await c.open();
    await c.clock.advance(10_000);
    expect(c.socket.isClosed).toBe(true);
    expect(await c.nextTry()).toBe(500);
    await c.clock.advance(10_000);
    expect(c.socket.isClosed).toBe(true);
    expect(c.told).toEqual([]);
  });

  it('has another socket ready before it lets the old one go, and is not down meanwhile', async () => {
    const c = new Case({ readyAtOnce: false });
    await c.open();
    c.opened[0]?.ready();
    const old = c.socket;
    for (let t = 0; t < ROTATE_MS; t += SILENCE_MS / 2) {
      old.events.pinged();
      await c.clock.advance(SILENCE_MS / 2);
    }
    expect(c.net.sockets).toHaveLength(2);
    c.socket.events.opened();
    c.socket.events.message('new');
    old.events.message('old');
    expect([old.isClosed, c.line.sockets.length]).toEqual([false, 2]);
    c.opened[1]?.ready();
    expect([old.isClosed, c.socket.isClosed, c.line.sockets.length]).toEqual([true, false, 1]);
    old.events.message('too late');
    expect(c.told).toEqual(['up', 'new', 'old']);
  });

  it('tries again where the new socket of a change fails, and keeps the old one as long as it lasts', async () => {
    const c = new Case();
    await c.open();
    const old = c.socket;
    c.line.rotate();
    await c.clock.advance(0);
    c.line.rotate();
    await c.clock.advance(0);
    expect(c.net.sockets).toHaveLength(2);
    c.socket.events.closed('refused');
    expect([c.line.isUp, old.isClosed]).toEqual([true, false]);
    expect(await c.nextTry()).toBe(500);
    old.events.closed('cut');
    expect(c.told).toEqual(['up', 'down: cut']);
    c.socket.events.opened();
    expect(c.told).toEqual(['up', 'down: cut', 'up']);
  });

  it('asks for its address anew each time, and tries again where there is none', async () => {
    const c = new Case();
    c.url = () => Promise.reject(new Error('no key'));
    await c.clock.advance(0);
    expect(c.net.sockets).toHaveLength(0);
    c.url = async () => 'wss://stream.example/ws?listenKey=2';
    expect(await c.nextTry()).toBe(500);
    expect(c.socket.request.url).toBe('wss://stream.example/ws?listenKey=2');
  });

  it('waits for the new socket of a change, and asks for no third, where the old one ends before that is ready', async () => {
    const c = new Case({ readyAtOnce: false });
    await c.open();
    c.opened[0]?.ready();
    const old = c.socket;
    c.line.rotate();
    await c.clock.advance(0);
    expect(c.line.sockets).toHaveLength(2);
    c.socket.events.opened();
    old.events.closed('cut');
    expect([c.told, c.line.isUp, c.line.sockets.length]).toEqual([['up', 'down: cut'], false, 1]);
    await c.clock.advance(5_000);
    expect(c.net.sockets).toHaveLength(2);
    c.opened[1]?.ready();
    c.opened[1]?.ready();
    // What ended says nothing any more, nor is it ready.
    old.events.message('late');
    old.events.pinged();
    c.opened[0]?.ready();
    c.opened[0]?.fail('late');
    expect([c.told, c.line.isUp, c.opened[0]?.send('x')]).toEqual([['up', 'down: cut', 'up'], true, false]);
    for (let at = 0; at < ROTATE_MS; at += SILENCE_MS / 2) {
      c.socket.events.pinged();
      await c.clock.advance(SILENCE_MS / 2);
    }
    expect(c.net.sockets).toHaveLength(3);
  });

  it('is silent as long as the last of its ready sockets', async () => {
    const c = new Case({ readyAtOnce: false });
    expect(c.line.silentMs).toBeNull();
    await c.open();
    await c.clock.advance(100);
    expect([c.line.silentMs, c.line.sockets.length]).toEqual([null, 1]);
    c.opened[0]?.ready();
    expect(c.line.silentMs).toBe(100);
    c.line.rotate();
    await c.open();
    await c.clock.advance(50);
    // The new one counts when it is ready.
    expect(c.line.silentMs).toBe(150);
    c.opened[1]?.ready();
    expect(c.line.silentMs).toBe(50);
    c.socket.events.message('x');
    expect(c.line.silentMs).toBe(0);
  });

  it('that is opened twice has one socket, and closed before it has an address none', async () => {
    const c = new Case();
    c.line.open();
    await c.clock.advance(0);
    expect(c.net.sockets).toHaveLength(1);
    const late = new Case();
    let address: (url: string) => void = () => {};
    late.url = () => new Promise((resolve) => (address = resolve));
    await late.clock.advance(0);
    expect(late.line.sockets).toEqual([]);
    late.line.close();
    address('wss://stream.example/ws');
    await late.clock.advance(60_000);
    expect([late.net.sockets.length, late.clock.pendingTimers]).toEqual([0, 0]);
    // It can be opened again.
    late.url = () => 'wss://stream.example/again';
    late.line.open();
    await late.open();
    expect(late.told).toEqual(['up']);
  });

  it('tells nothing and tries nothing once it is closed', async () => {
    const c = new Case();
    await c.open();
    c.line.close();
    expect(c.socket.isClosed).toBe(true);
    c.socket.events.message('late');
    c.socket.events.closed('late');
    await c.clock.advance(ROTATE_MS);
    expect([c.told, c.net.sockets.length, c.clock.pendingTimers]).toEqual([['up'], 1, 0]);
  });
});

describe('a line to an exchange that takes nothing for now', () => {
  it('tells how a dial was answered, and dials again only when the time is over', async () => {
    const c = new Case();
    await c.clock.advance(0);
    c.shutUntil = c.clock.monotonic() + 120_000;
    c.socket.events.closed('the socket was refused (HTTP 418)', {
      status: 418,
      headers: { 'retry-after': '120' },
    });
    expect(c.refusals).toEqual([{ status: 418, headers: { 'retry-after': '120' } }]);
    expect(await c.nextTry()).toBe(120_000);
  });

  it('that begins while nothing is taken dials afterwards, and hears no refusal of a socket that it has given up', async () => {
    const c = new Case({ readyAtOnce: false });
    c.line.close();
    c.shutUntil = c.clock.monotonic() + 20_000;
    c.line.open();
    await c.clock.advance(19_999);
    expect(c.net.sockets).toHaveLength(0);
    await c.clock.advance(1);
    expect(c.net.sockets).toHaveLength(1);
    const first = c.socket;
    await c.clock.advance(10_000);
    expect(first.isClosed).toBe(true);
    first.events.opened();
    first.events.closed('late', { status: 418, headers: {} });
    expect([c.refusals, c.opened]).toEqual([[], []]);
    await c.clock.advance(500);
    c.socket.events.closed('refused');
    expect([c.refusals, c.net.sockets.length]).toEqual([[], 2]);
  });

  it('waits once more where the time has grown meanwhile', async () => {
    const c = new Case();
    await c.clock.advance(0);
    c.socket.events.closed('the connection was refused');
    c.shutUntil = c.clock.monotonic() + 60_000;
    expect(await c.nextTry()).toBe(60_000);
  });

  it('does not dial where the time has begun while its address was asked for', async () => {
    const c = new Case();
    c.url = async () => {
      c.shutUntil ||= c.clock.monotonic() + 5_000;
      return 'wss://stream.example/ws';
    };
    await c.clock.advance(4_999);
    expect(c.net.sockets).toHaveLength(0);
    await c.clock.advance(5_000);
    expect(c.net.sockets).toHaveLength(1);
  });

  it('keeps the socket that it has, and changes it afterwards', async () => {
    const c = new Case();
    await c.open();
    c.shutUntil = c.clock.monotonic() + ROTATE_MS + 30_000;
    for (let at = 0; at < ROTATE_MS + 20_000; at += 20_000) {
      await c.clock.advance(20_000);
      c.socket.events.pinged();
    }
    expect([c.net.sockets.length, c.line.isUp]).toEqual([1, true]);
    await c.clock.advance(20_000);
    expect(c.net.sockets.length).toBe(2);
  });
});
