/**
 * Markets of plain data for tests of the market screen: candles of a known course, depth, trades; and the
 * desk's answers about them.
 */
import type { DeskState, LookTrade, LookView, Params } from '../../../src/desk/console/protocol.ts';
import type { Depth } from '../../../src/domain/depth.ts';
import { ok } from '../../../src/domain/errors.ts';
import type { Candle } from '../../../src/domain/rows.ts';
import { type Answers, FakeDesk } from '../support/fake-desk.ts';
import { deskState } from '../support/some-desk.ts';
import { position } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

/** `count` candles before `end`, oldest first: waves around 61,000. */
export function course(count: number, frameMs: number, end: number): Candle[] {
  const close = (at: number) => 61_000 + Math.sin(at / 17) * 900 + Math.cos(at / 5) * 220;
  const first = Math.floor(end / frameMs) - count;
  return Array.from({ length: count }, (_, index) => {
    const at = first + index;
    const [from, to] = [close(at - 1), close(at)];
    return {
      time: at * frameMs,
      open: from.toFixed(2),
      high: (Math.max(from, to) + 60).toFixed(2),
      low: (Math.min(from, to) - 60).toFixed(2),
      close: to.toFixed(2),
      volume: (12 + 10 * Math.abs(Math.sin(at / 3))).toFixed(3),
    };
  });
}

export const DEPTH: Depth = {
  bids: Array.from({ length: 10 }, (_, at) => [(61_234 - at * 0.5).toFixed(2), (0.4 + at * 0.3).toFixed(5)]),
  asks: Array.from({ length: 10 }, (_, at) => [
    (61_234.1 + at * 0.5).toFixed(2),
    (0.2 + at * 0.25).toFixed(5),
  ]),
};

/** Trades, newest first; the third is large. */
export const TAPE: readonly LookTrade[] = Array.from({ length: 40 }, (_, at) => ({
  time: NOON - at * 900,
  price: (61_234 + (at % 3) * 0.1).toFixed(2),
  quantity: at === 2 ? '4.2' : (0.02 + (at % 5) * 0.01).toFixed(5),
  side: at % 2 === 0 ? 'BUY' : 'SELL',
}));

/** The view of a symbol of the paper market; `tells`: whether it has depth and trades. */
export function lookOf(tells: LookView['tells'], frameMs: number, symbol = 'BTCUSDT'): LookView {
  const deep = tells === 'depth';
  const forming = course(1, frameMs, (Math.floor(NOON / frameMs) + 1) * frameMs)[0] ?? null;
  return {
    market: 'paper',
    symbol,
    frameMs,
    tells,
    forming,
    day: { high: '61990.00', low: '60102.55', volume: '18234.512' },
    mark: deep ? '61230.55' : null,
    funding: { rate: '0.0001', at: NOON + 7_200_000 },
    depth: deep ? DEPTH : null,
    tape: deep ? TAPE : [],
  };
}

/** Orders, a position and fills on BTCUSDT. */
export function marketState(change: Partial<DeskState> = {}): DeskState {
  const futures = { exchange: 'paper-futures', isContract: true } as const;
  return deskState({
    futures: {
      'paper-futures': {
        hedgeMode: false,
        leverage: {},
        positions: [position('BTCUSDT', { liquidationPrice: '60110.55' })],
      },
    },
    orders: {
      buy: order('buy', { price: '60500.00' }),
      stop: order('stop', {
        ...futures,
        type: 'STOP_MARKET',
        side: 'SELL',
        price: undefined,
        stopPrice: '60350.00',
      }),
      other: order('other', { symbol: 'ETHUSDT', price: '3000.00' }),
      ended: order('ended', { status: 'CANCELLED', price: '60900.00' }),
    },
    ...change,
  });
}

/** A desk with these markets; `calls` has its requests. */
export function marketDesk(tells: LookView['tells'], more: Answers = {}): FakeDesk {
  const desk: FakeDesk = new FakeDesk(marketState());
  Object.assign(desk.answers, marketAnswers(desk, tells), more);
  return desk;
}

/** The desk's answers. */
export function marketAnswers(desk: FakeDesk, tells: LookView['tells']): Answers {
  return {
    'market.look': ({ symbol, frameMs }) => {
      desk.push({ look: { whole: true, ...lookOf(tells, frameMs, symbol) } });
      return ok(null);
    },
    'market.candles': ({ frameMs, from, to }: Params<'market.candles'>) =>
      course(Math.floor((to - from) / frameMs), frameMs, to),
    'trades.page': ({ exchange, symbol }) => ({
      trades: exchange === 'paper-spot' ? fills(symbol) : [],
      next: null,
    }),
  };
}

function fills(symbol = 'BTCUSDT') {
  const fill = { exchange: 'paper-spot', orderId: 'buy', user: 'owner', symbol, qty: '0.1', comm: '0' };
  const rest = { commAsset: 'USDT', maker: true, rPnl: null, posSide: 'BOTH' as const };
  return [
    { ...fill, ...rest, tradeId: 't2', side: 'SELL' as const, price: '61300.00', time: NOON - 7_200_000 },
    { ...fill, ...rest, tradeId: 't1', side: 'BUY' as const, price: '60800.00', time: NOON - 18_000_000 },
  ];
}
