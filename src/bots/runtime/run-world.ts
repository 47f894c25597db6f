/**
 * What one live run sees of its account and of the other runs there. One object for each run, with shared
 * functions. Pure reads.
 */
import { type Dec, dec, ONE, ZERO } from '../../domain/decimal.ts';
import { availability } from '../../engine/balances.ts';
import { tradedSymbols } from '../../engine/instruments.ts';
import type { AccountMemory, EngineMemory } from '../../engine/memory.ts';
import type { RunWorld } from '../run/contract.ts';
import type { CompiledSettings, MarketRules } from '../settings/compiled.ts';
import type { Bots } from './bots.ts';
import type { SharedPositions } from './shared-positions.ts';
import { type SymbolUse, startConflict } from './symbol-users.ts';

/** What the run's world asks the bots. */
export type RunWorldBots = Pick<Bots, 'book' | 'now'> & { readonly shared: SharedPositions };

export class LiveRunWorld implements RunWorld, SymbolUse {
  readonly runId: string;
  readonly exchange: string;
  readonly settings: CompiledSettings;
  readonly rules: MarketRules;
  readonly #bots: RunWorldBots;
  readonly #memory: EngineMemory;

  constructor(bots: RunWorldBots, memory: EngineMemory, { runId, exchange, settings, rules }: SymbolUse) {
    this.#bots = bots;
    this.#memory = memory;
    this.runId = runId;
    this.exchange = exchange;
    this.settings = settings;
    this.rules = rules;
  }

  now(): number {
    return this.#bots.now();
  }

  available(asset: string): Dec {
    return availability(this.#account, asset).available + this.#own(asset);
  }

  reservedByOthers(asset: string): Dec {
    return (this.#account.wallet.reserved.get(asset)?.excess ?? ZERO) - this.#own(asset);
  }

  position(): ReturnType<RunWorld['position']> {
    return this.#bots.shared.positionOf(this, () => this.#wholePosition());
  }

  /**
   * Returns the leverage. Without a leverage of its own a bot's budget is its notional, whatever leverage the
   * symbol has.
   */
  leverage(): Dec {
    return BigInt(this.rules.kind === 'spot' ? 1 : (this.settings.deposit?.leverage ?? 1)) * ONE;
  }

  conflict(): string | null {
    return startConflict(this.#memory, this.#bots.book, this);
  }

  shared(): boolean {
    return this.#bots.shared.isShared(this);
  }

  seed(): string {
    return this.runId;
  }

  symbols(): readonly string[] {
    return tradedSymbols(this.#account);
  }

  get #account(): AccountMemory {
    return this.#memory.account(this.exchange);
  }

  /** Amount of the free balance that the run reserves. */
  #own(asset: string): Dec {
    return this.#bots.book.runs.get(this.runId)?.reservations.get(asset)?.excess ?? ZERO;
  }

  /** The position including what other runs hold of it. */
  #wholePosition(): ReturnType<RunWorld['position']> {
    const { futures } = this.#account;
    const side = futures?.hedge ? (this.settings.short ? 'SHORT' : 'LONG') : 'BOTH';
    const position = futures?.positions.get(`${this.rules.symbol} ${side}`);
    if (!position || dec(position.amount) === ZERO) return null;
    const amount = dec(position.amount);
    return { amount: side === 'SHORT' ? -amount : amount, entryPrice: dec(position.entryPrice) };
  }
}
