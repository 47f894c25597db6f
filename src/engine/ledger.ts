/**
 * The composition of a wallet: opening, fills and ledger, as one sum per asset. A wallet really differs from
 * its sum if it differs after two comparisons, between which neither has moved and of which the second began
 * when nothing could lag behind the first: that becomes a row, once. Sums and the position in the exchange's
 * ledger are here, the rows are in the store. Pure.
 */
import { type Dec, dec, mul, str, ZERO } from '../domain/decimal.ts';
import { type ExchangeFill, holderOf } from '../domain/exchange.ts';
import type { LedgerRecord } from '../domain/ledger.ts';
import { type OrderRecord, TERMINAL } from '../domain/order.ts';
import { positionKey } from '../domain/position.ts';
import type { Row } from '../domain/rows.ts';
import { notePaid } from './day-base.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import { costOf, signedAmount } from './positions.ts';
import { REPORTED } from './reports.ts';
import type { EngineEvent } from './step.ts';
import type { StepContext } from './step-context.ts';
import type { WalletMemory } from './wallet.ts';

/** A wallet that differs from its sum, with both values when that was found. */
interface Suspect {
  readonly has: Dec;
  readonly sum: Dec;
  /** Monotonic and wall time of the finding. */
  readonly at: number;
  readonly wall: number;
}

/** What is stored of a wallet's ledger beside its rows and sums. */
export interface LedgerPlace {
  /** The exchange's time from which on the ledger is read, Unix ms. */
  since: number;
  /** The cursor of the next page, in the exchange's own form. */
  after: string | null;
  /** The opening balance of the wallet is known. */
  opened: boolean;
  /** Number of the last `unexplained` row. */
  unexplained: number;
}

export interface LedgerMemory {
  /** Null until the ledger was read for the first time. */
  place: LedgerPlace | null;
  /** Sum of all known changes of the wallet, by asset. */
  readonly sums: Map<string, Dec>;
  readonly suspects: Map<string, Suspect>;
  /** Accounts whose last list of open orders led to queries: executions of them are still to come. */
  readonly asking: Set<string>;
  /** Start of each account's last full comparison that ended with the ledger read; monotonic. */
  readonly comparedAt: Map<string, number>;
  /** The result of the last comparison is uncertain. */
  unsure: boolean;
}

/** Loads the ledger from the rows of `ledgerPlaceRow` and `sumRow`; null where the exchange has no ledger. */
export function loadLedger(meta: ReadonlyMap<string, unknown>, wallet: string): LedgerMemory {
  const prefix = sumName(wallet, '');
  const sums = new Map<string, Dec>();
  for (const [name, value] of meta)
    if (name.startsWith(prefix) && typeof value === 'string') sums.set(name.slice(prefix.length), dec(value));
  const place = meta.get(placeName(wallet)) as LedgerPlace | undefined;
  return {
    place: place ? { ...place } : null,
    sums,
    suspects: new Map(),
    asking: new Set(),
    comparedAt: new Map(),
    unsure: false,
  };
}

function placeName(wallet: string): string {
  return `ledger ${wallet}`;
}

function sumName(wallet: string, asset: string): string {
  return `wallet ${wallet} ${asset}`;
}

function placeRow(wallet: string, place: LedgerPlace): Row {
  return { kind: 'meta', name: placeName(wallet), value: { ...place } };
}

/** Adds an execution that is stored in this step. A contract's position is not part of any wallet. */
export function countFill(step: StepContext, order: OrderRecord, fill: ExchangeFill): void {
  const account = step.memory.account(order.exchange);
  const { wallet } = account;
  const instrument = account.instruments.get(order.symbol);
  if (!wallet.ledger || !instrument) return;
  const { base, quote } = instrument;
  if (account.futures) add(step, wallet, quote, dec(fill.rPnl ?? '0'));
  else {
    const sign = fill.side === 'BUY' ? 1n : -1n;
    const qty = dec(fill.qty);
    add(step, wallet, base, sign * qty);
    add(step, wallet, quote, -sign * mul(qty, dec(fill.price)));
  }
  add(step, wallet, fill.commAsset, -dec(fill.comm));
}

