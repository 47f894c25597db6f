/**
 * The life of a connection: it is cut when the client is silent for ten minutes, or on private ones for
 * `max_active_time` (30s .. 600s, or minutes); checked every 30 s. Source: websocket/wss-authentication.mdx.
 */
import type { Clock } from '../../../src/domain/clock.ts';
import type { SocketPeer, SocketSession } from '../kit/wire.ts';

const SCAN_MS = 30_000;
const SILENCE_MS = 600_000;

export function aliveMs(query: string): number {
  const [, number = '', unit = ''] = /(?:^|&)max_active_time=(\d{1,3})([sm])(?:&|$)/.exec(query) ?? [];
  if (number === '') return SILENCE_MS;
  const ms = Number(number) * (unit === 'm' ? 60_000 : 1000);
  return Math.min(Math.max(ms, 30_000), SILENCE_MS);
}

/** Wraps a session: cuts it after that long a silence in both directions. */
export function withLife(
  session: SocketSession,
  peer: SocketPeer,
  clock: Clock,
  silenceMs: number,
): { session: SocketSession; heard: () => void } {
  let last = clock.monotonic();
  let isOver = false;
  const heard = () => {
    last = clock.monotonic();
  };
  const scan = () =>
    clock.after(SCAN_MS, () => {
      if (isOver) return;
      if (clock.monotonic() - last >= silenceMs) {
        isOver = true;
        session.closed();
        peer.close(1000, 'no heartbeat');
        return;
      }
      timer = scan();
    });
  let timer = scan();
  return {
    heard,
    session: {
      message: (text) => {
        heard();
        session.message(text);
      },
      ponged: () => session.ponged(),
      closed: () => {
        if (isOver) return;
        isOver = true;
        timer.cancel();
        session.closed();
      },
    },
  };
}
