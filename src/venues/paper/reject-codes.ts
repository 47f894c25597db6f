/**
 * Maps the paper exchange's codes, which are Binance's, to the reject codes of `domain/reject-code.ts`. The
 * only place that knows both.
 */
import type { RejectCode } from '../../domain/reject-code.ts';

/** Codes with a single meaning. */
const BY_CODE: Readonly<Record<string, RejectCode>> = {
  '-1003': 'RATE_LIMITED',
  '-1008': 'OVERLOADED',
  '-1015': 'RATE_LIMITED',
  '-1021': 'CLOCK',
  '-1100': 'UNSUPPORTED',
  '-1102': 'UNSUPPORTED',
  '-1106': 'UNSUPPORTED',
  '-1115': 'UNSUPPORTED',
  '-1116': 'UNSUPPORTED',
  '-1121': 'SYMBOL_UNKNOWN',
  '-2007': 'UNSUPPORTED',
  '-2019': 'BALANCE',
  '-2021': 'STOP_PASSED',
  '-2022': 'REDUCE_ONLY',
  '-2027': 'POSITION_LIMIT',
  '-4003': 'LOT_SIZE',
  '-4016': 'PERCENT_PRICE',
  '-4024': 'PERCENT_PRICE',
  '-4045': 'MAX_ORDERS',
  '-4061': 'POSITION_SIDE',
  '-4116': 'DUPLICATE_ID',
  '-4131': 'NO_PRICE',
  '-4164': 'NOTIONAL',
  '-5022': 'POST_ONLY',
};

/** Codes with several meanings, told apart by the beginning of the message. */
const BY_WORDS: Readonly<Record<string, readonly (readonly [beginning: string, reason: RejectCode])[]>> = {
  '-1013': [
    ['Filter failure: PRICE_FILTER', 'PRICE_FILTER'],
    ['Filter failure: PERCENT_PRICE', 'PERCENT_PRICE'],
    ['Filter failure: LOT_SIZE', 'LOT_SIZE'],
    ['Filter failure: NOTIONAL', 'NOTIONAL'],
    ['Filter failure: MAX_NUM_ORDERS', 'MAX_ORDERS'],
    ['Filter failure: ICEBERG_PARTS', 'MAX_ORDERS'],
    ['There is no price', 'NO_PRICE'],
    ['icebergQty needs', 'UNSUPPORTED'],
  ],
  '-2010': [
    ['Account has insufficient balance', 'BALANCE'],
    ['Order would immediately match', 'POST_ONLY'],
    ['Order would trigger immediately', 'STOP_PASSED'],
    ['Duplicate order', 'DUPLICATE_ID'],
  ],
};

/** The reject code of a refusal by this exchange; OTHER when it is not listed. */
export function rejectCodeOf(code: string, message: string): RejectCode {
  return (
    BY_CODE[code] ?? BY_WORDS[code]?.find(([beginning]) => message.startsWith(beginning))?.[1] ?? 'OTHER'
  );
}
