/**
 * One socket of the stream on a connection that the test reads from: when its backlog ends it, and which
 * control frames count.
 */
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { type SocketDeps, StreamSocket } from '../../../src/api/ws/stream-socket.ts';
import { compileServiceLimits, type StreamLimits } from '../../../src/domain/limits.ts';
import { CHALLENGE } from './session-rig.ts';

/** `ws` and its connection as the socket sees them. Frames wait until the other side reads. */
class Connection extends EventEmitter {
  readyState = 1;
  waiting = 0;
  corked = 0;
  terminated = false;
  closedWith: number | null = null;
  pings = 0;

  get bufferedAmount(): number {
    return this.waiting;
  }

  send(text: string): void {
    this.waiting += text.length;
  }

  ping(): void {
    this.pings += 1;
  }

  close(code: number): void {
    this.readyState = 2;
    this.closedWith = code;
  }

  terminate(): void {
    this.readyState = 3;
    this.terminated = true;
  }

  cork(): void {
    this.corked += 1;
  }

  uncork(): void {
    this.corked -= 1;
  }

  write(frame: Buffer): void {
    this.waiting += frame.length;
  }

  read(): void {
    this.waiting = 0;
  }
}

function opened(stream: StreamLimits) {
  const connection = new Connection();
  const pending: StreamSocket[] = [];
  const deps = {
    desk: { now: () => 0, activeKey: () => null, touchKey() {}, keyRefused() {}, log() {} },
    clock: { after: () => ({ cancel() {} }), monotonic: () => 0 },
    limits: compileServiceLimits({ stream }).stream,
    audience: { leave() {}, listen() {} },
    heartbeat: { join() {}, leave() {} },
    flushLater: (socket: StreamSocket) => void pending.push(socket),
  } as unknown as SocketDeps;
  const ws = connection as unknown as WebSocket;
  const raw = connection as unknown as Duplex;
  const socket = new StreamSocket(deps, { ws, raw, address: '', challenge: CHALLENGE }, () => {});
  connection.read();
  const turn = () => {
    for (const one of pending.splice(0)) one.flush();
    expect(connection.corked).toBe(0);
  };
  /** Sends, in one turn of the event loop, updates of these lengths. */
  const tell = (...lengths: readonly number[]) => {
    for (const length of lengths) socket.deliver(Buffer.alloc(length));
    turn();
  };
  return { connection, socket, tell };
}

const MOST = 1_000;

describe('who does not read', () => {
  it('is cut off by the first byte beyond what may wait, not by the last within it', () => {
    const { connection, tell } = opened({ backlogBytes: MOST });
    tell(600, 400);
    expect(connection.terminated).toBe(false);
    tell(1);
    expect(connection.terminated).toBe(true);
  });

  it('has room for one long update while it waits, and for no more once that was read', () => {
    const { connection, tell } = opened({ backlogBytes: MOST });
    tell(10_000);
    tell(MOST);
    expect(connection.terminated).toBe(false);
    connection.read();
    tell(1);
    tell(999);
    expect(connection.terminated).toBe(false);
    tell(1);
    expect(connection.terminated).toBe(true);
  });

  it('is cut off exactly where more waits than may, beside long updates that came to one who had caught up', () => {
    let cuts = 0;
    const turns = fc.array(
      fc.oneof(
        {
          arbitrary: fc.array(fc.constantFrom(1, 300, MOST, MOST + 1, 2_500), { minLength: 1, maxLength: 3 }),
          weight: 3,
        },
        { arbitrary: fc.constant('read' as const), weight: 1 },
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(turns, (all) => {
        const { connection, tell } = opened({ backlogBytes: MOST });
        let [waiting, long] = [0, 0];
        for (const one of all) {
          if (one === 'read') {
            connection.read();
            waiting = 0;
            continue;
          }
          const caughtUp = waiting <= MOST;
          for (const length of one) {
            waiting += length;
            if (caughtUp && length > MOST) long += length;
          }
          tell(...one);
          if (waiting <= MOST) long = 0;
          const over = waiting > MOST + long;
          expect(connection.terminated).toBe(over);
          if (!over) continue;
          cuts += 1;
          return;
        }
      }),
      { numRuns: 300 },
    );
    expect(cuts).toBeGreaterThan(50);
  });
});

describe('pongs', () => {
  it('that answer a ping cost nothing, others count as messages do', () => {
    const { connection, socket } = opened({ messages: 3 });
    for (let n = 0; n < 10; n++) {
      socket.beat();
      connection.emit('pong');
    }
    expect([connection.pings, connection.closedWith]).toEqual([10, null]);
    for (let n = 0; n < 3; n++) connection.emit('pong');
    expect(connection.closedWith).toBeNull();
    connection.emit('pong');
    expect(connection.closedWith).toBe(1008);
  });

  it('are awaited once for each ping: a second one to the same ping counts', () => {
    const { connection, socket } = opened({ messages: 3 });
    for (let n = 0; n < 3; n++) {
      socket.beat();
      connection.emit('pong');
      connection.emit('pong');
    }
    expect(connection.closedWith).toBeNull();
    connection.emit('ping');
    expect(connection.closedWith).toBe(1008);
  });

  it('of one who answered the ping before are no answer to the next', () => {
    const { connection, socket } = opened({});
    socket.beat();
    connection.emit('pong');
    socket.beat();
    expect(connection.terminated).toBe(false);
    socket.beat();
    expect(connection.terminated).toBe(true);
  });
});
