/**
 * The rows about money in the raw log of an emulator, and their sums; uses no figure that the exchange
 * reports about accounts.
 */
import { type Dec, dec, mul } from '../../../src/domain/decimal.ts';
import type { AccountKind, TruthTrade } from './venue-world.ts';

/** One row: `start`, `transfer`, `income` and `fill` move money, all others do not. */
export interface Money {
  readonly kind: string;
  /** `spot`, `futures`, or `unified` for a wallet that both share. */
  readonly market: string;
  readonly asset: string;
  readonly amount: string;
  readonly income: string;
  readonly symbol: string;
  readonly side: 'BUY' | 'SELL';
  readonly orderId: string | number;
  readonly tradeId: string | number;
  readonly price: string;
  readonly qty: string;
  readonly realized: string;
  readonly commission: string;
  readonly commissionAsset: string;
}

/** The changes of a row, one or more entries per asset. */
export function movedBy(row: Money): (readonly [asset: string, amount: Dec])[] {
  if (row.kind === 'start' || row.kind === 'transfer') return [[row.asset, dec(row.amount)]];
  if (row.kind === 'income') return [[row.asset, dec(row.income)]];
  if (row.kind !== 'fill') return [];
  const fee = [row.commissionAsset, -dec(row.commission)] as const;
  if (row.market === 'futures') return [['USDT', dec(row.realized)], fee];
  const sign = row.side === 'BUY' ? 1n : -1n;
  return [
    [row.symbol.slice(0, -4), sign * dec(row.qty)],
    ['USDT', -sign * mul(dec(row.qty), dec(row.price))],
    fee,
  ];
}

export function tradesOf(log: readonly Money[], kind: AccountKind): TruthTrade[] {
  return log.flatMap((row) => (row.kind === 'fill' && row.market === kind ? [tradeOf(row)] : []));
}

function tradeOf(row: Money): TruthTrade {
  return {
    id: String(row.tradeId),
    symbol: row.symbol,
    venueId: String(row.orderId),
    qty: dec(row.qty),
    price: dec(row.price),
    comm: dec(row.commission),
    commAsset: row.commissionAsset,
  };
}
