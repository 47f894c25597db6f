/**
 * Symbols for which the exchange has announced the end of trading: everybody with something open there is
 * told once, a day ahead (R12). Pure.
 */
import { ZERO } from '../domain/decimal.ts';
import { utcText } from '../domain/utc-time.ts';
import { isInUse } from './instruments.ts';
import type { AccountMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';

const AHEAD_MS = 24 * 3_600_000;

/**
 * Reports symbols that end within a day and were not reported since the start. Bots get the effect; the log
 * names symbols with something open.
 */
export function tellDelistings(step: StepContext): void {
  const { memory, now } = step;
  for (const account of memory.accounts.values()) {
    if (account.absent) continue;
    const exchange = account.account.id;
    for (const instrument of account.instruments.values()) {
      const { symbol, endsAt } = instrument;
      if (endsAt === undefined || instrument.delisted || endsAt - now.wall > AHEAD_MS) continue;
      const name = `${exchange} ${symbol} ${endsAt}`;
      if (memory.delistings.has(name)) continue;
      memory.delistings.add(name);
      step.effect({ kind: 'ends', exchange, symbol, at: endsAt });
      if (!isInUse(memory, account, symbol) && !isHeld(account, instrument.base)) continue;
      step.effect({
        kind: 'log',
        level: 'warn',
        source: 'exchange',
        text: endText(exchange, symbol, endsAt),
      });
    }
  }
}

/**
 * Returns `BTCUSDT is traded on paper-spot until 2026-03-01 08:00 UTC only: close or move what is there
 * before`.
 */
export function endText(exchange: string, symbol: string, at: number): string {
  const when = utcText(at).slice(0, 16).replace('T', ' ');
  return `${symbol} is traded on ${exchange} until ${when} UTC only: close or move what is there before`;
}

function isHeld({ futures, wallet }: AccountMemory, base: string): boolean {
  const told = futures ? undefined : wallet.balances.get(base);
  return told !== undefined && told.free + told.locked > ZERO;
}
