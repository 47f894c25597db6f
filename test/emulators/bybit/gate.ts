/**
 * Answers of the gate in front of Bybit: too many visits, address banned, busy, outcome unknown. Sources:
 * rate-limit.mdx ("403, access too frequent"), error.mdx (429, 10000, 10006, 10016, 170007, 170146).
 */
import { GATE_PAGE } from '../kit/faults.ts';
import type { EmulatorAnswer, Gate } from '../kit/wire.ts';

export function answerOf(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): EmulatorAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

export const tooFrequentPage: EmulatorAnswer = {
  status: 403,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>403 Forbidden</title></head><body>access too frequent</body></html>',
};

export function bybitGate(now: () => number, ban: (until: number) => void): Gate {
  const body = (retCode: number, retMsg: string) => ({
    retCode,
    retMsg,
    result: {},
    retExtInfo: {},
    time: now(),
  });
  return {
    failed: () =>
      answerOf(
        429,
        body(
          429,
          'The trading service is experiencing a high server load. Please retry if you encounter this issue.',
        ),
      ),
    limited: () =>
      answerOf(200, body(10_006, 'Too many visits. Exceeded the API Rate Limit.'), {
        'x-bapi-limit': '10',
        'x-bapi-limit-status': '0',
        'x-bapi-limit-reset-timestamp': String(now() + 1_000),
      }),
    banned: () => {
      ban(now() + 5_000);
      return tooFrequentPage;
    },
    unknown: (dice) =>
      dice.pick([
        () => answerOf(200, body(10_000, 'Server Timeout')),
        () => answerOf(200, body(10_016, 'Server error.')),
        () => answerOf(200, body(170_007, 'Timeout waiting for response from backend server.')),
        () => ({ status: 502, headers: { 'content-type': 'text/html' }, body: GATE_PAGE }),
      ])(),
  };
}
