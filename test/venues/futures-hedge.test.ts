/**
 * Hedge mode on the paper exchange against a model that is computed anew after every step: two contracts,
 * LONG and SHORT of each, crossed or isolated, orders that open and that close. Prices move little, so that
 * nothing is liquidated.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ceilTo, type Dec, dec, maxDec, minDec, mul, roundTo, str, ZERO } from '../../src/domain/decimal.ts';
import { FuturesBench } from './futures-support.ts';

const SYMBOLS = ['BTCUSDT', 'ETHUSDT'] as const;
const BASE = { BTCUSDT: 50_000, ETHUSDT: 2_000 } as const;
const MAKER = dec('0.0002');
const TAKER = dec('0.0005');
const CENT = dec('0.00000001');
const money = (value: Dec) => roundTo(value, CENT);

type Contract = (typeof SYMBOLS)[number];
type Way = 'LONG' | 'SHORT';
interface Wanted {
  readonly symbol: Contract;
  readonly side: 'BUY' | 'SELL';
  readonly way: Way;
  readonly qty: Dec;
  /** Null: a MARKET order. */
  readonly price: Dec | null;
}
interface Resting extends Wanted {
  readonly id: string;
  left: Dec;
}
interface Leg {
  size: Dec;
  cost: Dec;
  isolated: Dec;
  pnl: Dec;
}
interface Setup {
  readonly leverage: Readonly<Record<Contract, number>>;
  readonly isolated: Readonly<Record<Contract, boolean>>;
}

const closes = ({ side, way }: Pick<Wanted, 'side' | 'way'>) => (side === 'SELL') === (way === 'LONG');

class Model {
  readonly legs = new Map<string, Leg>();
  readonly price = new Map<Contract, Dec>();
  resting: Resting[] = [];
  wallet = dec('20000');
  fees = ZERO;
  readonly #setup: Setup;

  constructor(setup: Setup) {
    this.#setup = setup;
  }

  leg({ symbol, way }: Pick<Wanted, 'symbol' | 'way'>): Leg {
    const leg = this.legs.get(`${symbol} ${way}`) ?? { size: ZERO, cost: ZERO, isolated: ZERO, pnl: ZERO };
    this.legs.set(`${symbol} ${way}`, leg);
    return leg;
  }

  profitOf(key: string, { size, cost }: Leg): Dec {
    const [symbol, way] = key.split(' ') as [Contract, Way];
    const worth = mul(size, this.price.get(symbol) as Dec);
    return way === 'LONG' ? worth - cost : cost - worth;
  }

