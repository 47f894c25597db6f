/**
 * Where the money of a run is: every unit that its fills have moved is in a lot, in the dust, kept, a fee or
 * realised, exactly once.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Fill } from '../../../src/bots/run/contract.ts';
import { LotBook, newLotState } from '../../../src/bots/run/lots.ts';
import { type Dec, dec, floorTo, mul, ZERO } from '../../../src/domain/decimal.ts';
import { world } from '../settings/support.ts';

/** Bound on the rounding error of divisions over all steps: far below the smallest quantity. */
const ROUNDED = 10n ** 12n;

/** Sums computed from the fills alone. */
interface Sums {
  /** Quote units received less those spent, net of fees in quote. */
  quote: Dec;
  /** Base units that must be accounted for. */
  base: Dec;
  fees: Dec;
  volume: Dec;
}

const money = fc.bigInt(1n, 400n).map((cents) => dec(String(Number(cents) / 100)));
/** Multiples of the smallest quantity: an order fills in any such amount. */
const quantity = fc.bigInt(1n, 3_000_000n).map((units) => units * 10n ** 24n);
const fill = fc.record({
  price: money,
  qty: quantity,
  feeIn: fc.constantFrom('BTC', 'USDT'),
  rate: fc.nat(3),
});
const lots = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 });
const step = fc.oneof(
  fc.record({ do: fc.constant('buy' as const), fill, lots }),
  fc.record({ do: fc.constant('sell' as const), fill, lots }),
  fc.record({ do: fc.constantFrom('dust' as const, 'keep' as const), fill, lots }),
);

/** `dust`: exits are sized to the step, and the rest of a step becomes dust. */
it.each([
  ['spot', false],
  ['futures', false],
  ['futures', true],
] as const)('of a run on %s (short: %s) is where its fills have put it, however they come', (kind, short) => {
  const rules = world().instrument(kind === 'spot' ? 'paper-spot' : 'paper-futures', 'BTCUSDT');
  if (!rules) throw new Error('BTCUSDT is not traded');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const book = new LotBook(newLotState(), rules, short);
      const sums: Sums = { quote: ZERO, base: ZERO, fees: ZERO, volume: ZERO };
      for (const { do: what, fill: given, lots: keys } of steps) {
        const { price, feeIn, rate } = given;
        if (what === 'dust') {
          const before = structuredClone(book.state);
          const held = keys.reduce((sum, key) => sum + (book.get(key)?.qty ?? ZERO), ZERO);
          const whole = floorTo(held + before.dust, rules.step) === held && !book.isTooSmall(keys, price);
          book.sellable(keys, price);
          // A desk and a backtest may size the exits of one tick in a different order: whole steps keep
          // their cost.
          if (whole) expect(book.state).toEqual(before);
        }
        if (what === 'keep') book.keep(keys);
        if (what === 'dust' || what === 'keep') continue;
        const held = keys.reduce((sum, key) => sum + (book.get(key)?.qty ?? ZERO), ZERO);
        const qty = what === 'sell' && given.qty > held ? held : given.qty;
        if (qty === ZERO) continue;
        const inBase = kind === 'spot' && what === 'buy' && feeIn === 'BTC';
        const fee = mul(inBase ? qty : mul(qty, price), dec(String(rate / 1_000)));
        const one: Fill = { price, qty, fee, feeAsset: inBase ? 'BTC' : 'USDT', maker: false };
        if (what === 'sell') book.sell(keys, one);
        else buy(book, keys, one);
        const out = (what === 'buy') !== short;
        sums.quote += (out ? -1n : 1n) * mul(qty, price) - (inBase ? ZERO : fee);
        sums.base += what === 'buy' ? qty - (inBase ? fee : ZERO) : -qty;
        sums.fees += inBase ? mul(fee, price) : fee;
        sums.volume += mul(qty, price);
      }
      const { state } = book;
      const bound = state.dustCost + state.keptCost + book.cost();
      near(state.realised - (short ? -1n : 1n) * bound, sums.quote);
      near(book.total() + state.dust + state.kept, sums.base);
      near(state.fees, sums.fees);
      near(state.volume, sums.volume);
    }),
  );
});

/**
 * Gives a fill of one order to its lots in order, as a run does: equal parts, the last lot takes the rest.
 */
function buy(book: LotBook, keys: readonly string[], one: Fill): void {
  const each = one.qty / BigInt(keys.length);
  for (const [i, key] of keys.entries()) {
    const part = i === keys.length - 1 ? one.qty - each * BigInt(keys.length - 1) : each;
    if (part > ZERO) book.buy(key, key, one, part, 0);
  }
}

function near(is: Dec, should: Dec): void {
  const off = is > should ? is - should : should - is;
  if (off > ROUNDED) expect(is).toBe(should);
}
