/**
 * A futures account that hears events written by hand, with the order in which it tells what follows from
 * them.
 */
import { futuresRig } from './futures-rig.ts';
import { HandAnswers } from './hand-answers-support.ts';

export async function hearing() {
  const rig = futuresRig();
  await rig.open();
  rig.forget();
  rig.reports.length = 0;
  const hand = new HandAnswers(rig.net);
  const told: string[] = [];
  for (const name of ['orders', 'fills', 'positions', 'balances'] as const) {
    const list = rig.told[name] as unknown[];
    const value = (...more: unknown[]) => {
      told.push(name);
      return Array.prototype.push.apply(list, more);
    };
    Object.defineProperty(list, 'push', { value });
  }
  const tell = (event: object) => rig.sockets().at(-1)?.message(JSON.stringify(event));
  return { rig, hand, tell, order: told };
}

export const update = (more: object, T = 20) => ({
  ...{ e: 'ORDER_TRADE_UPDATE', E: 25, T },
  o: {
    ...{
      s: 'BTCUSDT',
      c: 'bf-1',
      S: 'SELL',
      o: 'LIMIT',
      ot: 'LIMIT',
      f: 'GTC',
      q: '2.000',
      p: '50.10',
      sp: '0',
    },
    ...{
      x: 'TRADE',
      X: 'PARTIALLY_FILLED',
      i: 77,
      l: '0.500',
      z: '0.750',
      L: '50.20',
      N: 'USDT',
      n: '0.0100',
    },
    ...{ T: 19, t: 5, m: true, R: false, wt: 'CONTRACT_PRICE', ps: 'BOTH', cp: false, rp: '-1.50', er: '0' },
    ...more,
  },
});
export const algo = (X: string, more: object = {}, T = 10) => ({
  ...{ e: 'ALGO_UPDATE', E: 15, T },
  o: {
    ...{ caid: 'bf-a', aid: 4, at: 'CONDITIONAL', o: 'STOP_MARKET', s: 'BTCUSDT', S: 'SELL', ps: 'BOTH' },
    ...{ f: 'GTC', q: '2', X, ai: '', tp: '40', p: '0', wt: 'MARK_PRICE', cp: false, R: true },
    ...more,
  },
});
export const account = (m: string, B: object[] | undefined, P: object[] | undefined, T = 20) => ({
  ...{ e: 'ACCOUNT_UPDATE', E: 25, T, a: { m, B, P } },
});
export const position = (more: object) => ({
  ...{
    s: 'BTCUSDT',
    pa: '2.000',
    ep: '100.0',
    bep: '101.0',
    cr: '0',
    up: '10.0',
    mt: 'isolated',
    iw: '7.50',
    ps: 'BOTH',
  },
  ...more,
});
