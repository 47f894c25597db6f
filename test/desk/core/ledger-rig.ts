/** An exchange whose wallets the test changes: each change is in its ledger, unless it is hidden. */
import type { ExchangeFill } from '../../../src/domain/exchange.ts';
import type { LedgerEntry, LedgerRecord } from '../../../src/domain/ledger.ts';
import type { Store } from '../../../src/store/store.ts';
import type { LedgerPage, LedgerQuery } from '../../../src/venues/venue.ts';
import type { CAPS } from '../../engine/support/market.ts';
import { LinkRig } from './link-rig.ts';

export class Books {
  readonly entries: LedgerEntry[] = [];
  readonly wallets = new Map<string, number>([['USDT', 100_000]]);
  readonly asked: LedgerQuery[] = [];
  page = 100;
  /** Changes a page on its way; null: nobody answers. */
  told: (page: LedgerPage, q: LedgerQuery) => LedgerPage | null = (page) => page;

  /** Changes a wallet. */
  pay(asset: string, amount: number, { hidden = false, time = 0 } = {}): void {
    this.wallets.set(asset, (this.wallets.get(asset) ?? 0) + amount);
    if (hidden) return;
    const id = `e${this.entries.length + 1}`;
    this.entries.push({ id, time, asset, amount: String(amount), kind: 'transfer' });
  }

  ledger = async (q: LedgerQuery): Promise<LedgerPage | null> => {
    this.asked.push(q);
    const first = this.entries.findIndex(({ time }) => time >= q.since);
    const from = q.after !== null ? Number(q.after) : first < 0 ? this.entries.length : first;
    const rest = this.entries.slice(from);
    const rows = rest.slice(0, Math.min(this.page, q.limit));
    const next = String(from + rows.length);
    return this.told({ rows, next, more: rows.length < rest.length }, q);
  };
}

export interface LedgerRigOptions {
  readonly kind?: 'spot' | 'futures';
  /** The store of an earlier rig, whose process has died. */
  readonly store?: Store;
  readonly caps?: Partial<typeof CAPS & { settleMs: number }>;
}

/** A desk with these books, not started. */
export function ledgerRig(books: Books, { kind = 'spot', store, caps }: LedgerRigOptions = {}): LinkRig {
  const rig = new LinkRig(kind, 1, store, caps, books.ledger);
  rig.venue.balancesAre = async () =>
    [...books.wallets].map(([asset, amount]) => ({ asset, free: String(amount), locked: '0' }));
  return rig;
}

/** A desk after its first comparisons and one more. */
export async function startedOn(books: Books, options: LedgerRigOptions = {}): Promise<LinkRig> {
  const rig = ledgerRig(books, options);
  await rig.until(rig.core.start());
  await rig.clock.advance(5_000);
  return rig;
}

/** Compares the account, and once more if the comparison asks for that. */
export async function compare(rig: LinkRig): Promise<void> {
  rig.venue.sink?.stream('gap');
  await rig.clock.advance(20_000);
}

export function rowsOf(rig: LinkRig): LedgerRecord[] {
  const exchange = rig.venue.account.id;
  return [...rig.store.ledger({ user: 'owner', exchange, limit: 5_000 }).rows].reverse();
}

/** `USDT 100000 opening`. */
export const shown = ({ asset, amount, kind }: LedgerRecord) => `${asset} ${amount} ${kind}`;

export const unexplained = (rig: LinkRig) => rowsOf(rig).filter(({ kind }) => kind === 'unexplained');

/** Lines of the log that contain "explains". */
export const linesOf = (rig: LinkRig) => rig.core.log.filter(({ text }) => text.includes('explains'));

/** A buy of 0.1 BTC for 6,000 USDT with a fee of 2: it changes the wallets. */
export function bought(books: Books, tradeId: string, time = 0): ExchangeFill {
  books.wallets.set('USDT', (books.wallets.get('USDT') ?? 0) - 6_002);
  books.wallets.set('BTC', (books.wallets.get('BTC') ?? 0) + 0.1);
  return {
    tradeId,
    clientId: 'website',
    symbol: 'BTCUSDT',
    side: 'BUY',
    price: '60000',
    qty: '0.1',
    comm: '2',
    commAsset: 'USDT',
    maker: false,
    rPnl: null,
    posSide: 'BOTH',
    time,
  };
}
