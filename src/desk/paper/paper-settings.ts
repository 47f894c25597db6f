/**
 * How the embedded exchanges of a desk charge and travel. Fees belong to an account like its balances: they are stored and
 * come back. Latency and slippage are of the running desk: a new start has the program's own.
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

/** What a terminal calls each setting. */
const NAMES: Readonly<Record<keyof PaperSettings, string>> = {
  makerRate: 'maker fee',
  takerRate: 'taker fee',
  latencyMs: 'latency',
  jitterMs: 'jitter',
  slippageBps: 'slippage',
};

export class AllPaperSettings {
  readonly #settings = new Map<string, PaperSettings>();
  /** Those before the changes that are on their way to the store. */
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

  /** For tickets and bots. */
  readonly fees = (exchange: string | undefined): { maker: string; taker: string } => {
    if (exchange === undefined || !this.#settings.has(exchange)) return feeRatesOf(exchange);
    const { makerRate, takerRate } = this.of(exchange);
    return { maker: makerRate, taker: takerRate };
  };

  /** A change goes to the store, and counts at once: another one that is asked for meanwhile builds on it. */
  set(exchange: string, settings: PaperSettings): void {
    if (!this.#before.has(exchange)) this.#before.set(exchange, this.of(exchange));
    this.#settings.set(exchange, settings);
  }

  /** The store has what was set. */
  stored(exchange: string): void {
    this.#before.delete(exchange);
  }

  /** It has not: all changes since were of the same commit, and none of them is made. */
  undo(exchange: string): void {
    const before = this.#before.get(exchange);
    if (before) this.#settings.set(exchange, before);
    this.#before.delete(exchange);
  }

  /** What the settings would be, or what is wrong with the change. */
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

/** Rows of settings that outlive the desk. */
export function settingsRows(exchange: string, { makerRate, takerRate }: PaperSettings): Row[] {
  const value: StoredFees = { makerRate, takerRate };
  return [{ kind: 'meta', name: metaName(exchange), value }];
}

/** `maker fee 0.001 to 0.0005, latency 0 to 250`; empty when they are the same. */
export function changeWords(before: PaperSettings, after: PaperSettings): string {
  return (Object.keys(NAMES) as (keyof PaperSettings)[])
    .filter((name) => before[name] !== after[name])
    .map((name) => `${NAMES[name]} ${before[name]} to ${after[name]}`)
    .join(', ');
}

function metaName(exchange: string): string {
  return `paper-fees ${exchange}`;
}
