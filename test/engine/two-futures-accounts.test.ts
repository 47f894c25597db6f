/**
 * Two futures accounts of one user on one market: each has its own positions, orders, leverage, margin types,
 * mode and limits; only the prices are of both.
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import type { LeverageInfo } from '../../src/domain/position.ts';
import { protection } from '../../src/engine/positions.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { positionOf } from '../desk/core/link-rig.ts';
import { Bench, type BenchOptions } from './support/bench.ts';
import { FUTURES, FUTURES_ACCOUNT, FUTURES_CAPS, OPERATOR } from './support/market.ts';

const OTHER = 'paper-second';
const BOTH = [FUTURES, OTHER] as const;

const at = (leverage: number, marginType: 'CROSSED' | 'ISOLATED' = 'CROSSED'): LeverageInfo => ({
  symbol: 'BTCUSDT',
  side: 'BOTH',
  leverage,
  marginType,
  realizedPnl: '0',
});

function two(options: BenchOptions = {}): Bench {
  const bench = new Bench({ futures: true, more: [{ ...FUTURES_ACCOUNT, id: OTHER }], ...options });
  const changed = [{ asset: 'USDT', free: '9000000', locked: '0' }];
  bench.event({ type: 'venue.balances', exchange: OTHER, changed, all: true });
  bench.event({ type: 'venue.settings', exchange: OTHER, hedge: false, leverage: [at(5)] });
  bench.event({ type: 'venue.positions', exchange: OTHER, changed: [], all: true });
  return bench;
}

function hold(bench: Bench, exchange: string, amount: string): void {
  const changed = [positionOf('BTCUSDT', amount, bench.wall)];
  bench.event({ type: 'venue.positions', exchange, changed, all: true });
}

const ENTRY: Partial<CreateOrder> = { price: '50000', quantity: '1' };

describe('of two futures accounts', () => {
  it('one may change its margin type though the other one has orders and a position there', () => {
    const bench = two();
    bench.resting({ exchange: OTHER });
    hold(bench, OTHER, '3');
    const { order, token } = bench.place({ ...ENTRY, marginType: 'ISOLATED' });
    expect(bench.kinds('setting')).toMatchObject([
      { exchange: FUTURES, setting: { kind: 'marginType', marginType: 'ISOLATED' } },
    ]);
    bench.event({ type: 'setting-done', id: `set-${order.id}`, outcome: { kind: 'done' } });
    expect([order.phase, bench.isAnswered(token)]).toEqual(['sending', false]);
    const types = BOTH.map(
      (id) => bench.engine.memory.account(id).futures?.leverage.of('BTCUSDT')?.marginType,
    );
    expect(types).toEqual(['ISOLATED', 'CROSSED']);
    const busy = bench.place({ ...ENTRY, exchange: OTHER, marginType: 'ISOLATED' }).reply();
    expect(busy).toMatchObject({ status: 400, message: expect.stringContaining('while it has a position') });
  });

  it('each sets aside the margin of its own leverage, from its own wallet', () => {
    const bench = two();
    for (const exchange of BOTH) bench.place({ ...ENTRY, exchange });
    const locks = () => BOTH.map((id) => str(bench.engine.memory.account(id).wallet.locks.get('USDT') ?? 0n));
    expect(locks()).toEqual(['2500', '10000']);
    const setting = { kind: 'leverage', symbol: 'BTCUSDT', leverage: 50 } as const;
    bench.ask({ type: 'setting', exchange: OTHER, setting });
    const [asked] = bench.kinds('setting');
    if (asked?.kind !== 'setting') throw new Error('no setting');
    bench.event({ type: 'setting-done', id: asked.id, outcome: { kind: 'done' } });
    for (const exchange of BOTH) bench.place({ ...ENTRY, exchange });
    expect(locks()).toEqual(['5000', '11000']);
  });

  it('one is in hedge mode and the other one is not', () => {
    const bench = two();
    bench.event({ type: 'venue.settings', exchange: OTHER, hedge: true });
    const outcome = (exchange: string, positionSide?: 'LONG') => {
      const { token } = bench.place({ ...ENTRY, exchange, ...(positionSide ? { positionSide } : {}) });
      return bench.isAnswered(token) ? bench.reply(token).status : 'sent';
    };
    expect(BOTH.map((exchange) => outcome(exchange))).toEqual(['sent', 400]);
    expect(BOTH.map((exchange) => outcome(exchange, 'LONG'))).toEqual([400, 'sent']);
  });

  it('each closes and protects its own position', () => {
    const bench = two();
    hold(bench, OTHER, '3');
    const stop = { side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', reduceOnly: true } as const;
    const refused = bench.place({ ...stop, quantity: '2' }).reply();
    expect(refused.message).toContain('there is no BTCUSDT position');
    const { order } = bench.place({ ...stop, exchange: OTHER, quantity: '2' });
    bench.accepted(order, { status: 'PENDING' });
    hold(bench, FUTURES, '3');
    const { memory } = bench.engine;
    const covers = BOTH.map(
      (id) => protection(memory, memory.account(id), positionOf('BTCUSDT', '3', 1)).cover,
    );
    expect(covers).toEqual(['0', '2']);
  });

  it('what waits at the one leaves all the room there is at the other one', () => {
    const bounds = { waitingOnSymbol: 1, waitingOnAccount: 1 } as const;
    const bound = FUTURES_CAPS.forms.map((row) => (row.asked === 'type' ? { ...row, bounds } : row));
    const bench = two({ caps: { forms: bound } });
    const stop = { type: 'STOP_MARKET', stopPrice: '65000', quantity: '1' } as const;
    bench.accepted(bench.place({ ...stop, exchange: OTHER }).order, { status: 'PENDING' });
    const { order } = bench.place(stop);
    expect(order.phase).toBe('sending');
    bench.accepted(order, { status: 'PENDING' });
    expect(BOTH.map((exchange) => bench.place({ ...stop, exchange }).order.phase)).toEqual(['held', 'held']);
  });

  it('a mark fires what is held for either, each of its own order', () => {
    const forms = FUTURES_CAPS.forms.map((row) =>
      row.asked === 'type' ? { ...row, types: ['MARKET', 'LIMIT'] as const } : row,
    );
    const bench = two({ caps: { forms } });
    for (const exchange of BOTH)
      bench.place({
        exchange,
        type: 'STOP_MARKET',
        stopPrice: exchange === FUTURES ? '65000' : '66000',
        quantity: '1',
      });
    const fired = (price: string) => {
      bench.event({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price });
      return bench.effects.flatMap((effect) => (effect.kind === 'submit' ? [effect.exchange] : []));
    };
    expect([fired('64999.99'), fired('65000'), fired('65999'), fired('66000')]).toEqual([
      [],
      [FUTURES],
      [],
      [OTHER],
    ]);
  });

  it('each has its own entries in its own minute, and its own loss', () => {
    const bench = two();
    for (const exchange of BOTH)
      bench.ask({ type: 'guards', exchange, change: { maxOrdersPerMinute: 1 } }, { actor: OPERATOR });
    const sent = (exchange: string) => !bench.isAnswered(bench.place({ ...ENTRY, exchange }).token);
    expect([sent(FUTURES), sent(OTHER), sent(FUTURES), sent(OTHER)]).toEqual([true, true, false, false]);
  });
});
