/**
 * The contract of the dead-man switch, for adapters whose exchange has one that requests renew
 * (`Venue.deadMan`). An adapter's test calls this with a connection to its exchange.
 */
import { expect, it } from 'vitest';
import type { ExchangeOrder } from '../../../src/domain/exchange.ts';
import type { Venue } from '../../../src/venues/venue.ts';

/** An exchange with two symbols that last traded at 60,000; time passes when `pass` is called. */
export interface SwitchedExchange {
  readonly venue: Venue;
  readonly symbol: string;
  readonly other: string;
  /** The last reported status of each order, by client id. */
  readonly told: ReadonlyMap<string, string>;
  readonly pass: (ms: number) => Promise<void>;
  readonly settle: <T>(answer: Promise<T>) => Promise<T>;
  /** Loses the next renewal on its way. */
  readonly lose: () => void;
}

const COUNTDOWN_S = 120;

export function switchesOff(open: () => Promise<SwitchedExchange>): void {
  const place = async (x: SwitchedExchange, clientId: string, more: Partial<ExchangeOrder> = {}) => {
    const order = { symbol: x.symbol, side: 'BUY', type: 'LIMIT', price: '50000', quantity: '0.02' } as const;
    const all: ExchangeOrder = { ...order, timeInForce: 'GTC', clientId, ...more };
    expect(await x.settle(x.venue.submit(all))).toMatchObject({ kind: 'accepted' });
  };
  const keyOf = (x: SwitchedExchange) => (x.venue.caps.deadMan?.form === 'symbol' ? x.symbol : null);
  const arm = (x: SwitchedExchange, seconds: number) => {
    const asked = x.venue.deadMan?.arm?.({ symbol: keyOf(x), seconds });
    if (!asked) throw new Error('no request renews it');
    return x.settle(asked);
  };
  const openIds = async (x: SwitchedExchange) =>
    ((await x.settle(x.venue.openOrders())) ?? []).map(({ clientId }) => clientId).sort();

  it('ends what rests when its countdown is over, of its symbol or of all, tells it, and ends nothing later', async () => {
    const x = await open();
    await place(x, 'a');
    await place(x, 'other', { symbol: x.other });
    expect(await arm(x, COUNTDOWN_S)).toMatchObject({ kind: 'done' });
    await x.pass(COUNTDOWN_S * 1_000 - 5_000);
    expect(await openIds(x)).toEqual(['a', 'other']);
    await x.pass(10_000);
    const left = x.venue.caps.deadMan?.form === 'symbol' ? ['other'] : [];
    expect(await openIds(x)).toEqual(left);
    expect(x.told.get('a')).toBe('CANCELLED');
    await place(x, 'b');
    await x.pass(3 * COUNTDOWN_S * 1_000);
    expect(await openIds(x)).toEqual(['b', ...left]);
  });

  it('ends nothing that is renewed in time, and nothing once it is taken back', async () => {
    const x = await open();
    await place(x, 'a');
    for (let renewal = 0; renewal < 4; renewal++) {
      expect(await arm(x, COUNTDOWN_S)).toMatchObject({ kind: 'done' });
      await x.pass((COUNTDOWN_S * 1_000) / 2);
    }
    expect(await openIds(x)).toEqual(['a']);
    expect(await arm(x, 0)).toMatchObject({ kind: 'done' });
    await x.pass(3 * COUNTDOWN_S * 1_000);
    expect(await openIds(x)).toEqual(['a']);
    expect(await arm(x, 0)).toMatchObject({ kind: 'done' });
  });

  it('says that it does not know whether a renewal that was lost has come, and counts on from the one before', async () => {
    const x = await open();
    await place(x, 'a');
    await arm(x, COUNTDOWN_S);
    await x.pass(COUNTDOWN_S * 500);
    x.lose();
    expect(await arm(x, COUNTDOWN_S)).toMatchObject({ kind: 'unknown' });
    await x.pass(COUNTDOWN_S * 500 + 5_000);
    expect(await openIds(x)).toEqual([]);
  });

  it('says which countdowns it takes, and where that is written', async () => {
    const { caps } = (await open()).venue;
    const { deadMan } = caps;
    if (!deadMan || deadMan.form === 'exchange') throw new Error('no request renews it');
    expect(deadMan.leastSeconds).toBeLessThanOrEqual(COUNTDOWN_S);
    expect(deadMan.mostSeconds).toBeGreaterThanOrEqual(COUNTDOWN_S);
    expect(deadMan.source).not.toBe('');
  });
}
