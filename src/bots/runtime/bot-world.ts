/**
 * The facts that bots are judged by: accounts, instruments and fees, as the engine knows them. Pure reads.
 */
import { type Dec, dec } from '../../domain/decimal.ts';
import { closeBelowMinimum } from '../../domain/exchange.ts';
import type { Instrument, InstrumentNumbers } from '../../domain/instrument.ts';
import { tradedSymbols } from '../../engine/instruments.ts';
import type { EngineMemory } from '../../engine/memory.ts';
import type { MarketRules, SettingsWorld } from '../settings/compiled.ts';
import { fixedRules } from '../settings/market-rules.ts';

export interface BotWorldOptions {
  readonly memory: EngineMemory;
  /** Fractions, decimal strings. */
  readonly fees: (exchange: string) => { readonly maker: string; readonly taker: string };
  /** Largest leverage of a symbol; 1 on spot. */
  readonly maxLeverage: (exchange: string, symbol: string) => number;
  /** Names of the notification targets of the configuration. */
  readonly targets: readonly string[];
}

export class BotWorld {
  readonly #o: BotWorldOptions;

  constructor(options: BotWorldOptions) {
    this.#o = options;
  }

  /**
   * What settings are judged by: a user's own accounts. `goesOn`: for a run that has begun; a symbol that is
   * not traded any more keeps its last known values.
   */
  settings(user: string, now: number, goesOn = false): SettingsWorld {
    const { memory, targets } = this.#o;
    const accounts = memory
      .accountsOf(user)
      .map(
        ({ account, futures }) =>
          [account.id, { kind: account.kind, hedge: futures?.hedge === true }] as const,
      );
    return {
      now,
      accounts: new Map(accounts),
      instrument: (exchange, symbol) => {
        const account = memory.accounts.get(exchange);
        if (!goesOn && account?.instruments.get(symbol)?.delisted) return null;
        return this.rules(exchange, symbol);
      },
      symbols: (exchange) => {
        const account = memory.accounts.get(exchange);
        return account ? tradedSymbols(account) : [];
      },
      targets,
    };
  }

  /**
   * A symbol with its numbers and fees, read at the moment of use; the last known ones where it is not traded
   * any more; null when the account has never had it.
   */
  rules(exchange: string, symbol: string): MarketRules | null {
    const account = this.#o.memory.accounts.get(exchange);
    const instrument = account?.instruments.get(symbol);
    const first = account?.numbers.get(symbol);
    if (!account || !instrument || !first) return null;
    return new LiveRules(this.#o, exchange, instrument, first);
  }

  /** Rules for a NOTIFY that scans all symbols: it has no symbol of its own. */
  anyRules(exchange: string): MarketRules {
    const [first] = this.#o.memory.account(exchange).instruments.keys();
    const rules = first === undefined ? null : this.rules(exchange, first);
    if (!rules) throw new Error(`${exchange} has no instruments`);
    return fixedRules(rules, { symbol: '' });
  }
}

/**
 * The rules of one symbol, looked up when they are read. There is one object for each run, so it stores
 * nothing that can be looked up.
 */
class LiveRules implements MarketRules {
  readonly exchange: string;
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly kind: MarketRules['kind'];
  readonly #o: BotWorldOptions;
  /** Used once the symbol is not known any more. */
  readonly #first: InstrumentNumbers;

  constructor(
    options: BotWorldOptions,
    exchange: string,
    { symbol, base, quote, kind }: Instrument,
    first: InstrumentNumbers,
  ) {
    this.#o = options;
    this.exchange = exchange;
    this.symbol = symbol;
    this.base = base;
    this.quote = quote;
    this.kind = kind;
    this.#first = first;
  }

  get #account() {
    return this.#o.memory.accounts.get(this.exchange);
  }

  get #numbers(): InstrumentNumbers {
    return this.#account?.numbers.get(this.symbol) ?? this.#first;
  }

  get #rates() {
    return this.#account?.fees ?? this.#o.fees(this.exchange);
  }

  get tick(): Dec {
    return this.#numbers.tick;
  }

  get step(): Dec {
    return this.#numbers.step;
  }

  get minQty(): Dec {
    return this.#numbers.minQty;
  }

  get minNotional(): Dec {
    return this.#numbers.minNotional;
  }

  get makerRate(): Dec {
    return dec(this.#rates.maker);
  }

  get takerRate(): Dec {
    return dec(this.#rates.taker);
  }

  get takesSmallExits(): boolean {
    const account = this.#account;
    return account ? closeBelowMinimum(account) !== 'no' : this.kind === 'futures';
  }

  get maxLeverage(): number {
    return this.#o.maxLeverage(this.exchange, this.symbol);
  }
}
