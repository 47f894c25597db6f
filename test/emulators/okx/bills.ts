/**
 * Rows of the account's ledger: every change of a balance, newest last. Source: OKX v5 "Get bills details",
 * "Get bill types".
 */
import { type Dec, str, ZERO } from '../../../src/domain/decimal.ts';
import { type Account, type Bill, cashOf, type MgnMode } from './account.ts';
import type { OkxOrder } from './order.ts';

export interface BillWish {
  /** 1 transfer, 2 trade, 5 liquidation, 8 funding, 9 ADL, 28 easy convert. */
  readonly type: string;
  readonly subType: string;
  readonly ccy: string;
  readonly change: Dec;
  readonly sz: Dec;
  readonly pnl?: Dec;
  readonly fee?: Dec;
  readonly px?: Dec;
  readonly order?: OkxOrder;
  readonly instId?: string;
  readonly tradeId?: string;
  readonly isMaker?: boolean;
  readonly mgnMode?: MgnMode;
}

/** Makes the row; the wallet was changed before. */
export function billOf(account: Account, wish: BillWish, billId: string, time: number): Bill {
  const { order } = wish;
  const instId = order?.instId ?? wish.instId ?? '';
  const isTrade = order !== undefined;
  return {
    billId,
    ts: time,
    row: {
      bal: str(cashOf(account, wish.ccy)),
      balChg: str(wish.change),
      billId,
      ccy: wish.ccy,
      clOrdId: order?.clOrdId ?? '',
      earnAmt: '',
      earnApr: '',
      execType: isTrade && order.category === 'normal' ? (wish.isMaker ? 'M' : 'T') : '',
      fee: str(wish.fee ?? ZERO),
      fillFwdPx: '',
      fillIdxPx: '',
      fillMarkPx: '',
      fillMarkVol: '',
      fillPxUsd: '',
      fillPxVol: '',
      fillTime: isTrade ? String(time) : '',
      from: wish.type === '1' ? (wish.change > ZERO ? '6' : '18') : '',
      instId,
      instType: instId === '' ? '' : instId.endsWith('-SWAP') ? 'SWAP' : 'SPOT',
      interest: '0',
      mgnMode: isTrade && order.instType === 'SPOT' ? 'cash' : (wish.mgnMode ?? ''),
      notes: '',
      ordId: order?.ordId ?? '',
      pnl: str(wish.pnl ?? ZERO),
      posBal: '0',
      posBalChg: '0',
      px: wish.px === undefined ? '' : str(wish.px),
      subType: wish.subType,
      sz: str(wish.sz),
      tag: order?.tag ?? '',
      to: wish.type === '1' ? (wish.change > ZERO ? '18' : '6') : '',
      tradeId: wish.tradeId ?? '',
      ts: String(time),
      type: wish.type,
    },
  };
}
