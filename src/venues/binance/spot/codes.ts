/**
 * What the error codes of Binance spot mean for a request, each with its source. ERR: SPOTDOC errors.md. Some
 * codes have several meanings, told apart by the words that errors.md lists; a code without a row proves
 * nothing.
 */
import type { RejectCode } from '../../../domain/reject-code.ts';
import { type CodeRow, CodeTable } from '../../kit/code-table.ts';

const ERR = 'ERR';

/** A code that means that a request of any kind had no effect. */
const refused = (code: string, reason: RejectCode, source = ERR, words?: RegExp): CodeRow => ({
  code,
  of: ['submit', 'cancel', 'amend'],
  outcome: 'rejected',
  reason,
  source,
  ...(words ? { words } : {}),
});
const ofOrder = (code: string, reason: RejectCode, source = ERR, words?: RegExp): CodeRow => ({
  ...refused(code, reason, source, words),
  of: ['submit', 'amend'],
});
const filter = (name: RegExp, reason: RejectCode): CodeRow =>
  ofOrder('-1013', reason, 'ERR: Filter failures; SPOTDOC filters.md', name);
const matching = (words: RegExp, reason: RejectCode): CodeRow =>
  ofOrder('-2010', reason, 'ERR: messages for -1010, -2010 and -2011', words);

export const SPOT_CODE_ROWS: readonly CodeRow[] = [
  // -1000, -1001, -1006 and -1007 say that the outcome is unknown, so they have no row.
  refused('-1002', 'BAD_CREDENTIALS', 'ERR: UNAUTHORIZED'),
  refused('-1003', 'RATE_LIMITED', 'ERR: TOO_MANY_REQUESTS, answered before the engine'),
  refused('-1008', 'OVERLOADED', 'ERR: SERVER_BUSY, not taken in'),
  filter(/\b(?:PRICE_FILTER)\b/, 'PRICE_FILTER'),
  filter(/\bPERCENT_PRICE/, 'PERCENT_PRICE'),
  filter(/\b(?:LOT_SIZE|MARKET_LOT_SIZE)\b/, 'LOT_SIZE'),
  filter(/\b(?:MIN_NOTIONAL|NOTIONAL)\b/, 'NOTIONAL'),
  filter(/\b(?:MAX_POSITION|MAX_ASSET)\b/, 'POSITION_LIMIT'),
  filter(/\b(?:EXCHANGE_)?MAX_NUM_\w+|\bICEBERG_PARTS\b/, 'MAX_ORDERS'),
  filter(/\bTRAILING_DELTA\b/, 'UNSUPPORTED'),
  ofOrder(
    '-1013',
    'UNSUPPORTED',
    'python-binance#166, Binance.Net#622: with -1013, though errors.md has it under -2010',
    /not supported for this symbol/i,
  ),
  refused('-1013', 'OTHER', 'ERR: INVALID_MESSAGE, it did not reach the matching engine'),
  ofOrder('-1014', 'UNSUPPORTED', 'ERR: UNKNOWN_ORDER_COMPOSITION'),
  refused('-1015', 'RATE_LIMITED', 'ERR: TOO_MANY_ORDERS'),
  refused('-1016', 'OVERLOADED', 'ERR: SERVICE_SHUTTING_DOWN'),
  refused('-1020', 'UNSUPPORTED', 'ERR: UNSUPPORTED_OPERATION'),
  refused('-1021', 'CLOCK', 'ERR: INVALID_TIMESTAMP, judged before the engine takes it'),
  refused('-1022', 'BAD_CREDENTIALS', 'ERR: INVALID_SIGNATURE'),
  ...['-1100', '-1101', '-1102', '-1103', '-1104', '-1105', '-1106', '-1108'].map((code) =>
    refused(code, 'UNSUPPORTED', 'ERR: 11xx, request issues'),
  ),
  ofOrder('-1111', 'LOT_SIZE', 'ERR: BAD_PRECISION'),
  ofOrder('-1112', 'NO_PRICE', 'ERR: NO_DEPTH'),
  ...['-1114', '-1115', '-1116', '-1117', '-1118', '-1119', '-1128', '-1130', '-1134'].map((code) =>
    refused(code, 'UNSUPPORTED', 'ERR: 11xx, request issues'),
  ),
  refused('-1121', 'SYMBOL_UNKNOWN', 'ERR: BAD_SYMBOL'),
  ofOrder('-1122', 'SYMBOL_HALTED', 'ERR: INVALID_SYMBOLSTATUS'),
  // Every id is sent once: an order that already has it may be this very order, delivered twice on its way.
  {
    code: '-2010',
    of: ['submit', 'amend'],
    words: /duplicate order/i,
    outcome: 'unknown',
    source: 'ERR: messages for -1010, -2010 and -2011: an order with this id is open',
  },
  matching(/market is closed/i, 'SYMBOL_HALTED'),
  matching(/insufficient balance/i, 'BALANCE'),
  matching(/not support(?:ed)? for this symbol/i, 'UNSUPPORTED'),
  matching(/price \* qty is zero/i, 'NOTIONAL'),
  matching(/icebergqty exceeds/i, 'LOT_SIZE'),
  matching(/iceberg orders must be/i, 'UNSUPPORTED'),
  matching(/disabled on this account|may not place or cancel|trading is not enabled/i, 'ACCOUNT_RESTRICTED'),
  matching(/not permitted for this account|restricted for this account/i, 'ACCOUNT_RESTRICTED'),
  matching(/unsupported order combination/i, 'UNSUPPORTED'),
  matching(/would trigger immediately/i, 'STOP_PASSED'),
  matching(/immediately match and take/i, 'POST_ONLY'),
  matching(/liquidity is less than/i, 'LOT_SIZE'),
  ofOrder('-2010', 'OTHER', 'ERR: NEW_ORDER_REJECTED'),
  {
    code: '-2011',
    of: ['cancel', 'amend'],
    words: /unknown order/i,
    outcome: 'gone',
    source: 'ERR: CANCEL_REJECTED, the order could not be found',
  },
  refused('-2011', 'ACCOUNT_RESTRICTED', 'ERR: CANCEL_REJECTED', /may not place or cancel|disabled/i),
  { code: '-2013', of: ['query'], outcome: 'absent', source: 'ERR: NO_SUCH_ORDER' },
  { code: '-2013', of: ['cancel', 'amend'], outcome: 'gone', source: 'ERR: NO_SUCH_ORDER' },
  refused('-2014', 'BAD_CREDENTIALS', 'ERR: BAD_API_KEY_FMT'),
  refused('-2015', 'BAD_CREDENTIALS', 'ERR: REJECTED_MBX_KEY: key, address or permissions'),
  refused('-2016', 'SYMBOL_HALTED', 'ERR: NO_TRADING_WINDOW'),
  {
    code: '-2026',
    of: ['query'],
    outcome: 'absent',
    source: 'ERR: ORDER_ARCHIVED: ended without an execution over 90 days ago',
  },
  {
    code: '-2038',
    of: ['amend'],
    words: /not open/i,
    outcome: 'gone',
    source: 'ERR: ORDER_AMEND_REJECTED',
  },
  { code: '-2038', of: ['amend'], outcome: 'rejected', reason: 'OTHER', source: 'ERR: ORDER_AMEND_REJECTED' },
  {
    code: '-2039',
    of: ['query'],
    outcome: 'absent',
    source: 'ERR: CLIENT_ORDER_ID_INVALID: no such id of that order',
  },
];

export const SPOT_CODES = new CodeTable(SPOT_CODE_ROWS);
