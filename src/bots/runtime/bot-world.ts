/** The world that bots are judged against and live in: accounts, instruments, fees, positions, as the engine knows them. Pure reads. */
import { type Dec, dec, ONE, ZERO } from '../../domain/decimal.ts';
import { availability } from '../../engine/balances.ts';
import { tradedSymbols } from '../../engine/instruments.ts';
import type { EngineMemory } from '../../engine/memory.ts';
import type { RunWorld } from '../run/contract.ts';
import type { CompiledSettings, MarketRules, SettingsWorld } from '../settings/compiled.ts';

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

  /** Of one run. `now`: market time of the input that is being given; `own`: what the run keeps of the free balance. */
  ofRun(
    { runId, exchange }: { readonly runId: string; readonly exchange: string },
    settings: CompiledSettings,
    rules: MarketRules,
    now: () => number,
    own: (asset: string) => Dec,
  ): RunWorld {
    const account = () => this.#o.memory.account(exchange);
    return {
      now,
      available: (asset) => availability(account(), asset).available + own(asset),
      reservedByOthers: (asset) => (account().reserved.get(asset)?.excess ?? ZERO) - own(asset),
      position: () => {
        const { futures } = account();
        const side = futures?.hedge ? (settings.short ? 'SHORT' : 'LONG') : 'BOTH';
        const position = futures?.positions.get(`${rules.symbol} ${side}`);
        if (!position || dec(position.amount) === ZERO) return null;
        const amount = dec(position.amount);
        return { amount: side === 'SHORT' ? -amount : amount, entryPrice: dec(position.entryPrice) };
      },
      // Without a leverage of its own a bot's budget is its notional, whatever the symbol is set to.
      leverage: () => BigInt(rules.kind === 'spot' ? 1 : (settings.deposit?.leverage ?? 1)) * ONE,
      seed: () => runId,
      symbols: () => tradedSymbols(account()),
    };
  }

  /**
   * What settings are judged against: a user's own accounts. `goesOn`: of a run that has begun, for which a symbol that is not
   * traded any more is what it was.
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
   * A symbol with its numbers and fees, which are those of the moment they are read at, the last known ones where it is not traded
   * any more; null when the account has never had it.
   */
  rules(exchange: string, symbol: string): MarketRules | null {
    const { memory, fees, maxLeverage } = this.#o;
    const account = memory.accounts.get(exchange);
    const instrument = account?.instruments.get(symbol);
    const first = account?.numbers.get(symbol);
    if (!account || !instrument || !first) return null;
    const numbers = () => memory.accounts.get(exchange)?.numbers.get(symbol) ?? first;
    const rates = () => memory.accounts.get(exchange)?.fees ?? fees(exchange);
    return {
      symbol,
      base: instrument.base,
      quote: instrument.quote,
      kind: instrument.kind,
      get tick() {
        return numbers().tick;
      },
      get step() {
        return numbers().step;
      },
      get minQty() {
        return numbers().minQty;
      },
      get minNotional() {
        return numbers().minNotional;
      },
      get makerRate() {
        return dec(rates().maker);
      },
      get takerRate() {
        return dec(rates().taker);
      },
      get maxLeverage() {
        return maxLeverage(exchange, symbol);
      },
    };
  }

  /** For a NOTIFY that scans all: it has no symbol of its own. */
  anyRules(exchange: string): MarketRules {
    const [first] = this.#o.memory.account(exchange).instruments.keys();
    const rules = first === undefined ? null : this.rules(exchange, first);
    if (!rules) throw new Error(`${exchange} has no instruments`);
    return { ...rules, symbol: '' };
  }
}