/** Adds a page of the exchange's ledger, with rows that are not stored yet. */
export function onLedger(step: StepContext, event: Extract<EngineEvent, { type: 'ledger' }>): void {
  const { exchange, entries, since, after } = event;
  const { wallet } = step.memory.account(exchange);
  const { ledger } = wallet;
  if (!ledger) return;
  for (const entry of entries) {
    write(step, wallet, entry);
    notePaid(step, wallet, entry);
    add(step, wallet, entry.asset, dec(entry.amount));
  }
  ledger.place = { opened: false, unexplained: 0, ...ledger.place, since, after };
  step.row(placeRow(wallet.name, ledger.place));
}

/** Compares the wallet with its sums after a full comparison has ended and the ledger is read. */
export function onAudit(
  step: StepContext,
  { exchange, askedAt }: Extract<EngineEvent, { type: 'audit' }>,
): void {
  const { wallet } = step.memory.account(exchange);
  const { ledger, accounts } = wallet;
  if (!ledger) return;
  ledger.comparedAt.set(exchange, askedAt);
  if (!ledger.place) return;
  ledger.unsure = !accounts.every((account) => isSure(step.memory, account));
  if (ledger.unsure) return;
  const { place, suspects } = ledger;
  // Executions of each account move the wallet: an execution missing from the last read of one of them may
  // exist.
  const times = accounts.map(({ account }) => ledger.comparedAt.get(account.id) ?? Number.NEGATIVE_INFINITY);
  const knownUntil = Math.min(...times);
  const assets = [...new Set([...wallet.balances.keys(), ...ledger.sums.keys()])];
  const sure = assets.filter((asset) => {
    const { has, sum } = figuresOf(wallet, asset);
    const known = suspects.get(asset);
    if (place.opened && has === sum) suspects.delete(asset);
    else if (known?.has !== has || known.sum !== sum) {
      suspects.set(asset, { has, sum, at: step.now.mono, wall: step.now.wall });
      // The difference may be an execution that nobody has queried.
      for (const { moved } of accounts) moved.assets.add(asset);
    } else return isStill(step.memory, wallet, known, asset, knownUntil);
    return false;
  });
  if (!place.opened) {
    if (sure.length === assets.length) open(step, wallet, place, assets);
    return;
  }
  for (const asset of sure) explain(step, wallet, place, asset);
}

/** Returns whether another comparison must show whether wallets really differ from their sums. */
export function wantsAudit({ wallet: { ledger } }: AccountMemory): boolean {
  return ledger !== null && (ledger.unsure || ledger.suspects.size > 0 || ledger.place?.opened !== true);
}

/** Returns whether nothing of the account is under way, as far as can be known here. */
function isSure(memory: EngineMemory, account: AccountMemory): boolean {
  const { id } = account.account;
  const { link, away, unread, wallet } = account;
  if (!link.up || link.gap || away !== null || unread.size > 0) return false;
  if (wallet.untold.hasDoubt || wallet.ledger?.asking.has(id)) return false;
  if (memory.parked.some(({ exchange }) => exchange === id)) return false;
  for (const orderId of memory.owedFills.keys())
    if (memory.orders.get(orderId)?.exchange === id) return false;
  return true;
}

/**
 * Returns whether neither value has moved since it was found, and the present reports of both cannot be
 * older.
 */
function isStill(
  memory: EngineMemory,
  { accounts, versions, untold }: WalletMemory,
  { at, wall }: Suspect,
  asset: string,
  knownUntil: number,
): boolean {
  if (knownUntil - at < Math.max(...accounts.map(({ caps }) => caps.settleMs ?? 0))) return false;
  if (versions.doubts(REPORTED.balance(asset))) return false;
  if (untold.balances.get(asset)?.isTold === false) return false;
  const ids = new Set(accounts.map(({ account }) => account.id));
  // The outcome of an order that was sent before then may still arrive.
  for (const { exchange, status, phase, submission } of memory.orders.values()) {
    if (!ids.has(exchange) || TERMINAL.has(status)) continue;
    if (phase === 'unresolved' || (phase === 'sending' && (submission?.sentAt ?? 0) <= wall)) return false;
  }
  return true;
}

