/**
 * The PnL book against plain sums over fills, ledger and prices: equal to the last digit for any history,
 * range and groups.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Dec, dec, div, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import type { ClosedTrade } from '../../../src/engine/pnl/closed-trade.ts';
import { PNL_GROUPS, PnlBook, type PnlGroup } from '../../../src/engine/pnl/pnl-book.ts';
import { WalletBook } from '../../../src/engine/pnl/wallet-book.ts';
import {
  ACCOUNTS,
  depositsOf,
  equityAt,
  FUTURES,
  type History,
  histories,
  SPOT,
  WALLET,
} from './histories.ts';

const FIGURES = ['realised', 'fees', 'funding', 'other', 'unrealised', 'deposits', 'net'] as const;

function booked(history: History, by: PnlGroup = 'day', between: readonly number[] = []) {
  const { from, to, events, prices } = history;
  const samples = [...new Set([from, ...between.filter((time) => time > from && time < to), to])].sort(
    (a, b) => a - b,
  );
  const traded: ClosedTrade[] = [];
  const book = new PnlBook({
    from,
    to,
    by,
    samples,
    unitOf: (unit, time) => `${unit} ${Math.floor(time / (unit === 'day' ? 10 : 70))}`,
    tagOf: (bot) => (bot === 'b1' ? 'mine' : null),
    traded: (trade) => traded.push(trade),
  });
  const wallet = new WalletBook({ wallet: WALLET, accounts: ACCOUNTS, prices, samples, sink: book });
  for (const event of events) {
    if ('fill' in event) wallet.fill(event.fill);
    else wallet.ledger(event.record);
  }
  wallet.finish();
  return { book, traded, wallet, samples };
}

const sum = (values: readonly string[]) => str(values.reduce((all, value) => all + dec(value), ZERO));

describe('the PnL book of a random history', () => {
  it('has equity change = net + deposits to the last digit, by sums that know of no average cost', () => {
    fc.assert(
      fc.property(histories(), (history) => {
        const { book } = booked(history);
        const { net, deposits } = book.total();
        const change = equityAt(history, history.to) - equityAt(history, history.from);
        expect(deposits).toBe(str(depositsOf(history)));
        expect(net).toBe(str(change - depositsOf(history)));
      }),
      { numRuns: 500 },
    );
  });

  it('has fees, funding and other income as the rows say them', () => {
    fc.assert(
      fc.property(histories(), (history) => {
        const { events, prices, from, to } = history;
        const sums = { fees: ZERO, funding: ZERO, other: ZERO };
        for (const event of events) {
          const { time } = 'fill' in event ? event.fill : event.record;
          if (time < from || time >= to) continue;
          if ('fill' in event) sums.fees += feeOf(history, event.fill);
          else {
            const { kind, asset, amount } = event.record;
            const usd = mul(dec(amount), prices.usd(asset, time) as Dec);
            if (kind === 'funding') sums.funding += usd;
            else if (
              !['transfer', 'opening', 'position'].includes(kind) &&
              !(kind === 'unexplained' && usd > ZERO)
            )
              sums.other += usd;
          }
        }
        const total = booked(history).book.total();
        expect([total.fees, total.funding, total.other]).toEqual(Object.values(sums).map(str));
      }),
      { numRuns: 100 },
    );
  });

  it('is the same whole however it is grouped and sampled', () => {
    const times = fc.array(fc.integer({ min: 1_000, max: 2_600 }), { maxLength: 8 });
    fc.assert(
      fc.property(histories(25), times, (history, between) => {
        const total = booked(history).book.total();
        for (const by of PNL_GROUPS) {
          const { book, samples } = booked(history, by, between);
          expect(book.total()).toEqual(total);
          const rows = book.rows();
          for (const name of FIGURES) expect(sum(rows.map((row) => row[name]))).toBe(total[name]);
          const curve = book.curve();
          expect(curve.map(({ equity }) => equity)).toEqual(
            samples.map((time) => str(equityAt(history, time))),
          );
          for (const [n, { net, deposits }] of curve.entries()) {
            expect(deposits).toBe(str(depositsOf({ ...history, to: samples[n] as number })));
            expect(net).toBe(booked({ ...history, to: samples[n] as number }).book.total().net);
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  it('has the balances and positions that the rows make', () => {
    fc.assert(
      fc.property(histories(), (history) => {
        const { wallet } = booked(history);
        const sizes = new Map<string, Dec>();
        for (const event of history.events) {
          if ('record' in event && event.record.kind === 'position')
            sizes.set(`${FUTURES} ${event.record.symbol} BOTH`, dec(event.record.amount));
          if (!('fill' in event) || event.fill.exchange !== FUTURES) continue;
          const { symbol, posSide, side, qty } = event.fill;
          const key = `${FUTURES} ${symbol} ${posSide}`;
          sizes.set(key, (sizes.get(key) ?? ZERO) + (side === 'BUY' ? dec(qty) : -dec(qty)));
        }
        for (const [key, size] of sizes) expect(wallet.positions().get(key) ?? ZERO).toBe(size);
      }),
      { numRuns: 50 },
    );
  });
});

describe('closed trades', () => {
  it('of futures are the stretches from open to flat, each with all that its own fills and payments say of it', () => {
    fc.assert(
      fc.property(histories(60), (history) => {
        const whole = { ...history, from: 0, to: 1_000_000 };
        const found = booked(whole).traded.filter(({ kind }) => kind === 'futures');
        expect(found.map(shown)).toEqual(flatToFlat(whole));
      }),
      { numRuns: 100 },
    );
  });

  it('of spot are sales of one order against the average cost, with the fees of both sides', () => {
    const fill = (n: number, side: 'BUY' | 'SELL', qty: string, price: string, orderId: string) => ({
      fill: {
        exchange: SPOT,
        user: 'owner',
        tradeId: `${n}`,
        orderId,
        symbol: 'BTCUSDT',
        side,
        price,
        qty,
        comm: '1',
        commAsset: 'USDT',
        maker: false,
        rPnl: null,
        posSide: 'BOTH' as const,
        time: 1_000 + n,
        bot: null,
      },
    });
    const money = {
      exchange: WALLET,
      user: 'owner',
      id: 'in',
      time: 999,
      asset: 'USDT',
      amount: '1000',
      kind: 'transfer',
    } as const;
    const events = [
      { record: money },
      fill(1, 'BUY', '1', '100', 'a'),
      fill(2, 'BUY', '1', '120', 'b'),
      fill(3, 'SELL', '0.5', '130', 'c'),
      fill(4, 'SELL', '0.5', '150', 'c'),
    ];
    const prices = { usd: (asset: string) => dec(asset === 'USDT' ? '1' : '115'), mark: () => null };
    const { traded, book } = booked({ events, prices, from: 0, to: 9_999 });
    expect(traded).toHaveLength(1);
    const [sale] = traded as [ClosedTrade];
    expect([sale.qty, sale.entry, sale.exit, sale.realised, sale.fees, sale.net].map(str)).toEqual([
      '1',
      '110',
      '140',
      '30',
      '3',
      '27',
    ]);
    expect([sale.openedAt, sale.closedAt]).toEqual([1_001, 1_004]);
    expect(book.total()).toEqual({
      realised: '30',
      fees: '4',
      funding: '0',
      other: '0',
      unrealised: '5',
      deposits: '1000',
      net: '31',
    });
    expect(book.stats()).toMatchObject({
      trades: 1,
      wins: 1,
      losses: 0,
      winRate: '1',
      profitFactor: null,
      best: '27',
    });
  });
});

describe('a closed trade', () => {
  const prices = { usd: () => dec('1'), mark: () => null };
  const fillOn = (exchange: string) => {
    let n = 0;
    return (
      side: 'BUY' | 'SELL',
      qty: string,
      price: string,
      comm: string,
      rPnl: string | null,
      time: number,
    ) => ({
      fill: {
        exchange,
        user: 'owner',
        tradeId: `${++n}`,
        orderId: `o${n}`,
        symbol: 'BTCUSDT',
        side,
        price,
        qty,
        comm,
        commAsset: 'USDT',
        maker: false,
        rPnl,
        posSide: 'BOTH' as const,
        time,
        bot: null,
      },
    });
  };

  it('that a fill turns round shares the fee of that fill with the next one: together they pay what the fills did', () => {
    const fill = fillOn(FUTURES);
    const events = [
      fill('BUY', '1', '100', '1', '0', 1_001),
      fill('SELL', '4', '110', '8', '10', 1_002),
      fill('BUY', '3', '100', '5', '30', 1_003),
    ];
    const { traded } = booked({ events, prices, from: 0, to: 9_999 });
    expect(traded.map(({ side, fees, net }) => [side, str(fees), str(net)])).toEqual([
      ['LONG', '3', '7'],
      ['SHORT', '11', '19'],
    ]);
  });

  it('of a coin that was all sold before counts from its own purchase on, not from the first one there was', () => {
    const fill = fillOn(SPOT);
    const events = [
      fill('BUY', '1', '100', '0', null, 1_001),
      fill('SELL', '1', '110', '0', null, 1_002),
      fill('BUY', '1', '100', '0', null, 2_001),
      fill('SELL', '1', '90', '0', null, 2_005),
    ];
    const { traded } = booked({ events, prices, from: 0, to: 9_999 });
    expect(traded.map(({ openedAt, closedAt }) => [openedAt, closedAt])).toEqual([
      [1_001, 1_002],
      [2_001, 2_005],
    ]);
  });
});

/** The fee in dollars: if its asset is traded in the fill, at the price of the fill itself. */
function feeOf(
  { prices }: History,
  {
    comm,
    commAsset,
    symbol,
    price,
    exchange,
    time,
  }: Extract<History['events'][number], { fill: unknown }>['fill'],
): Dec {
  const quote = symbol === 'ETHBTC' ? 'BTC' : 'USDT';
  const rate = prices.usd(quote, time) as Dec;
  const base = symbol.slice(0, 3);
  if (commAsset === base && exchange === SPOT) return mul(dec(comm), mul(dec(price), rate));
  return mul(dec(comm), prices.usd(commAsset, time) as Dec);
}

