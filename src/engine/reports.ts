/**
 * What an exchange reports of an account as a whole: balances, positions, settings, as events and as answers to questions.
 * Each is absolute, and an older one never takes the place of a newer one (S58).
 */
import { dec, ZERO } from '../domain/decimal.ts';
import { type AccountMemory, type FuturesMemory, positionKey } from './memory.ts';
import type { EngineEvent } from './step.ts';
import type { StepContext } from './step-context.ts';

type Report<K extends EngineEvent['type']> = Extract<EngineEvent, { type: K }>;

/** Names of what is reported by itself, in an account's `versions`. */
export const REPORTED = {
  hedge: 'hedge',
  balance: (asset: string) => `balance ${asset}`,
  leverage: (symbol: string) => `leverage ${symbol}`,
  /** `key`: `positionKey`. */
  position: (key: string) => `position ${key}`,
} as const;

export function onBalances(step: StepContext, report: Report<'venue.balances'>): void {
  const { exchange, changed, all, askedAt } = report;
  const { balances, unread, versions } = step.memory.account(exchange);
  if (all) unread.delete('balances');
  const assets: string[] = [];
  for (const { asset, free, locked, time } of changed) {
    if (!versions.takes(REPORTED.balance(asset), { time, askedAt })) continue;
    balances.set(asset, { free: dec(free), locked: dec(locked) });
    assets.push(asset);
  }
  if (assets.length === 0 && !all) return;
  step.effect({ kind: 'balance-event', user: step.memory.holder(exchange), exchange, assets });
}

export function onPositions(step: StepContext, report: Report<'venue.positions'>): void {
  const account = step.memory.account(report.exchange);
  if (!account.futures) return;
  if (report.all) account.unread.delete('positions');
  takePositions(account, account.futures, report);
  tellPositions(step, report.exchange);
}

/** In the order of the report where it is of all; then what it does not name is flat. */
function takePositions(
  { versions }: AccountMemory,
  { positions }: FuturesMemory,
  { changed, all, askedAt }: Report<'venue.positions'>,
): void {
  const unnamed = new Map(positions);
  if (all) positions.clear();
  for (const position of changed) {
    const key = positionKey(position.symbol, position.side);
    const known = unnamed.get(key);
    unnamed.delete(key);
    const time = position.updateTime > 0 ? position.updateTime : undefined;
    if (!versions.takes(REPORTED.position(key), { time, askedAt })) {
      if (known) positions.set(key, known);
    } else if (dec(position.amount) === ZERO) positions.delete(key);
    else positions.set(key, position);
  }
  if (!all) return;
  for (const [key, known] of unnamed) {
    if (!versions.takes(REPORTED.position(key), { askedAt })) positions.set(key, known);
  }
}

export function onSettings(step: StepContext, report: Report<'venue.settings'>): void {
  const { exchange, hedge, leverage, askedAt } = report;
  const { futures, unread, versions } = step.memory.account(exchange);
  if (!futures) return;
  if (hedge !== undefined && versions.takes(REPORTED.hedge, { askedAt })) futures.hedge = hedge;
  for (const info of leverage ?? []) {
    const { symbol, time } = info;
    if (versions.takes(REPORTED.leverage(symbol), { time, askedAt })) futures.leverage.set(symbol, info);
  }
  if (hedge !== undefined && leverage) unread.delete('settings');
  tellPositions(step, exchange);
}

function tellPositions(step: StepContext, exchange: string): void {
  step.effect({ kind: 'position-event', user: step.memory.holder(exchange), exchange });
}
