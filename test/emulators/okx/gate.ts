/**
 * Answers of the gate in front of the exchange, and the answer to a request with an unknown outcome. Source:
 * facts of "Error Code".
 */
import type { Dice } from '../../simulation/dice.ts';
import { GATE_PAGE } from '../kit/faults.ts';
import type { EmulatorAnswer, Gate } from '../kit/wire.ts';
import type { Limits } from './limits.ts';
import { json, page } from './rest.ts';

const BLOCK_MS = 5_000;

export function gateOf(limits: Limits, now: () => number): Gate {
  const said = (status: number, code: string, msg: string): EmulatorAnswer =>
    json(status, { code, msg, data: [] });
  return {
    failed: () => said(503, '50001', 'Service temporarily unavailable. Please try again later.'),
    limited: () => said(429, '50011', 'Too Many Requests'),
    banned: () => {
      limits.block(now() + BLOCK_MS);
      return page(403);
    },
    unknown: (dice: Dice) => {
      const answers = [
        () =>
          said(
            400,
            '50004',
            'API endpoint request timeout. (does not mean that the request was successful or failed, please check the request result).',
          ),
        () => said(500, '50026', 'System error. Try again later'),
        () => said(500, '51054', 'Request timed out. Please try again.'),
        () =>
          said(
            500,
            '51149',
            'Order timed out. Please try again. (does not mean that the request was successful or failed, please check the request result)',
          ),
        (): EmulatorAnswer => ({ status: 502, headers: { 'content-type': 'text/html' }, body: GATE_PAGE }),
      ];
      return dice.pick(answers)();
    },
  };
}