/** All that a closed trade says, comparable. */
function shown({ account, kind, bot, ...trade }: ClosedTrade) {
  const { symbol, side, posSide, openedAt, closedAt } = trade;
  const { qty, entry, exit, realised, fees, funding, net, rate } = trade;
  const numbers = { qty, entry, exit, realised, fees, funding, net, rate };
  const texts = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, str(value)]));
  return { account, kind, symbol, side, posSide, openedAt, closedAt, bot, ...texts };
}

interface Stretch {
  size: Dec;
  readonly side: 'LONG' | 'SHORT';
  readonly openedAt: number;
  readonly bots: Set<string | null>;
  /** Quantities, and quantity x price: of what opened, and of what closed. */
  readonly entered: [Dec, Dec];
  readonly left: [Dec, Dec];
  realised: Dec;
  fees: Dec;
  funding: Dec;
}

/** The same from the events: every stretch in which a position is not flat and on one side. */
function flatToFlat(history: History): ReturnType<typeof shown>[] {
  const { events, prices } = history;
  const open = new Map<string, Stretch>();
  const closed: ReturnType<typeof shown>[] = [];
  const begin = (key: string, size: Dec, openedAt: number): Stretch => {
    const stretch: Stretch = {
      size,
      side: size > ZERO ? 'LONG' : 'SHORT',
      openedAt,
      bots: new Set(),
      entered: [ZERO, ZERO],
      left: [ZERO, ZERO],
      realised: ZERO,
      fees: ZERO,
      funding: ZERO,
    };
    open.set(key, stretch);
    return stretch;
  };
  const size = (value: Dec) => (value < ZERO ? -value : value);
  for (const event of events) {
    if ('record' in event) {
      const { kind, symbol, amount, time, cost = '0' } = event.record;
      const sides = ['BOTH', 'LONG', 'SHORT'].flatMap((side) => open.get(`${symbol} ${side}`) ?? []);
      // Where both sides are open nobody knows which of them it is of.
      const [only, other] = sides;
      if (kind === 'funding' && only && !other) only.funding += dec(amount);
      if (kind !== 'position') continue;
      open.delete(`${symbol} BOTH`);
      if (dec(amount) !== ZERO)
        begin(`${symbol} BOTH`, dec(amount), time).entered.splice(0, 2, size(dec(amount)), size(dec(cost)));
      continue;
    }
    const { fill } = event;
    if (fill.exchange !== FUTURES) continue;
    const { symbol, posSide, side, rPnl, time, bot } = fill;
    const [qty, price] = [dec(fill.qty), dec(fill.price)];
    const key = `${symbol} ${posSide}`;
    const rate = prices.usd(symbol === 'ETHBTC' ? 'BTC' : 'USDT', time) as Dec;
    const known = open.get(key);
    const closes = known !== undefined && known.side === (side === 'BUY' ? 'SHORT' : 'LONG');
    const part = closes ? (qty < size(known.size) ? qty : size(known.size)) : ZERO;
    const fee = feeOf(history, fill);
    const ofClose = part === qty ? fee : (fee * part) / qty;
    if (closes) {
      known.left[0] += part;
      known.left[1] += mul(part, price);
      known.realised += mul(dec(rPnl ?? '0'), rate);
      known.fees += ofClose;
      known.bots.add(bot);
      known.size += side === 'BUY' ? part : -part;
      if (known.size === ZERO) {
        const { openedAt, entered, left, realised, fees, funding, bots } = known;
        open.delete(key);
        closed.push(
          shown({
            account: FUTURES,
            kind: 'futures',
            symbol,
            side: known.side,
            posSide,
            openedAt,
            closedAt: time,
            qty: left[0],
            entry: div(entered[1], entered[0]),
            exit: div(left[1], left[0]),
            realised,
            fees,
            funding,
            net: realised - fees + funding,
            rate,
            bot: bots.size === 1 ? ([...bots][0] ?? null) : null,
          }),
        );
      }
    }
    if (qty === part) continue;
    const opened = side === 'BUY' ? qty - part : part - qty;
    const stretch = open.get(key) ?? begin(key, ZERO + opened, time);
    if (stretch.entered[0] > ZERO) stretch.size += opened;
    stretch.entered[0] += qty - part;
    stretch.entered[1] += mul(qty - part, price);
    stretch.fees += fee - ofClose;
    stretch.bots.add(bot);
  }
  return closed;
}
