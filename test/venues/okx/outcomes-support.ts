/** An account of OKX that is answered as a test says, with its requests about orders. */
import type { WireAnswer, WireRequest } from '../../../src/venues/kit/net.ts';
import { Rig, type RigOptions } from './rig.ts';

export const ORDER = '/api/v5/trade/order';
export const ALGO = '/api/v5/trade/order-algo';
export const CANCEL = '/api/v5/trade/cancel-order';
export const CANCEL_ALGOS = '/api/v5/trade/cancel-algos';
export const AMEND = '/api/v5/trade/amend-order';
export const answer = (data: readonly object[], code = '0', status = 200): WireAnswer => ({
  kind: 'answer',
  status,
  headers: {},
  body: JSON.stringify({ code, msg: 'words', data }),
});
export const ack = (sCode: string, more: object = {}) =>
  answer([{ ordId: '', clOrdId: '', algoId: '', sCode, sMsg: 'row', ...more }], sCode === '0' ? '0' : '1');
export const LOST: WireAnswer = { kind: 'lost', cause: 'no answer' };
export const UNSENT: WireAnswer = { kind: 'unsent', cause: 'refused' };
export const NONE = answer([], '51603');
export const row = (more: object = {}) => ({
  ...{ instId: 'BTC-USDT', instType: 'SPOT', ordId: '7', clOrdId: 'a', side: 'buy', ordType: 'limit' },
  ...{ state: 'live', px: '50000', sz: '2', accFillSz: '0', cTime: '1', uTime: '1790000000000', ...more },
});
export const algo = (more: object = {}) => ({
  ...{ instId: 'BTC-USDT', instType: 'SPOT', algoId: '90', algoClOrdId: 'a', side: 'sell', sz: '2' },
  ...{
    ordType: 'conditional',
    state: 'live',
    slTriggerPx: '40000',
    slOrdPx: '-1',
    cTime: '1',
    uTime: '5',
    ...more,
  },
});

/**
 * A rig that answers as told, by method and path, and notes all requests about orders from `afterMs` after its
 * opening on.
 */
export async function answering(
  given: Readonly<Record<string, WireAnswer>> = {},
  options: RigOptions = {},
  afterMs = 0,
) {
  const rig = await new Rig(options).open();
  await rig.pass(afterMs);
  const asked: string[] = [];
  const bodies: unknown[] = [];
  const set = (answers: Readonly<Record<string, WireAnswer>>) => {
    for (const [key, one] of Object.entries(answers)) {
      const [method, path = ''] = key.split(' ');
      const before = rig.net.answers.get(path);
      rig.net.answers.set(path, (request: WireRequest) =>
        request.method === method ? one : (before?.(request) ?? null),
      );
    }
  };
  const request = rig.net.request.bind(rig.net);
  rig.net.request = (one: WireRequest) => {
    if (one.path.includes('/trade/')) asked.push(`${one.method} ${one.path.replace('/api/v5/trade/', '')}`);
    if (one.method === 'POST') bodies.push(JSON.parse(one.body ?? ''));
    return request(one);
  };
  set(given);
  return { rig, asked, bodies, set };
}
