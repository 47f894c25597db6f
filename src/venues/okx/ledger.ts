/**
 * Changes of the wallet other than executions, from its bills (OD Get bills details): one list for everything
 * that trades with the wallet, whichever account asks. Rows of executions are left out, except for
 * instruments that no account here has.
 */
import type { MarketKind } from '../../domain/connection.ts';
import type { LedgerEntry, LedgerKind } from '../../domain/ledger.ts';
import type { LedgerPage, LedgerQuery } from '../venue.ts';
import { isOfMarket } from './account-given.ts';
import { readOn } from './cursor-reader.ts';
import { type Bill, readBills } from './messages.ts';
import { figure } from './order-states.ts';
import { PAGE, type Questions } from './questions.ts';
import { OKX } from './requests.ts';

/** How far back the quick list goes, with a margin, ms. */
const RECENT_MS = (7 * 24 - 2) * 3_600_000;

/** `type` of bills that fills report: trade, liquidation, ADL. */
const OF_FILLS: ReadonlySet<string> = new Set(['2', '5', '9']);

/**
 * Ledger kinds by `type` (OD Get bill types names the first ones; the others are as seen in bills).
 * Everything else is `other`.
 */
const KINDS: ReadonlyMap<string, LedgerKind> = new Map([
  ['1', 'transfer'],
  ['3', 'settlement'],
  ['7', 'interest'],
  ['8', 'funding'],
  ['10', 'insurance'],
  ['11', 'conversion'],
  ['12', 'transfer'],
  ['27', 'conversion'],
  ['28', 'conversion'],
  ['29', 'conversion'],
  ['30', 'conversion'],
  ['34', 'settlement'],
  ['381', 'interest'],
]);

/** Whether an account of a connection with these markets reports the executions of an instrument. */
export function isTold(markets: readonly MarketKind[], { instType = '', instId = '' }: Bill): boolean {
  if (isOfMarket('spot', instType)) return markets.includes('spot');
  return markets.includes('swap') && instType === 'SWAP' && /-(?:USDT|USDC)-SWAP$/.test(instId);
}

/** Returns one page; null: the request failed. `now`: the exchange's time, Unix ms. */
export async function ledgerPage(
  questions: Questions,
  { after, since, limit }: LedgerQuery,
  now: number,
  markets: readonly MarketKind[],
): Promise<LedgerPage | null> {
  const read = await readOn<Bill>({
    after,
    since,
    limit,
    now,
    recentMs: RECENT_MS,
    ask: async ({ isRecent, begin, end, after: last }) =>
      questions.rows(
        isRecent ? OKX.bills : OKX.billsArchive,
        { begin, end, limit: String(PAGE), ...(last === null ? {} : { after: last }) },
        readBills,
      ),
  });
  if (!read) return null;
  const traded = read.rows.flatMap(({ type, instId = '' }) =>
    OF_FILLS.has(type) && instId !== '' ? [symbolOf(instId)] : [],
  );
  return {
    next: read.next,
    more: read.more,
    rows: read.rows.flatMap((bill) => entryOf(bill, markets)),
    ...(traded.length > 0 ? { traded: [...new Set(traded)] } : {}),
  };
}

function entryOf(bill: Bill, markets: readonly MarketKind[]): LedgerEntry[] {
  const { billId, type, ts, ccy, balChg, instId = '' } = bill;
  const amount = figure(balChg);
  if ((OF_FILLS.has(type) && isTold(markets, bill)) || amount === '0') return [];
  return [
    {
      id: billId,
      time: Number(ts),
      asset: ccy,
      amount,
      kind: KINDS.get(type) ?? 'other',
      ...(instId === '' ? {} : { symbol: symbolOf(instId) }),
    },
  ];
}

/** The symbol as it is usually called here; a few differ, since the other market's list is not at hand. */
function symbolOf(instId: string): string {
  return instId.replace(/-SWAP$/, '').replaceAll('-', '');
}
