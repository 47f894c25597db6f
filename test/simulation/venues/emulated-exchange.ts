/**
 * The common part of all venues' worlds: an emulator behind a virtual network, its raw log of money, and the
 * acts of strangers and of the exchange itself on the account. The world of a venue has the venue's own
 * words, and what it reports about its accounts.
 */
import { type Dec, dec, str, ZERO } from '../../../src/domain/decimal.ts';
import type { Net } from '../../../src/venues/kit/net.ts';
import type { VenueKind } from '../../../src/venues/venue-kind.ts';
import { EmulatorNet, type NetFaults } from '../../emulators/kit/emulator-net.ts';
import type { MarketOf, TradedSymbol } from '../../emulators/kit/market.ts';
import type { VenueEmulator } from '../../emulators/kit/wire.ts';
import type { Dice } from '../dice.ts';
import type { SimSymbol } from '../market.ts';
import { addTo } from '../rough/rough-exchange.ts';
import { type Money, movedBy } from './money-log.ts';
import type { AccountKind, Act, Truth, VenueExchange, VenueGiven } from './venue-world.ts';

/** An order that rests, or waits for its trigger. */
export interface Resting {
  readonly clientId: string;
  readonly isOurs: boolean;
  /** Cancels it as another program with the same key does; false: it was refused. */
  readonly cancel: () => boolean;
}

export interface HeldPosition {
  /** Size, positive on both sides. */
  readonly size: Dec;
  readonly unit: Dec;
  readonly reduce: (qty: Dec) => void;
}

/** An order of a stranger. */
export interface StrangersOrder {
  readonly symbol: SimSymbol;
  readonly isSpot: boolean;
  readonly isBuy: boolean;
  /** Quantity in base units. */
  readonly quantity: number;
  /** Limit price; null: a market order. */
  readonly limit: string | null;
  readonly clientId: string;
}

/** A change of a symbol; `least`: index of one of three smallest sizes, ascending. */
export type SymbolChange =
  | { readonly tick: string }
  | { readonly least: 0 | 1 | 2 }
  | { readonly trades: boolean };

interface Emulator extends VenueEmulator {
  beatMs: number;
  shutdown(): void;
}

export abstract class EmulatedExchange<E extends Emulator> implements VenueExchange {
  readonly net: EmulatorNet;
  protected readonly emulator: E;
  protected readonly symbols: readonly SimSymbol[];
  protected readonly log: Money[] = [];
  readonly #stranger: string;
  #strangers = 0;

  /** `stranger`: prefix of strangers' client ids. `make`: makes the emulator, whose log rows go to `note`. */
  constructor(given: VenueGiven, stranger: string, make: (note: (row: object) => void) => E) {
    const { clock, dice, symbols, struck } = given;
    this.symbols = symbols;
    this.#stranger = stranger;
    this.emulator = make((row) => {
      if (MONEY.has((row as Money).kind)) this.log.push(row as Money);
    });
    this.net = new EmulatorNet({ emulator: this.emulator, clock, dice: dice('venue net'), struck });
  }

  abstract kind(net: Net): VenueKind;
  abstract truth(account: AccountKind): Truth;
  protected abstract marketOf(symbol: string, isSpot: boolean): MarketOf<TradedSymbol>;
  protected abstract printed(symbol: string, price: string, volume: string, isSale: boolean): void;
  protected abstract change(symbol: string, isSpot: boolean, change: SymbolChange): void;
  protected abstract resting(isSpot: boolean): readonly Resting[];
  protected abstract place(order: StrangersOrder, dice: Dice): boolean;
  protected abstract held(): readonly HeldPosition[];
  protected abstract leverageIs(symbol: string, leverage: string): boolean;
  /** The amount of an asset that can be withdrawn. */
  protected abstract spendable(asset: string, isSpot: boolean): Dec;
  protected abstract transfer(asset: string, change: Dec, isSpot: boolean): void;

  /** The desk's waiting conditional orders, where the venue keeps them in a book of their own. */
  protected waiting(_isSpot: boolean): readonly Resting[] {
    return [];
  }

  protected coinsOf(_isSpot: boolean): readonly string[] {
    return ['USDT', 'BTC', 'ETH'];
  }

  /** The price that strangers use. */
  protected seen({ last }: MarketOf<TradedSymbol>): Dec {
    return last;
  }

  faults(plan: NetFaults): void {
    this.net.faults = plan;
  }

  down(isDown: boolean): void {
    this.net.down = isDown;
  }

  cut(): void {
    this.net.cut('read ECONNRESET');
  }

