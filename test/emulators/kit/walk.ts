/**
 * Other people's trades: a random walk that stays within a tenth of its starting price, for all markets of an
 * exchange together.
 */
import type { Cancelable, Clock } from '../../../src/domain/clock.ts';
import { type Dec, dec, roundTo, str } from '../../../src/domain/decimal.ts';
import type { Dice } from '../../simulation/dice.ts';
import type { MarketOf, TradedSymbol } from './market.ts';
import type { ServedEmulator } from './wire.ts';

export class Walk {
  readonly #emulator: ServedEmulator;
  readonly #clock: Clock;
  readonly #dice: Dice;
  #timer: Cancelable | null = null;
  /** Mean time between trades of one symbol, ms; 0: none. */
  paceMs: number;

  constructor(emulator: ServedEmulator, clock: Clock, dice: Dice, paceMs: number) {
    this.#emulator = emulator;
    this.#clock = clock;
    this.#dice = dice;
    this.paceMs = paceMs;
  }

  start(): void {
    const markets = this.#emulator.markets();
    const all = markets.flatMap(({ kind, market }) => [...market.symbols.values()].map((m) => ({ kind, m })));
    const next = () => {
      const wait = this.paceMs > 0 ? Math.max(1, this.paceMs / all.length) : 1000;
      this.#timer = this.#clock.after(wait, () => {
        if (this.paceMs > 0) {
          const { kind, m } = this.#dice.pick(all);
          this.step(kind, m);
        }
        next();
      });
    };
    next();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Makes one trade of one symbol. */
  step(kind: string, m: MarketOf<TradedSymbol>): void {
    const base = dec(m.spec.price);
    const away = Number((m.mid - base) / (base / 100_000n)) / 100_000;
    const drift = -away * 0.002;
    const move = (this.#dice.next() - 0.5) * 0.0012 + drift;
    const millionths = BigInt(Math.round((1 + move) * 1e6));
    const moved = roundTo((m.mid * millionths) / 1_000_000n, m.tick);
    const price: Dec = moved > 0n ? moved : m.tick;
    const notional = BigInt(this.#dice.int(20, 5000)) * 10n ** 30n;
    const qty = roundTo((notional * 10n ** 30n) / price, m.step);
    this.#emulator.print(
      kind,
      m.spec.symbol,
      str(price),
      str(qty > 0n ? qty : m.step),
      this.#dice.chance(0.5),
    );
  }
}
