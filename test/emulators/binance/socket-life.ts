/**
 * The life of any socket of the exchange: pings, the wait for the answer, the end after a day. Sources:
 * binance-spot-api-docs (ping every 20 s, one minute to answer, 24 hours); USD-M "Connect" (every 3 minutes,
 * 10 minutes to answer, 24 hours).
 */
import type { Cancelable, Clock } from '../../../src/domain/clock.ts';
import type { Kind, SocketPeer, SocketSession } from './wire.ts';

const DAY = 86_400_000;
const PINGS = {
  spot: { everyMs: 20_000, patienceMs: 60_000 },
  futures: { everyMs: 180_000, patienceMs: 600_000 },
} as const;

/** Wraps a session: pings it and ends it in time. */
export function withLife(kind: Kind, session: SocketSession, peer: SocketPeer, clock: Clock): SocketSession {
  const { everyMs, patienceMs } = PINGS[kind];
  let answered = clock.monotonic();
  let isOver = false;
  let pings: Cancelable;
  const end = () => {
    isOver = true;
    pings.cancel();
    day.cancel();
  };
  const cut = (reason: string) => {
    if (isOver) return;
    end();
    session.closed();
    peer.close(1008, reason);
  };
  const next = () => {
    pings = clock.after(everyMs, () => {
      if (isOver) return;
      if (clock.monotonic() - answered > patienceMs) {
        cut('Pong timeout');
        return;
      }
      peer.ping();
      next();
    });
  };
  next();
  const day = clock.after(DAY, () => cut('Connection is valid for 24 hours'));
  return {
    message: (text) => session.message(text),
    ponged: () => {
      answered = clock.monotonic();
    },
    closed: () => {
      if (isOver) return;
      end();
      session.closed();
    },
  };
}
