/**
 * Fees and latency of a desk's embedded exchanges. Fees belong to an account like its balances: they are
 * stored and loaded. Latency and slippage are of the running desk: a new start uses the program's own.
 */
import { dec } from '../../domain/decimal.ts';
import { errorText, type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { ExchangeAccount } from '../../domain/exchange.ts';
import type { Row } from '../../domain/rows.ts';
import { compilePaperOptions } from '../../venues/paper/options.ts';
import type { PaperSettings } from '../console/protocol.ts';
import { feeRatesOf } from './paper-accounts.ts';

/** Stored as meta `paper-fees <exchange>`. */
interface StoredFees {
  readonly makerRate: string;
  readonly takerRate: string;
}

const NUMBERS = ['latencyMs', 'jitterMs', 'slippageBps'] as const;
const RATES = ['makerRate', 'takerRate'] as const;
const RATE = /^\d{1,3}(\.\d{1,8})?$/;

/** The name of each setting for terminals. */
const NAMES: Readonly<Record<keyof PaperSettings, string>> = {
  makerRate: 'maker fee',
  takerRate: 'taker fee',
  latencyMs: 'latency',
  jitterMs: 'jitter',
  slippageBps: 'slippage',
};

export class AllPaperSettings {
  readonly #settings = new Map<string, PaperSettings>();
  /** Settings before the changes that are being stored. */
  readonly #before = new Map<string, PaperSettings>();
  readonly #meta: ReadonlyMap<string, unknown>;

  /** `meta`: what the start has loaded. */
  constructor(meta: ReadonlyMap<string, unknown>) {
    this.#meta = meta;
  }

  of(exchange: string): PaperSettings {
    let settings = this.#settings.get(exchange);
    if (!settings) {
      const fees = feeRatesOf(exchange);
      const stored = this.#meta.get(metaName(exchange)) as StoredFees | undefined;
      settings = {
        makerRate: stored?.makerRate ?? fees.maker,
        takerRate: stored?.takerRate ?? fees.taker,
        latencyMs: 0,
        jitterMs: 0,
        slippageBps: 0,
      };
      this.#settings.set(exchange, settings);
    }
    return settings;
  }

  /** Returns the fees for tickets and bots. */
  readonly fees = (exchange: string | undefined): { maker: string; taker: string } => {
    if (exchange === undefined || !this.#settings.has(exchange)) return feeRatesOf(exchange);
    const { makerRate, takerRate } = this.of(exchange);
    return { maker: makerRate, taker: takerRate };
  };

  /**
   * Sets the settings; they count at once, before they are stored: another change meanwhile builds on them.
   */
  set(exchange: string, settings: PaperSettings): void {
    if (!this.#before.has(exchange)) this.#before.set(exchange, this.of(exchange));
    this.#settings.set(exchange, settings);
  }

  /** Notes that the store has what was set. */
  stored(exchange: string): void {
    this.#before.delete(exchange);
  }

  /** Takes back all changes since the last stored one: they were of one commit, which failed. */
  undo(exchange: string): void {
    const before = this.#before.get(exchange);
    if (before) this.#settings.set(exchange, before);
    this.#before.delete(exchange);
  }

  /** Returns the settings after a change, or what is wrong with it. */
  changed(account: ExchangeAccount, change: Partial<PaperSettings>): Outcome<PaperSettings> {
    const next: Record<string, unknown> = { ...this.of(account.id) };
    for (const name of RATES) {
      const value = change[name];
      if (value === undefined) continue;
      if (typeof value !== 'string' || !RATE.test(value) || dec(value) >= dec('1')) {
        return refuse('INVALID_REQUEST', `${NAMES[name]}: at least 0 and below 1, such as 0.001 for 0.1 %`);
      }
      next[name] = value;
    }
    for (const name of NUMBERS) if (change[name] !== undefined) next[name] = change[name];
    const settings = next as unknown as PaperSettings;
    const wrong = NUMBERS.find((name) => typeof settings[name] !== 'number');
    if (wrong) return refuse('INVALID_REQUEST', `${NAMES[wrong]}: must be a number`);
    try {
      compilePaperOptions(settings, account.kind);
    } catch (error) {
      return refuse('INVALID_REQUEST', errorText(error));
    }
    return ok(settings);
  }
}

/** Returns the rows of settings that are kept after the desk ends. */
export function settingsRows(exchange: string, { makerRate, takerRate }: PaperSettings): Row[] {
  const value: StoredFees = { makerRate, takerRate };
  return [{ kind: 'meta', name: metaName(exchange), value }];
}

/** Returns text like `maker fee 0.001 to 0.0005, latency 0 to 250`; empty when nothing differs. */
export function changeWords(before: PaperSettings, after: PaperSettings): string {
  return (Object.keys(NAMES) as (keyof PaperSettings)[])
    .filter((name) => before[name] !== after[name])
    .map((name) => `${NAMES[name]} ${before[name]} to ${after[name]}`)
    .join(', ');
}

function metaName(exchange: string): string {
  return `paper-fees ${exchange}`;
}
