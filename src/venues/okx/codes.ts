/**
 * What the error codes of OKX v5 mean for a request. ERR: OD "Error Code, REST API" (2026-06-27). Only codes
 * decide, never texts; a code without a row proves nothing, so the order's state is asked for. One table for
 * both markets: they share the codes.
 */
import type { RejectCode } from '../../domain/reject-code.ts';
import { type CodeRow, CodeTable } from '../kit/code-table.ts';

const ERR = 'ERR';

/** A code that means that a request of any kind had no effect. */
const refused = (code: string, reason: RejectCode, why = ERR): CodeRow => ({
  code,
  of: ['submit', 'cancel', 'amend'],
  outcome: 'rejected',
  reason,
  source: why,
});
const ofOrder = (code: string, reason: RejectCode, why = ERR): CodeRow => ({
  ...refused(code, reason, why),
  of: ['submit', 'amend'],
});
const all = (codes: string, of: (code: string) => CodeRow): CodeRow[] => codes.split(' ').map(of);

export const OKX_CODE_ROWS: readonly CodeRow[] = [
  // 50004, 50026, 51054, 51149 have no row: ERR says that the outcome is not known.
  ...all('50000 50002 50006 50014 50015 50016 50024 50025 50115', (code) =>
    refused(code, 'UNSUPPORTED', 'ERR: general, the request has not its form'),
  ),
  refused('50001', 'OVERLOADED', 'ERR: service temporarily unavailable, HTTP 503'),
  refused('50005', 'UNSUPPORTED', 'ERR: endpoint inactive or unavailable'),
  ...all('50007 50008 50009 50012 50027 50028 50029 50032 50033 50051 50052 50059 50060', (code) =>
    refused(code, 'ACCOUNT_RESTRICTED', 'ERR: user, account or instrument blocked or restricted'),
  ),
  refused('50011', 'RATE_LIMITED', 'ERR: rate limit reached'),
  refused('50013', 'OVERLOADED', 'ERR: systems are busy, HTTP 429'),
  ...all('50017 50018 50019 50020 50021 50022 50023', (code) =>
    refused(code, 'OVERLOADED', 'ERR: frozen for liquidation, ADL or funding, try again later'),
  ),
  refused('50030', 'BAD_CREDENTIALS', 'ERR: no permission to use this endpoint'),
  refused('50035', 'BAD_CREDENTIALS', 'ERR: the key must be bound to addresses'),
  refused('50036', 'CLOCK', 'ERR: expTime earlier than the system time'),
  refused('50037', 'CLOCK', 'ERR: order expired'),
  refused('50038', 'UNSUPPORTED', 'ERR: unavailable in demo trading'),
  refused('50040', 'RATE_LIMITED', 'ERR: too frequent operations'),
  refused('50046', 'OVERLOADED', 'ERR: temporarily unavailable'),
  refused('50061', 'RATE_LIMITED', 'ERR: order rate limit of the account'),
  ofOrder('50072', 'UNSUPPORTED', 'ERR: isolated margin in this account mode'),
  ...all('50100 50101 50103 50104 50105 50106 50107 50110 50111 50113 50114 50119 50120 50121', (code) =>
    refused(code, 'BAD_CREDENTIALS', 'ERR: API class, judged before anything is done'),
  ),
  refused('50102', 'CLOCK', 'ERR: timestamp request expired'),
  refused('50112', 'CLOCK', 'ERR: invalid OK-ACCESS-TIMESTAMP'),
  ofOrder('50122', 'NOTIONAL', 'ERR: below the minimum amount'),
  refused('51000', 'UNSUPPORTED', 'ERR: parameter error'),
  refused('51001', 'SYMBOL_UNKNOWN', 'ERR: instrument does not exist'),
  refused('51003', 'UNSUPPORTED', 'ERR: an order id is required'),
  ofOrder('51004', 'POSITION_LIMIT', 'ERR: more than the leverage allows'),
  ofOrder('51005', 'NOTIONAL', 'ERR: exceeds the maximum amount'),
  ofOrder('51006', 'PERCENT_PRICE', 'ERR: not within the price limit'),
  ofOrder('51007', 'LOT_SIZE', 'ERR: at least one contract'),
  ofOrder('51008', 'BALANCE', 'ERR: insufficient balance or margin'),
  refused('51009', 'ACCOUNT_RESTRICTED', 'ERR: order blocked'),
  refused('51010', 'ACCOUNT_RESTRICTED', 'ERR: unsupported under the account mode'),
  ofOrder('51012', 'SYMBOL_UNKNOWN', 'ERR: token does not exist'),
  ofOrder('51015', 'SYMBOL_UNKNOWN', 'ERR: instrument does not match its type'),
  // Every id is sent once: an order that already has it may be this very order, delivered twice on its way.
  ...['51011', '51016', '51065', '51068'].map(
    (code): CodeRow => ({
      code,
      of: ['submit', 'amend'],
      outcome: 'unknown',
      source: 'ERR: an order with this client id is there, of those that are pending',
    }),
  ),
  ofOrder('51020', 'LOT_SIZE', 'ERR: below the minimum order amount'),
  ...all('51021 51022 51027 51028 51029 51030 51087 51155 54072', (code) =>
    refused(code, 'SYMBOL_HALTED', 'ERR: not listed, suspended, expired, being settled or restricted'),
  ),
  ofOrder('51023', 'REDUCE_ONLY', 'ERR: position does not exist'),
  refused('51024', 'ACCOUNT_RESTRICTED', 'ERR: trading account is blocked'),
  ofOrder('51025', 'MAX_ORDERS', 'ERR: order count exceeds the limit'),
  ofOrder('51031', 'PERCENT_PRICE', 'ERR: not within the closing price range'),
  ofOrder('51032', 'OVERLOADED', 'ERR: all positions are being closed at the market'),
  ofOrder('51033', 'NOTIONAL', 'ERR: amount of an order has reached its limit'),
  ofOrder('51037', 'ACCOUNT_RESTRICTED', 'ERR: only IOC orders that reduce risk'),
  ofOrder('51041', 'POSITION_SIDE', 'ERR: portfolio margin has one-way mode only'),
  ...all('51046 51047 51048 51049 51050 51051 51052 51053', (code) =>
    ofOrder(code, 'STOP_PASSED', 'ERR: the trigger price is on the wrong side'),
  ),
  ofOrder('51058', 'REDUCE_ONLY', 'ERR: no available position for this algo order'),
  ofOrder('51088', 'MAX_ORDERS', 'ERR: one order that closes a whole position'),
  ofOrder('51101', 'LOT_SIZE', 'ERR: more contracts than an order can have'),
  ...all('51102 51103 51117 51174 51260 51261 51299', (code) =>
    ofOrder(code, 'MAX_ORDERS', 'ERR: number of pending orders'),
  ),
  ...all('51104 51105 51106 51107 51129 51186 51187 54030 54031 54035', (code) =>
    ofOrder(code, 'POSITION_LIMIT', 'ERR: limit of positions and pending orders'),
  ),
  ofOrder('51108', 'POSITION_LIMIT', 'ERR: position too large to be closed at the market'),
  ofOrder('51109', 'NO_PRICE', 'ERR: no available offers'),
  ofOrder('51110', 'SYMBOL_HALTED', 'ERR: call auction'),
  ofOrder('51112', 'EXITS_REST', 'ERR: close order exceeds what is available of the position'),
  ofOrder('51116', 'PRICE_FILTER', 'ERR: price or trigger price exceeds its bound'),
  ofOrder('51120', 'LOT_SIZE', 'ERR: amount is less than the least'),
  ofOrder('51121', 'LOT_SIZE', 'ERR: not a multiple of the lot size'),
  ofOrder('51122', 'PRICE_FILTER', 'ERR: below the lowest price'),
  ofOrder('51123', 'PRICE_FILTER', 'ERR: minimum price increment'),
  ofOrder('51124', 'SYMBOL_HALTED', 'ERR: limit orders only, call auction'),
  ofOrder('51127', 'BALANCE', 'ERR: available balance is 0'),
  ofOrder('51131', 'BALANCE', 'ERR: insufficient balance'),
  ...all('51133 51139 51205', (code) => ofOrder(code, 'UNSUPPORTED', 'ERR: reduce-only is not available')),
  ...all('51135 51136 51137 51138', (code) => ofOrder(code, 'PERCENT_PRICE', 'ERR: price limit')),
  ofOrder('51140', 'NO_PRICE', 'ERR: insufficient sell orders'),
  ...all('51148 51171 51206', (code) =>
    ofOrder(code, 'EXITS_REST', 'ERR: other reduce-only orders rest; cancel them first'),
  ),
  ofOrder('51150', 'LOT_SIZE', 'ERR: precision exceeds the limit'),
  ofOrder('51169', 'REDUCE_ONLY', 'ERR: no position in this direction to reduce'),
  ofOrder('51170', 'REDUCE_ONLY', 'ERR: reduce-only in the direction of the position'),
  ...all('51185 51201 51202 51203', (code) => ofOrder(code, 'NOTIONAL', 'ERR: value of an order')),
  ...all('51196 51197 51507', (code) => ofOrder(code, 'SYMBOL_HALTED', 'ERR: newly listed')),
  ofOrder('51204', 'UNSUPPORTED', 'ERR: price of a limit order cannot be empty'),
  ...all('51250 51252', (code) => ofOrder(code, 'PRICE_FILTER', 'ERR: algo order out of range')),
  ...all('51257 51311 51312', (code) => ofOrder(code, 'UNSUPPORTED', 'ERR: trailing stop out of range')),
  ...all('51258 51259', (code) =>
    ofOrder(code, 'STOP_PASSED', 'ERR: activation price on the wrong side of the last price'),
  ),
  ofOrder('51275', 'LOT_SIZE', 'ERR: amount of a stop-market order'),
  ...all('51277 51278 51279 51280 51300 51302 51303 51304 51305 51306 51307 51308', (code) =>
    ofOrder(code, 'STOP_PASSED', 'ERR: trigger price and the last, mark or index price'),
  ),
  ...all('51276 51281 51298 51317 51327 51328 51329 51330 51331 51332 51415', (code) =>
    ofOrder(code, 'UNSUPPORTED', 'ERR: form of an algo order'),
  ),
  ofOrder('51341', 'REDUCE_ONLY', 'ERR: position closing not allowed'),
  ofOrder('51342', 'EXITS_REST', 'ERR: closing order already exists'),
  { code: '51400', of: ['cancel'], outcome: 'gone', source: 'ERR: filled, canceled or does not exist' },
  { ...refused('51404', 'SYMBOL_HALTED', 'ERR: second phase of a call auction'), of: ['cancel'] },
  { code: '51405', of: ['cancel'], outcome: 'gone', source: 'ERR: no pending orders' },
  // 51410, 51412 have no row: the order is being cancelled, or nobody knows.
  { code: '51416', of: ['cancel'], outcome: 'gone', source: 'ERR: triggered; what it has made goes on' },
  { code: '51503', of: ['amend'], outcome: 'gone', source: 'ERR: filled or canceled' },
  { ...refused('51500', 'UNSUPPORTED', 'ERR: no price or quantity is given'), of: ['amend'] },
  { ...refused('51506', 'UNSUPPORTED', 'ERR: unavailable for the order type'), of: ['amend'] },
  { ...refused('51508', 'SYMBOL_HALTED', 'ERR: call auction'), of: ['amend'] },
  { ...refused('51511', 'POST_ONLY', 'ERR: price does not meet post-only'), of: ['amend'] },
  { ...refused('51513', 'OVERLOADED', 'ERR: three changes of it are on their way'), of: ['amend'] },
  { ...refused('51514', 'PRICE_FILTER', 'ERR: price is too long'), of: ['amend'] },
  ...all('51521 51522', (code) => ({
    ...refused(code, 'REDUCE_ONLY', 'ERR: nothing to reduce'),
    of: ['amend'] as const,
  })),
  { code: '51603', of: ['query'], outcome: 'absent', source: 'ERR: order does not exist' },
  { code: '51603', of: ['cancel', 'amend'], outcome: 'gone', source: 'ERR: order does not exist' },
  ...all('54000 54005 54007 54024 54025 54073 54075 54092', (code) =>
    ofOrder(code, 'ACCOUNT_RESTRICTED', 'ERR: not with this account as it is set'),
  ),
  refused('54012', 'ACCOUNT_RESTRICTED', 'ERR: thin book, cancels and post-only orders alone'),
  { ...refused('54048', 'OVERLOADED', 'ERR: in a speed bump'), of: ['cancel'] },
  { ...refused('54047', 'OVERLOADED', 'ERR: in a speed bump'), of: ['amend'] },
  ofOrder('59110', 'UNSUPPORTED', 'ERR: tgtCcy is not supported'),
];

export const OKX_CODES = new CodeTable(OKX_CODE_ROWS);

/** Codes that refuse a setting (ERR), and what to do about each; shown after the exchange's own words. */
export const SETTING_CURES: Readonly<Record<string, string>> = {
  '51010': 'change the account mode at OKX, in the settings of trading',
  '51039': 'portfolio margin has no leverage of its own for cross positions',
  '51041': 'portfolio margin has one-way mode only',
  '51170': '',
  '59000': 'close all positions and cancel all orders of contracts first, at OKX too',
  '59001': 'pay back what is borrowed first',
  '59002': 'close positions, orders and bots of the sub-account first',
  '59101': 'cancel the open orders of the contract first',
  '59102': 'set a lower leverage',
  '59103': 'set a higher leverage, or transfer more margin',
  '59104': 'set a lower leverage',
  '59105': 'set a higher leverage',
  '59106': 'set another leverage',
  '59107': 'cancel the open orders of the contract first',
  '59108': 'set a higher leverage',
  '59109': 'set another leverage, or transfer more margin',
  '59111': 'portfolio margin has no leverage of its own for cross positions',
  '59112': 'cancel the open orders of the contract first',
};