/** Writes the opening rows: the balances before anything moved them. */
function open(step: StepContext, wallet: WalletMemory, place: LedgerPlace, assets: readonly string[]): void {
  const time = step.now.market;
  for (const asset of assets) {
    const { has, sum } = figuresOf(wallet, asset);
    const amount = has - sum;
    if (amount === ZERO) continue;
    const id = `desk opening ${asset}`;
    write(step, wallet, { id, time, asset, amount: str(amount), kind: 'opening' });
    add(step, wallet, asset, amount);
  }
  for (const { futures, instruments } of wallet.accounts) {
    for (const [key, position] of futures?.positions ?? []) {
      const { symbol } = position;
      const asset = instruments.get(symbol)?.base ?? symbol;
      const amount = str(signedAmount(position));
      const of = { kind: 'position', symbol, posSide: position.side, cost: str(costOf(position)) } as const;
      const asOf = position.updateTime > 0 ? { asOf: position.updateTime } : {};
      write(step, wallet, { id: `desk position ${key}`, time, asset, amount, ...of, ...asOf });
    }
  }
  for (const account of wallet.accounts) openFlat(step, account, time);
  place.opened = true;
  wallet.ledger?.suspects.clear();
  step.row(placeRow(wallet.name, place));
}

/**
 * Writes rows of size zero for flat positions that executions until now have closed, whose opening is not
 * known here. Without such a row the sum would stay a position of the other side for ever.
 */
function openFlat(
  step: StepContext,
  { account, futures, instruments, wallet }: AccountMemory,
  time: number,
): void {
  if (!futures) return;
  const { memory } = step;
  const flat = new Map<string, Pick<ExchangeFill, 'symbol' | 'posSide'>>();
  for (const [orderId, fills] of memory.fills) {
    if (memory.orders.get(orderId)?.exchange !== account.id) continue;
    for (const { symbol, posSide } of fills) {
      const key = positionKey(symbol, posSide);
      const isTold = wallet.untold.positions.get(key)?.isTold !== false;
      if (isTold && !futures.positions.has(key)) flat.set(key, { symbol, posSide });
    }
  }
  for (const [key, { symbol, posSide }] of flat) {
    const asset = instruments.get(symbol)?.base ?? symbol;
    const of = { kind: 'position', symbol, posSide, cost: '0' } as const;
    write(step, wallet, { id: `desk position ${key}`, time, asset, amount: '0', ...of });
  }
}

function explain(step: StepContext, wallet: WalletMemory, place: LedgerPlace, asset: string): void {
  const { has, sum } = figuresOf(wallet, asset);
  const amount = str(has - sum);
  place.unexplained += 1;
  const id = `desk unexplained ${place.unexplained}`;
  write(step, wallet, { id, time: step.now.market, asset, amount, kind: 'unexplained' });
  notePaid(step, wallet, { asset, amount, kind: 'unexplained' });
  add(step, wallet, asset, has - sum);
  wallet.ledger?.suspects.delete(asset);
  step.row(placeRow(wallet.name, place));
  const text = `${wallet.name}: the ${asset} wallet has ${amount} that no fill and no ledger row explains`;
  step.effect({ kind: 'log', level: 'warn', source: 'exchange', text });
}

function figuresOf({ balances, ledger }: WalletMemory, asset: string): { has: Dec; sum: Dec } {
  const { free, locked } = balances.get(asset) ?? { free: ZERO, locked: ZERO };
  return { has: free + locked, sum: ledger?.sums.get(asset) ?? ZERO };
}

function add(step: StepContext, { name, ledger }: WalletMemory, asset: string, amount: Dec): void {
  if (!ledger || amount === ZERO) return;
  const sum = (ledger.sums.get(asset) ?? ZERO) + amount;
  ledger.sums.set(asset, sum);
  step.row({ kind: 'meta', name: sumName(name, asset), value: str(sum) });
}

/** Writes a row under the wallet's name: for most that is the name of the account. */
function write(step: StepContext, wallet: WalletMemory, row: Omit<LedgerRecord, 'exchange' | 'user'>): void {
  const { account } = wallet.accounts[0] as AccountMemory;
  step.row({ kind: 'ledger', record: { ...row, exchange: wallet.name, user: holderOf(account) } });
}