  /**
   * The wallet that is not isolated, the profit of crossed positions, and the margins of positions and
   * orders.
   */
  figures(more: Wanted | null = null) {
    let [cross, profit, margins] = [this.wallet, ZERO, ZERO];
    for (const [key, leg] of this.legs) {
      const symbol = key.split(' ')[0] as Contract;
      cross -= leg.isolated;
      if (this.#setup.isolated[symbol]) continue;
      profit += this.profitOf(key, leg);
      margins += mul(leg.size, this.price.get(symbol) as Dec) / BigInt(this.#setup.leverage[symbol]);
    }
    for (const symbol of SYMBOLS) {
      let opening = ZERO;
      for (const one of this.resting)
        if (one.symbol === symbol && !closes(one)) opening += mul(one.left, one.price as Dec);
      if (more?.symbol === symbol) opening += mul(more.qty, more.price as Dec);
      margins += opening / BigInt(this.#setup.leverage[symbol]);
    }
    return { cross, profit, margins };
  }

  /** Places an order; false: it is refused. */
  place(id: string, wanted: Wanted): boolean {
    const last = this.price.get(wanted.symbol) as Dec;
    const leg = this.leg(wanted);
    const at = wanted.price ?? last;
    if (closes(wanted)) {
      if (leg.size === ZERO) return false;
    } else {
      const { cross, profit, margins } = this.figures();
      const needs = this.figures({ ...wanted, price: at }).margins - margins;
      const loss = maxDec(wanted.side === 'BUY' ? at - last : last - at, ZERO);
      const cost = needs + mul(wanted.qty, loss) + mul(mul(wanted.qty, at), TAKER);
      if (cost > minDec(cross + profit - margins, cross)) return false;
    }
    const takes = wanted.price === null || (wanted.side === 'BUY' ? last <= at : last >= at);
    const order = { ...wanted, id, left: wanted.qty };
    if (!takes) this.resting.push(order);
    else this.#fill(order, last, TAKER);
    return true;
  }

  tick(symbol: Contract, price: Dec): void {
    this.price.set(symbol, price);
    const own = this.resting.filter((one) => one.symbol === symbol);
    const reached = [
      ...own.filter(({ side, price: at }) => side === 'BUY' && (at as Dec) >= price).sort(by(-1)),
      ...own.filter(({ side, price: at }) => side === 'SELL' && (at as Dec) <= price).sort(by(1)),
    ];
    for (const order of reached) {
      if (!this.resting.includes(order)) continue;
      this.resting = this.resting.filter((one) => one !== order);
      if (!closes(order)) {
        const value = mul(order.left, order.price as Dec);
        const { leverage, isolated } = this.#setup;
        const margin = isolated[symbol] ? ceilTo(value / BigInt(leverage[symbol]), CENT) : ZERO;
        if (margin + mul(value, MAKER) > this.figures().cross) continue;
      }
      this.#fill(order, order.price as Dec, MAKER);
    }
  }

  #fill(order: Resting, price: Dec, rate: Dec): void {
    const leg = this.leg(order);
    const { leverage, isolated } = this.#setup;
    const qty = closes(order) ? minDec(order.left, leg.size) : order.left;
    const value = mul(qty, price);
    if (closes(order)) {
      const all = qty === leg.size;
      const cost = all ? leg.cost : money((leg.cost * qty) / leg.size);
      const pnl = order.way === 'LONG' ? value - cost : cost - value;
      leg.isolated -= all ? leg.isolated : money((leg.isolated * qty) / leg.size);
      leg.cost -= cost;
      leg.size -= qty;
      leg.pnl = all ? ZERO : leg.pnl + pnl;
      this.wallet += pnl;
    } else {
      leg.size += qty;
      leg.cost += value;
      if (isolated[order.symbol]) leg.isolated += ceilTo(value / BigInt(leverage[order.symbol]), CENT);
    }
    this.wallet -= mul(value, rate);
    this.fees += mul(value, rate);
    // Closing orders end together with the position.
    if (leg.size > ZERO) return;
    const { symbol, way } = order;
    this.resting = this.resting.filter((one) => one.symbol !== symbol || one.way !== way || !closes(one));
  }
}

const by = (direction: number) => (a: Resting, b: Resting) =>
  a.price === b.price ? 0 : (a.price as Dec) < (b.price as Dec) === direction > 0 ? -1 : 1;

function told(b: FuturesBench) {
  const [balance] = b.core.balances();
  const { wallet, fees } = b.core.amounts();
  return {
    wallet: str(wallet),
    fees: str(fees),
    free: balance?.free,
    positions: b.core
      .positions()
      .map(
        (p) =>
          `${p.symbol} ${p.side} ${p.amount} ${p.cost} ${p.isolatedWallet} ${p.unrealizedProfit} ${p.realizedPnl}`,
      ),
    realized: SYMBOLS.flatMap((symbol) =>
      b.core.leverage([symbol]).map(({ side, realizedPnl }) => `${side} ${realizedPnl}`),
    ),
    orders: b.core.openOrders().map(({ clientId }) => clientId),
  };
}

function expected(m: Model): ReturnType<typeof told> {
  const { cross, profit, margins } = m.figures();
  const locked = minDec(m.wallet - cross + money(margins + maxDec(-profit, ZERO)), m.wallet);
  const open = [...m.legs].filter(([, { size }]) => size > ZERO).sort(([a], [b]) => (a < b ? -1 : 1));
  const signed = (key: string, value: Dec) => str(key.endsWith('SHORT') ? -value : value);
  return {
    wallet: str(m.wallet),
    fees: str(m.fees),
    free: str(m.wallet - locked),
    positions: open.map(
      ([key, leg]) =>
        `${key} ${str(leg.size)} ${signed(key, leg.cost)} ${str(leg.isolated)} ${str(m.profitOf(key, leg))} ${str(leg.pnl)}`,
    ),
    realized: SYMBOLS.flatMap((symbol) =>
      (['LONG', 'SHORT'] as const).map((way) => `${way} ${str(m.legs.get(`${symbol} ${way}`)?.pnl ?? ZERO)}`),
    ),
    orders: m.resting.map(({ id }) => id),
  };
}

const symbol = fc.constantFrom(...SYMBOLS);
// The prices are so close together that no limit is too far from the mark.
const percent = fc.integer({ min: 98, max: 102 });
const at = (name: Contract, share: number) => dec(String((BASE[name] * share) / 100));
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ tick: symbol, percent }) },
  {
    weight: 3,
    arbitrary: fc.record({
      order: symbol,
      side: fc.constantFrom('BUY' as const, 'SELL' as const),
      way: fc.constantFrom('LONG' as const, 'SHORT' as const),
      size: fc.integer({ min: 1, max: 60 }),
      percent: fc.option(percent, { freq: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ cancel: fc.nat(20) }) },
);
const both = <T>(arbitrary: fc.Arbitrary<T>) => fc.record({ BTCUSDT: arbitrary, ETHUSDT: arbitrary });

it('two sides of two contracts are margined, filled, closed and swept as the model says', () => {
  const setups = fc.record({ leverage: both(fc.constantFrom(3, 7, 10)), isolated: both(fc.boolean()) });
  const seen = { refused: 0, closed: 0, resting: 0 };
  fc.assert(
    fc.property(setups, fc.array(step, { minLength: 5, maxLength: 30, size: 'max' }), (setup, steps) => {
      const b = new FuturesBench({
        makerRate: str(MAKER),
        takerRate: str(TAKER),
        startBalances: { USDT: '20000' },
      });
      const m = new Model(setup);
      b.mustSet((core) => core.setHedgeMode(true));
      for (const name of SYMBOLS) {
        b.tick(str(at(name, 100)), { symbol: name });
        m.tick(name, at(name, 100));
        b.mustSet((core) => core.setLeverage(name, setup.leverage[name]));
        if (setup.isolated[name]) b.mustSet((core) => core.setMarginType(name, 'ISOLATED'));
      }
      let placed = 0;
      for (const one of steps) {
        if ('tick' in one) {
          b.tick(str(at(one.tick, one.percent)), { symbol: one.tick });
          m.tick(one.tick, at(one.tick, one.percent));
        } else if ('cancel' in one) {
          const order = m.resting[one.cancel % Math.max(1, m.resting.length)];
          if (!order) continue;
          b.keep(b.core.cancel({ clientId: order.id, symbol: order.symbol }, b.now));
          m.resting = m.resting.filter((other) => other !== order);
        } else {
          const name = one.order;
          const qty = dec(name === 'BTCUSDT' ? '0.02' : '0.5') * BigInt(one.size);
          const price = one.percent === null ? null : at(name, one.percent);
          const id = `n${placed++}`;
          const { side, way } = one;
          const more =
            price === null ? { type: 'MARKET' as const } : { type: 'LIMIT' as const, price: str(price) };
          const answer = b.submit({
            clientId: id,
            symbol: name,
            side,
            positionSide: way,
            quantity: str(qty),
            ...more,
          });
          const isTaken = m.place(id, { symbol: name, side, way, qty, price });
          expect([id, answer.kind]).toEqual([id, isTaken ? 'accepted' : 'rejected']);
          if (!isTaken) seen.refused += 1;
          else if (closes(one)) seen.closed += 1;
          else if (m.resting.some((order) => order.id === id)) seen.resting += 1;
        }
        expect(told(b)).toEqual(expected(m));
        b.core.audit();
      }
    }),
    { numRuns: 60 },
  );
  expect({ refused: seen.refused > 30, closed: seen.closed > 30, resting: seen.resting > 30 }).toEqual({
    refused: true,
    closed: true,
    resting: true,
  });
});
