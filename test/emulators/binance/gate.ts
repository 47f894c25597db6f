/**
 * Answers of the gate in front of Binance: overloaded, too many requests, banned, outcome unknown. Source:
 * facts-binance; errors.md.
 */
import { GATE_PAGE } from '../kit/faults.ts';
import type { EmulatorAnswer, Gate } from '../kit/wire.ts';

const json = (status: number, code: number, msg: string, headers = {}): EmulatorAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ code, msg }),
});

/** `ban`: bans the address until then. */
export function binanceGate(now: () => number, ban: (until: number) => void): Gate {
  return {
    failed: () =>
      json(
        503,
        -1008,
        'Server is currently overloaded with other requests. Please try again in a few minutes.',
      ),
    limited: () =>
      json(429, -1003, 'Too many requests; please use WebSocket Streams for live updates.', {
        'retry-after': '3',
      }),
    banned: () => {
      const until = now() + 5_000;
      ban(until);
      return json(418, -1003, `Way too many requests; IP banned until ${until}.`, { 'retry-after': '5' });
    },
    unknown: (dice) =>
      dice.pick([
        () => json(503, -1000, 'Unknown error, please check your request or try again later.'),
        () =>
          json(
            504,
            -1007,
            'Timeout waiting for response from backend server. Send status unknown; execution status unknown.',
          ),
        () => ({ status: 502, headers: { 'content-type': 'text/html' }, body: GATE_PAGE }),
      ])(),
  };
}
