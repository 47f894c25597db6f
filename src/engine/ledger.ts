/**
 * What the wallets of an account are made of: opening, fills and ledger, as one sum an asset. A wallet that differs from its sum
 * after two comparisons between which neither has moved, and of which the second began when nothing could lag behind the first,
 * really differs: that becomes a row, once. Sums and the place in the exchange's ledger are here, the rows are in the store. Pure.
 */
import { type Dec, dec, mul, str, ZERO } from '../domain/decimal.ts';
import type { ExchangeFill } from '../domain/exchange.ts';
import type { LedgerRecord } from '../domain/ledger.ts';
import { type OrderRecord, TERMINAL } from '../domain/order.ts';
import type { Row } from '../domain/rows.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import { signedAmount } from './positions.ts';
import { REPORTED } from './reports.ts';
import type { EngineEvent } from './step.ts';
import type { StepContext } from './step-context.ts';

/** A wallet that differs from its sum, as both were when that was found. */
interface Suspect {
  readonly wallet: Dec;
  readonly sum: Dec;
  /** Monotonic and wall time of it. */
  readonly at: number;
  readonly wall: number;
}

/** What is stored of an account's ledger beside its rows and sums. */
export interface LedgerPlace {
  /** The exchange's time from which on it is read, Unix ms. */
  since: number;
  /** Where to go on, in the exchange's own terms. */
  after: string | null;
  /** What the wallets had before that is known. */
  opened: boolean;
  /** Number of the last row that explains nothing. */
  unexplained: number;
}

export interface LedgerMemory {
  /** Null until the account was connected for the first time. */
  place: LedgerPlace | null;
  /** By asset: all that has moved its wallet, as far as is known. */
  readonly sums: Map<string, Dec>;
  readonly suspects: Map<string, Suspect>;
  /** The last list of open orders led to questions: their executions are to come. */
  asks: boolean;
  /** What the last comparison found is not sure. */
  unsure: boolean;
}

/** From the rows of `ledgerPlaceRow` and `sumRow`; null where the exchange tells no ledger. */
export function loadLedger(meta: ReadonlyMap<string, unknown>, exchange: string): LedgerMemory {
  const prefix = sumName(exchange, '');
  const sums = new Map<string, Dec>();
  for (const [name, value] of meta)
    if (name.startsWith(prefix) && typeof value === 'string') sums.set(name.slice(prefix.length), dec(value));
  const place = meta.get(placeName(exchange)) as LedgerPlace | undefined;
  return { place: place ? { ...place } : null, sums, suspects: new Map(), asks: false, unsure: false };
}

function placeName(exchange: string): string {
  return `ledger ${exchange}`;
}

function sumName(exchange: string, asset: string): string {
  return `wallet ${exchange} ${asset}`;
}

function placeRow(exchange: string, place: LedgerPlace): Row {
  return { kind: 'meta', name: placeName(exchange), value: { ...place } };
}

/** An execution that is stored in this step. What it has done to a contract's position is in no wallet. */
export function countFill(step: StepContext, order: OrderRecord, fill: ExchangeFill): void {
  const account = step.memory.account(order.exchange);
  const instrument = account.instruments.get(order.symbol);
  if (!account.ledger || !instrument) return;
  const { base, quote } = instrument;
  if (account.futures) add(step, account, quote, dec(fill.rPnl ?? '0'));
  else {
    const sign = fill.side === 'BUY' ? 1n : -1n;
    const qty = dec(fill.qty);
    add(step, account, base, sign * qty);
    add(step, account, quote, -sign * mul(qty, dec(fill.price)));
  }
  add(step, account, fill.commAsset, -dec(fill.comm));
}

/** A page of the exchange's ledger, of rows that are not stored yet. */
export function onLedger(step: StepContext, event: Extract<EngineEvent, { type: 'ledger' }>): void {
  const { exchange, entries, since, after } = event;
  const account = step.memory.account(exchange);
  const { ledger } = account;
  if (!ledger) return;
  for (const entry of entries) {
    write(step, account, entry);
    add(step, account, entry.asset, dec(entry.amount));
  }
  ledger.place = { opened: false, unexplained: 0, ...ledger.place, since, after };
  step.row(placeRow(exchange, ledger.place));
}

