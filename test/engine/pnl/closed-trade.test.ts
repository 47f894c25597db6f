/**
 * Closed trades of a coin: whatever is bought and sold until nothing is left, the sales of a round share what
 * the round has paid and brought, and nothing of the rounds before it. And the risk that a trade took.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Dec, dec, div, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import { type ClosedTrade, riskMultiple } from '../../../src/engine/pnl/closed-trade.ts';
import { type BookFill, OPEN_SALES_MAX, WalletBook } from '../../../src/engine/pnl/wallet-book.ts';
import { ACCOUNTS, SPOT, WALLET } from './histories.ts';

const BNB = dec('500');

interface Drawn {
  readonly side: 'BUY' | 'SELL';
  readonly qty: number;
  readonly price: number;
  readonly fee: number;
  readonly inBnb: boolean;
  readonly order: number;
  readonly bot: string | null;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  side: fc.constantFrom('BUY', 'BUY', 'SELL'),
  qty: fc.integer({ min: 1, max: 9 }),
  price: fc.integer({ min: 90, max: 110 }),
  fee: fc.nat(9),
  inBnb: fc.boolean(),
  order: fc.nat(2),
  bot: fc.constantFrom(null, 'b1', 'b2'),
});

function fillOf(one: Drawn, n: number, orderId: string): BookFill {
  return {
    exchange: SPOT,
    user: 'owner',
    tradeId: `${n}`,
    orderId,
    symbol: 'BTCUSDT',
    side: one.side,
    price: `${one.price}`,
    qty: `${one.qty}`,
    comm: `0.0${one.fee}`,
    commAsset: one.inBnb ? 'BNB' : 'USDT',
    maker: false,
    rPnl: null,
    posSide: 'BOTH',
    time: 1_000 + n,
    bot: one.bot,
  };
}

/** Never sells more than there is; ends each round with a sale of all that is left. */
function roundsOf(all: readonly (readonly Drawn[])[]): BookFill[][] {
  let n = 0;
  return all.map((draws, round) => {
    let held = 0;
    const fills: BookFill[] = [];
    const add = (one: Drawn) => {
      held += one.side === 'BUY' ? one.qty : -one.qty;
      fills.push(fillOf(one, ++n, `${one.side} ${round} ${one.order}`));
    };
    for (const one of draws) {
      const qty = one.side === 'SELL' ? Math.min(one.qty, held - 1) : one.qty;
      if (qty > 0) add({ ...one, qty });
    }
    const last = draws.at(-1) as Drawn;
    if (held === 0) add({ ...last, side: 'BUY' });
    add({ ...last, side: 'SELL', qty: held });
    return fills;
  });
}

function tradesOf(fills: readonly BookFill[]): ClosedTrade[] {
  const traded: ClosedTrade[] = [];
  const usd = (asset: string) => (asset === 'BNB' ? BNB : asset === 'USDT' ? dec('1') : null);
  const sink = { trade: (one: ClosedTrade) => traded.push(one), entry: () => {}, equity: () => {} };
  const prices = { usd, mark: () => null };
  const book = new WalletBook({ wallet: WALLET, accounts: ACCOUNTS, prices, samples: [], sink });
  for (const fill of fills) book.fill(fill);
  book.finish();
  return traded;
}

const total = (values: readonly Dec[]) => values.reduce((all, value) => all + value, ZERO);
const paidFor = ({ price, qty }: BookFill) => mul(dec(price), dec(qty));
const feeOf = ({ comm, commAsset }: BookFill) => mul(dec(comm), commAsset === 'BNB' ? BNB : dec('1'));

describe('the sales of a coin', () => {
  it('of one round bring together what it has brought less what it has cost, fees of both sides included', () => {
    const rounds = fc.array(fc.array(drawn, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(rounds, (all) => {
        const made = roundsOf(all);
        const trades = tradesOf(made.flat());
        for (const fills of made) {
          const { time: first } = fills[0] as BookFill;
          const { time: last } = fills.at(-1) as BookFill;
          const mine = trades.filter(({ closedAt }) => closedAt >= first && closedAt <= last);
          const sales = fills.filter(({ side }) => side === 'SELL');
          expect(str(total(mine.map(({ fees }) => fees)))).toBe(str(total(fills.map(feeOf))));
          const brought = total(fills.map((one) => (one.side === 'SELL' ? paidFor(one) : -paidFor(one))));
          expect(str(total(mine.map(({ realised }) => realised)))).toBe(str(brought));
          expect(mine.map(({ net, realised, fees }) => net - realised + fees)).toEqual(mine.map(() => ZERO));
          // One trade for each order that sells, since the round began, until its last execution.
          const orders = [...new Set(sales.map(({ orderId }) => orderId))];
          const asOrdered = orders.map((orderId) => {
            const own = sales.filter((one) => one.orderId === orderId);
            const qty = total(own.map((one) => dec(one.qty)));
            const bots = new Set(own.map(({ bot }) => bot));
            return {
              openedAt: first,
              closedAt: own.at(-1)?.time,
              qty: str(qty),
              exit: str(div(total(own.map(paidFor)), qty)),
              bot: bots.size === 1 ? own[0]?.bot : null,
            };
          });
          const told = mine.map(({ openedAt, closedAt, qty, exit, bot }) => ({
            openedAt,
            closedAt,
            qty: str(qty),
            exit: str(exit),
            bot,
          }));
          expect(told).toEqual(asOrdered);
        }
      }),
      { numRuns: 150 },
    );
  });

  it(`are summed by order, of ${OPEN_SALES_MAX} orders at a time and no more`, () => {
    const sale: Drawn = { side: 'SELL', qty: 1, price: 100, fee: 0, inBnb: false, order: 0, bot: null };
    const trades = (orders: number) => {
      const buy = fillOf({ ...sale, side: 'BUY', qty: 1_000 }, 0, 'buy');
      // Each order once, and then the first one again.
      const sold = [...Array(orders).keys(), 0].map((order, n) => fillOf(sale, n + 1, `${order}`));
      return tradesOf([buy, ...sold]).length;
    };
    expect([trades(OPEN_SALES_MAX), trades(OPEN_SALES_MAX + 1)]).toEqual([
      OPEN_SALES_MAX,
      OPEN_SALES_MAX + 2,
    ]);
  });
});

it.each([
  ['LONG', '90', '2'],
  ['LONG', '110', null],
  ['LONG', '100', null],
  ['SHORT', '110', '2'],
  ['SHORT', '90', null],
  ['SHORT', '100', null],
] as const)(
  'the risk of a %s from 100 with its stop at %s: it has earned %s times as much',
  (side, stop, times) => {
    const trade = { net: dec('80'), entry: dec('100'), qty: dec('2'), side, rate: dec('2') };
    const multiple = riskMultiple(trade, dec(stop));
    expect(multiple === null ? null : str(multiple)).toBe(times);
  },
);