  beat(everyMs: number): void {
    this.emulator.beatMs = everyMs;
  }

  print(symbol: string, price: string, volume: string): void {
    this.printed(symbol, price, volume, (Number(volume) * 1e5) % 2 < 1);
  }

  heal(): void {
    for (const { symbol } of this.symbols)
      for (const isSpot of [true, false]) this.change(symbol, isSpot, { trades: true });
  }

  act(act: Act, dice: Dice): boolean {
    const one = dice.pick(this.symbols);
    const { symbol } = one;
    const isSpot = dice.chance(0.5);
    switch (act) {
      case 'stranger trades':
        return this.#trade(dice, one, isSpot);
      case 'stranger cancels ours':
        return this.#cancelOurs(dice, isSpot);
      case 'transfer':
        return this.#transfer(dice, isSpot);
      case 'filters change': {
        const isTick = dice.chance(0.5);
        const change = isTick ? { tick: dice.pick(['0.01', '0.02', '0.05']) } : { least: dice.pick(LEASTS) };
        this.change(symbol, isSpot, change);
        return true;
      }
      case 'symbol halts':
        this.change(symbol, isSpot, { trades: !dice.chance(0.5) });
        return true;
      case 'exchange shuts its sockets':
        this.emulator.shutdown();
        return true;
      case 'price jumps': {
        const { last } = this.marketOf(symbol, false);
        const price = (Number(str(last)) * (1 + dice.pick([-1, 1]) * dice.between(0.01, 0.03))).toFixed(2);
        this.print(symbol, price, '0.5');
        return true;
      }
      case 'reduced by the exchange':
        return this.#reduce(dice);
      case 'leverage changed elsewhere':
        return this.leverageIs(symbol, String(dice.pick([3, 7, 20])));
    }
  }

  /**
   * Sums opening, fills, transfers and income of the raw log, for one account or a wallet that both share;
   * uses no figure that the exchange reports about accounts.
   */
  protected moved(market?: AccountKind): Map<string, Dec> {
    const sums = new Map<string, Dec>();
    for (const row of this.log)
      if (market === undefined || row.market === market)
        for (const [asset, amount] of movedBy(row)) addTo(sums, asset, amount);
    return sums;
  }

  #trade(dice: Dice, symbol: SimSymbol, isSpot: boolean): boolean {
    const own = this.resting(isSpot).filter(({ clientId }) => clientId.startsWith(this.#stranger));
    if (own.length > 0 && dice.chance(0.3)) return dice.pick(own).cancel();
    const price = Number(str(this.seen(this.marketOf(symbol.symbol, isSpot))));
    const isBuy = dice.chance(0.5);
    const quantity = dice.between(110, 900) / price;
    const limit = (price * (1 + (isBuy ? -1 : 1) * dice.between(0, 0.004))).toFixed(1);
    const isLimit = dice.chance(0.6);
    const clientId = `${this.#stranger}${++this.#strangers}`;
    return this.place({ symbol, isSpot, isBuy, quantity, limit: isLimit ? limit : null, clientId }, dice);
  }

  #cancelOurs(dice: Dice, isSpot: boolean): boolean {
    const waiting = this.waiting(isSpot);
    if (waiting.length > 0 && dice.chance(0.5)) return dice.pick(waiting).cancel();
    const ours = this.resting(isSpot).filter(({ isOurs }) => isOurs);
    return ours.length > 0 && dice.pick(ours).cancel();
  }

  #transfer(dice: Dice, isSpot: boolean): boolean {
    const coins = this.coinsOf(isSpot);
    const asset = coins.length > 1 ? dice.pick(coins) : (coins[0] ?? '');
    const amount =
      (asset === 'USDT' ? dice.between(1, 200) : dice.between(0.001, 0.01)) * dice.pick([1, 1, -1]);
    const change = dec(amount.toFixed(6));
    if (this.spendable(asset, isSpot) + change < ZERO) return false;
    this.transfer(asset, change, isSpot);
    return true;
  }

  #reduce(dice: Dice): boolean {
    const held = this.held();
    if (held.length === 0) return false;
    const { size, unit, reduce } = dice.pick(held);
    const qty = dice.chance(0.4) ? size : (size / 2n / unit) * unit;
    if (qty < unit) return false;
    reduce(qty);
    return true;
  }
}

/** Kinds of raw log rows that move money. */
const MONEY: ReadonlySet<string> = new Set(['start', 'transfer', 'income', 'fill']);
const LEASTS = [0, 1, 2] as const;