/** A comparison has ended, whole, and the ledger is read: what the wallets have beyond their sums is looked at. */
export function onAudit(
  step: StepContext,
  { exchange, askedAt }: Extract<EngineEvent, { type: 'audit' }>,
): void {
  const account = step.memory.account(exchange);
  const { ledger } = account;
  if (!ledger?.place) return;
  ledger.unsure = !isSure(step.memory, account);
  if (ledger.unsure) return;
  const { place, suspects } = ledger;
  const assets = [...new Set([...account.balances.keys(), ...ledger.sums.keys()])];
  const sure = assets.filter((asset) => {
    const { wallet, sum } = figuresOf(account, asset);
    const known = suspects.get(asset);
    if (place.opened && wallet === sum) suspects.delete(asset);
    else if (known?.wallet !== wallet || known.sum !== sum) {
      suspects.set(asset, { wallet, sum, at: step.now.mono, wall: step.now.wall });
      // It may be an execution that nobody has asked for.
      account.moved.assets.add(asset);
    } else return isStill(step.memory, account, known, asset, askedAt);
    return false;
  });
  if (!place.opened) {
    if (sure.length === assets.length) open(step, account, place, assets);
    return;
  }
  for (const asset of sure) explain(step, account, place, asset);
}

/** Another comparison is to say whether wallets really differ from their sums. */
export function wantsAudit({ ledger }: AccountMemory): boolean {
  return ledger !== null && (ledger.unsure || ledger.suspects.size > 0 || ledger.place?.opened !== true);
}

/** Nothing of the account is on its way, as far as anybody here can say. */
function isSure(memory: EngineMemory, account: AccountMemory): boolean {
  const { id } = account.account;
  const { link, away, unread, untold, ledger } = account;
  if (!link.up || link.gap || away !== null || unread.size > 0 || untold.hasDoubt || ledger?.asks)
    return false;
  if (memory.parked.some(({ exchange }) => exchange === id)) return false;
  for (const orderId of memory.owedFills.keys())
    if (memory.orders.get(orderId)?.exchange === id) return false;
  return true;
}

/** Neither has moved since it was found, and what tells of both now cannot be older. */
function isStill(
  memory: EngineMemory,
  account: AccountMemory,
  { at, wall }: Suspect,
  asset: string,
  askedAt: number,
): boolean {
  if (askedAt - at < (account.caps.settleMs ?? 0)) return false;
  if (account.versions.doubts(REPORTED.balance(asset))) return false;
  if (account.untold.balances.get(asset)?.isTold === false) return false;
  // What became of an order that left before that may be heard yet.
  for (const { exchange, status, phase, submission } of memory.orders.values()) {
    if (exchange !== account.account.id || TERMINAL.has(status)) continue;
    if (phase === 'unresolved' || (phase === 'sending' && (submission?.sentAt ?? 0) <= wall)) return false;
  }
  return true;
}

/** What there was before anything moved it. */
function open(
  step: StepContext,
  account: AccountMemory,
  place: LedgerPlace,
  assets: readonly string[],
): void {
  const time = step.now.market;
  for (const asset of assets) {
    const { wallet, sum } = figuresOf(account, asset);
    const amount = wallet - sum;
    if (amount === ZERO) continue;
    const id = `desk opening ${asset}`;
    write(step, account, { id, time, asset, amount: str(amount), kind: 'opening' });
    add(step, account, asset, amount);
  }
  for (const [key, position] of account.futures?.positions ?? []) {
    const { symbol } = position;
    const asset = account.instruments.get(symbol)?.base ?? symbol;
    const amount = str(signedAmount(position));
    write(step, account, { id: `desk position ${key}`, time, asset, amount, kind: 'position', symbol });
  }
  place.opened = true;
  account.ledger?.suspects.clear();
  step.row(placeRow(account.account.id, place));
}

function explain(step: StepContext, account: AccountMemory, place: LedgerPlace, asset: string): void {
  const { wallet, sum } = figuresOf(account, asset);
  const amount = str(wallet - sum);
  place.unexplained += 1;
  const id = `desk unexplained ${place.unexplained}`;
  write(step, account, { id, time: step.now.market, asset, amount, kind: 'unexplained' });
  add(step, account, asset, wallet - sum);
  account.ledger?.suspects.delete(asset);
  step.row(placeRow(account.account.id, place));
  const text = `${account.account.id}: the ${asset} wallet has ${amount} that no fill and no ledger row explains`;
  step.effect({ kind: 'log', level: 'warn', source: 'exchange', text });
}

function figuresOf({ balances, ledger }: AccountMemory, asset: string): { wallet: Dec; sum: Dec } {
  const { free, locked } = balances.get(asset) ?? { free: ZERO, locked: ZERO };
  return { wallet: free + locked, sum: ledger?.sums.get(asset) ?? ZERO };
}

function add(step: StepContext, { account, ledger }: AccountMemory, asset: string, amount: Dec): void {
  if (!ledger || amount === ZERO) return;
  const sum = (ledger.sums.get(asset) ?? ZERO) + amount;
  ledger.sums.set(asset, sum);
  step.row({ kind: 'meta', name: sumName(account.id, asset), value: str(sum) });
}

function write(
  step: StepContext,
  { account }: AccountMemory,
  row: Omit<LedgerRecord, 'exchange' | 'user'>,
): void {
  const record = { ...row, exchange: account.id, user: step.memory.holder(account.id) };
  step.row({ kind: 'ledger', record });
}
