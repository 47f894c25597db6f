/**
 * Prices belong to a market (exchanges.md 1, 2): a price of one market does not move, fill, check or value
 * anything on another.
 */
import { describe, expect, it } from 'vitest';
import type { ExchangeAccount } from '../../src/domain/exchange.ts';
import { portfolioOf } from '../../src/engine/balances.ts';
import { orderPreview } from '../../src/engine/order-preview.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { Bench } from './support/bench.ts';
import { KEY_ACTOR, SPOT } from './support/market.ts';

/** Another exchange's BTCUSDT. */
const OTHER: ExchangeAccount = { id: 'other-spot', name: 'Other spot', kind: 'spot', market: 'other-spot' };
/** A second account of the paper market. */
const SECOND: ExchangeAccount = { id: 'second-spot', name: 'Second spot', kind: 'spot', market: 'paper' };
const RICH = [
  { asset: 'USDT', free: '1000000', locked: '0' },
  { asset: 'BTC', free: '10', locked: '0' },
];

function bench(): Bench {
  const b = new Bench({ more: [OTHER, SECOND] });
  for (const { id } of [OTHER, SECOND]) {
    b.event({ type: 'venue.balances', exchange: id, changed: RICH, all: true });
  }
  b.event({ type: 'price', market: 'other-spot', symbol: 'BTCUSDT', price: '30000' });
  return b;
}

const stop = (exchange: string, stopPrice: string): Partial<CreateOrder> => ({
  exchange,
  type: 'STOP_MARKET',
  side: 'SELL',
  quantity: '1',
  stopPrice,
});

const submits = (b: Bench) => b.kinds('submit').map((effect) => 'exchange' in effect && effect.exchange);

describe('a price of one market', () => {
  it.each(['tick', 'market', 'price'] as const)('told as %s is not another market’s', (type) => {
    const b = bench();
    const rest = type === 'market' ? { time: b.now.market, volume: '1' } : {};
    b.event({ type, market: 'other-spot', symbol: 'BTCUSDT', price: '31000', ...rest } as never);
    const prices = (name: string) => b.engine.memory.market(name).prices.get('BTCUSDT');
    expect([prices('paper'), prices('other-spot')]).toEqual([60_000n * 10n ** 30n, 31_000n * 10n ** 30n]);
  });

  it('fires what is held for the accounts that trade there, and for no others', () => {
    const b = bench();
    b.place(stop(SPOT, '55000'));
    b.place(stop(SECOND.id, '55000'));
    b.place(stop(OTHER.id, '29000'));
    b.event({ type: 'tick', market: 'other-spot', symbol: 'BTCUSDT', price: '29500' });
    expect(submits(b)).toEqual([]);
    b.event({ type: 'tick', market: 'paper', symbol: 'BTCUSDT', price: '54000' });
    expect(submits(b)).toEqual([SPOT, SECOND.id]);
    b.event({ type: 'tick', market: 'other-spot', symbol: 'BTCUSDT', price: '29000' });
    expect(submits(b)).toEqual([OTHER.id]);
  });

  it('arms a trailing stop of its own market only', () => {
    const b = bench();
    const { order } = b.place({
      exchange: OTHER.id,
      type: 'STOP_MARKET',
      side: 'SELL',
      quantity: '1',
      trailingDelta: 100,
    });
    expect(order.trailing?.best).toBe('30000');
    b.tick('61000');
    expect(b.order(order.id).trailing?.best).toBe('30000');
  });

  it('fires what waited for a line of its own market when the line is up again', () => {
    const b = bench();
    b.place(stop(OTHER.id, '29000'));
    b.event({ type: 'link', exchange: OTHER.id, up: false, gap: false });
    b.event({ type: 'tick', market: 'other-spot', symbol: 'BTCUSDT', price: '28000' });
    b.tick('20000');
    b.event({ type: 'link', exchange: OTHER.id, up: true, gap: false });
    expect(submits(b)).toEqual([OTHER.id]);
  });

  it('is what orders of its accounts are checked against', () => {
    const b = bench();
    // Above the 30,000 of its own market, below the 60,000 of the other.
    expect(b.place(stop(OTHER.id, '45000')).reply().message).toContain('30000');
    b.place(stop(SPOT, '45000'));
    expect(b.kinds('answer')).toMatchObject([{ answer: { status: 200 } }]);
  });

  it('is what a ticket shows', () => {
    const b = bench();
    const request = {
      exchange: OTHER.id,
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'MARKET',
      quantity: '1',
    } as const;
    const figures = orderPreview(b.engine.memory, request, b.now.market, { maker: '0', taker: '0' });
    expect(figures.notional).toBe('30000');
  });

  it('is what the parts of an order are checked against', () => {
    const b = bench();
    const { order } = b.place({ exchange: OTHER.id, price: '20000', quantity: '1' });
    b.accepted(order);
    // Six times the price of its own market; not even twice that of the other.
    const asked = b.ask(
      { type: 'split', exchange: OTHER.id, id: order.id, prices: ['20000', '180000'] },
      { actor: KEY_ACTOR },
    );
    expect(asked.reply()).toMatchObject({ status: 400 });
    expect(asked.reply().message).toContain('180000');
  });

  it('values the wallets of its accounts', () => {
    const { memory } = bench().engine;
    const usd = (id: string) => portfolioOf(memory.account(id), { full: false, totalOnly: true }).total;
    expect(usd(OTHER.id)).toEqual({ usd: '1300000.00', btc: '43.33333333' });
    expect(usd(SECOND.id)).toEqual({ usd: '1600000.00', btc: '26.66666667' });
  });
});
