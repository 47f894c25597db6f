/**
 * Reports of an exchange about an account as a whole: balances, positions, settings, as events and as
 * responses. Each is absolute, and an older one never replaces a newer one (S58).
 */
import { dec, ZERO } from '../domain/decimal.ts';
import { type ExchangePosition, positionKey } from '../domain/position.ts';
import type { AccountMemory, FuturesMemory } from './memory.ts';
import type { Report } from './pending-movements.ts';
import { signedAmount } from './positions.ts';
import type { EngineEvent } from './step.ts';
import type { StepContext } from './step-context.ts';
import type { ReportAge, Versions } from './versions.ts';
import { partsOf, tellBalances } from './wallet.ts';

type Reported<K extends EngineEvent['type']> = Extract<EngineEvent, { type: K }>;

/** Keys of the separately reported parts in an account's `versions`. */
export const REPORTED = {
  hedge: 'hedge',
  balance: (asset: string) => `balance ${asset}`,
  /** Key for the setting of a `positionKey`. */
  leverage: (key: string) => `leverage ${key}`,
  position: (key: string) => `position ${key}`,
} as const;

const NOTHING = { free: ZERO, locked: ZERO };

export function onBalances(step: StepContext, report: Reported<'venue.balances'>): void {
  const { exchange, changed, all, askedAt } = report;
  const { wallet } = step.memory.account(exchange);
  const { accounts, balances, versions, untold } = wallet;
  const parts = partsOf(wallet);
  if (all) {
    for (const { unread } of accounts) unread.delete('balances');
    untold.allBalances = reportOf(versions, { askedAt });
  }
  const assets: string[] = [];
  for (const { asset, free, locked, time } of changed) {
    const balance = { free: dec(free), locked: dec(locked) };
    const before = balances.get(asset) ?? NOTHING;
    const same = before.free === balance.free && before.locked === balance.locked;
    if (!versions.takes(REPORTED.balance(asset), { time, askedAt, same })) continue;
    if (before.free + before.locked !== balance.free + balance.locked)
      for (const { moved } of accounts) moved.assets.add(asset);
    balances.set(asset, balance);
    const figure = parts === 1 ? [balance.free + balance.locked] : [balance.free, balance.locked];
    untold.balance(asset, parts).report(figure, reportOf(versions, { time, askedAt }));
    assets.push(asset);
  }
  if (assets.length === 0 && !all) return;
  tellBalances(step, wallet, assets);
}

/** Returns an accepted report with its place among all messages. */
function reportOf(versions: Versions, age: ReportAge): Report {
  versions.heard += 1;
  return { ...age, at: versions.heard };
}

export function onPositions(step: StepContext, report: Reported<'venue.positions'>): void {
  const account = step.memory.account(report.exchange);
  if (!account.futures) return;
  if (report.all) {
    account.unread.delete('positions');
    account.wallet.untold.allPositions = reportOf(account.wallet.versions, { askedAt: report.askedAt });
  }
  takePositions(account, account.futures, report);
  tellPositions(step, report.exchange);
}

/**
 * Takes the positions; a complete report also determines their order, and positions missing in it are flat.
 */
function takePositions(
  { wallet: { versions, untold }, moved }: AccountMemory,
  { positions }: FuturesMemory,
  { changed, all, askedAt }: Reported<'venue.positions'>,
): void {
  const unnamed = new Map(positions);
  if (all) positions.clear();
  for (const position of changed) {
    const key = positionKey(position.symbol, position.side);
    const known = unnamed.get(key);
    unnamed.delete(key);
    const time = position.updateTime > 0 ? position.updateTime : undefined;
    const same = known !== undefined && isSame(known, position);
    if (!versions.takes(REPORTED.position(key), { time, askedAt, same })) {
      if (known) positions.set(key, known);
      continue;
    }
    untold.position(key).report([signedAmount(position)], reportOf(versions, { time, askedAt }));
    if (dec(known?.amount ?? '0') !== dec(position.amount)) moved.symbols.add(position.symbol);
    if (dec(position.amount) === ZERO) positions.delete(key);
    else positions.set(key, position);
  }
  if (!all) return;
  const named = new Set(changed.map(({ symbol, side }) => positionKey(symbol, side)));
  // A position that was reported flat may have had fills since: the report covers it as well.
  const unsure = [...untold.positions].flatMap(([key, { isTold }]) =>
    isTold || named.has(key) ? [] : [key],
  );
  for (const key of new Set([...unnamed.keys(), ...unsure])) {
    const known = unnamed.get(key);
    if (versions.takes(REPORTED.position(key), { askedAt })) {
      untold.position(key).report([ZERO], reportOf(versions, { askedAt }));
      if (known) moved.symbols.add(known.symbol);
    } else if (known) positions.set(key, known);
  }
}

/** Compares two positions apart from the values that move with the mark price. */
function isSame(a: ExchangePosition, b: ExchangePosition): boolean {
  const fields = [
    'amount',
    'entryPrice',
    'cost',
    'marginType',
    'leverage',
    'isolatedWallet',
    'realizedPnl',
  ] as const;
  return fields.every((field) => a[field] === b[field]);
}

export function onSettings(step: StepContext, report: Reported<'venue.settings'>): void {
  const { exchange, hedge, leverage, askedAt } = report;
  const { futures, unread, wallet } = step.memory.account(exchange);
  const { versions } = wallet;
  if (!futures) return;
  if (hedge !== undefined && versions.takes(REPORTED.hedge, { askedAt })) futures.hedge = hedge;
  for (const info of leverage ?? []) {
    const key = REPORTED.leverage(positionKey(info.symbol, info.side));
    if (versions.takes(key, { time: info.time, askedAt })) futures.leverage.set(info);
  }
  if (hedge !== undefined && leverage) unread.delete('settings');
  tellPositions(step, exchange);
}

function tellPositions(step: StepContext, exchange: string): void {
  step.effect({ kind: 'position-event', user: step.memory.holder(exchange), exchange });
}
