/**
 * What the error codes of Bybit mean for a request, the same for spot and linear. ERR: DOC error, the table
 * of that code. The code decides, and the message only where one code means several things; a code without a
 * row proves nothing, so a submit that got one is queried.
 */
import type { RejectCode } from '../../domain/reject-code.ts';
import { type CodeRow, CodeTable } from '../kit/code-table.ts';

const ERR = 'ERR';

/** A code that says that the request has had no effect. */
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
const all = (codes: readonly string[], reason: RejectCode, source: string): CodeRow[] =>
  codes.map((code) => ofOrder(code, reason, source));
const gone = (code: string, source: string): CodeRow => ({
  code,
  of: ['cancel', 'amend'],
  outcome: 'gone',
  source,
});

export const BYBIT_CODE_ROWS: readonly CodeRow[] = [
  // 10000, 10016, 10429, 429, 170001, 170007, 170032, 170146, 170147, 170149, 170150, 170234, 170310, 170311
  // have no row: they leave open what became of the request.
  refused('-1', 'CLOCK', 'ERR: request expired'),
  refused('-2015', 'BAD_CREDENTIALS', 'ERR: the key has expired (spot)'),
  refused('33004', 'BAD_CREDENTIALS', 'ERR: the key has expired (derivatives)'),
  ofOrder(
    '10001',
    'POSITION_SIDE',
    'ERR; nautilus#3944: position idx not match position mode',
    /position idx/i,
  ),
  ofOrder(
    '10001',
    'LOT_SIZE',
    'ERR; pybit#168, #284: exceeds minimum or maximum limit',
    /exceeds m(?:in|ax)imum limit/i,
  ),
  ofOrder('10001', 'LOT_SIZE', 'ERR: qty', /\bqty\b|quantity/i),
  ofOrder('10001', 'PRICE_FILTER', 'ERR: price', /\bprice\b/i),
  refused('10001', 'UNSUPPORTED', 'ERR: request parameter error'),
  refused('10002', 'CLOCK', 'ERR: the request time exceeds the time window'),
  refused('10003', 'BAD_CREDENTIALS', 'ERR: API key is invalid'),
  refused('10004', 'BAD_CREDENTIALS', 'ERR: error sign'),
  refused('10005', 'BAD_CREDENTIALS', 'ERR: permission denied'),
  refused('10006', 'RATE_LIMITED', 'ERR: too many visits, answered before the engine'),
  refused('10007', 'BAD_CREDENTIALS', 'ERR: user authentication failed'),
  refused('10008', 'ACCOUNT_RESTRICTED', 'ERR: common banned'),
  refused('10009', 'ACCOUNT_RESTRICTED', 'ERR: not available for the region'),
  refused('10010', 'BAD_CREDENTIALS', 'ERR: unmatched IP'),
  refused('10017', 'UNSUPPORTED', 'ERR: route not found'),
  refused('10024', 'ACCOUNT_RESTRICTED', 'ERR: compliance rules triggered'),
  refused('10027', 'ACCOUNT_RESTRICTED', 'ERR: transactions are banned'),
  refused('10028', 'ACCOUNT_RESTRICTED', 'ERR: unified account users only'),
  ofOrder('10029', 'SYMBOL_UNKNOWN', 'ERR: the requested symbol is invalid'),
  ofOrder('30208', 'PERCENT_PRICE', 'ERR: price is higher than the maximum buying price'),
  ofOrder('30209', 'PERCENT_PRICE', 'ERR: price is lower than the minimum selling price'),
  ofOrder('30228', 'SYMBOL_HALTED', 'ERR: no new positions during delisting'),
  gone('110001', 'ERR: order does not exist'),
  ofOrder('110003', 'PERCENT_PRICE', 'ERR: order price exceeds the allowable range'),
  ...all(
    ['110004', '110006', '110007', '110012', '110014', '110044', '110045', '110051', '110052', '110053'],
    'BALANCE',
    'ERR: balance or margin',
  ),
  gone('110008', 'ERR: the order has been completed or cancelled'),
  ofOrder('110009', 'MAX_ORDERS', 'ERR: the number of stop orders'),
  gone('110010', 'ERR: the order has been cancelled'),
  ...all(
    ['110011', '110039', '110040', '110046', '110131', '30256'],
    'BALANCE',
    'ERR: it would lead to a liquidation',
  ),
  ofOrder('110017', 'REDUCE_ONLY', 'ERR: orderQty will be truncated to zero; nothing to reduce'),
  ...all(['110020', '170810'], 'MAX_ORDERS', 'ERR: not more than 500 active orders'),
  ...all(
    ['110021', '110022', '110085', '110086', '110089', '110090', '3400139'],
    'POSITION_LIMIT',
    'ERR: position or risk limit',
  ),
  ...all(
    ['110023', '110042', '110066', '110074', '110095', '110137', '110063'],
    'SYMBOL_HALTED',
    'ERR: not traded, or to be reduced only, at present',
  ),
  ofOrder('110032', 'UNSUPPORTED', 'ERR: order is illegal'),
  ofOrder('110049', 'PRICE_FILTER', 'ERR: tick'),
  { ...refused('110064', 'LOT_SIZE', 'ERR: not less than or equal to what is filled'), of: ['amend'] },
  // Each id is sent once, so the order that has it there may be this very one, delivered twice on its way.
  ...['110072', '170141'].map(
    (code): CodeRow => ({
      code,
      of: ['submit'],
      outcome: 'unknown',
      source: 'ERR: an order with this client id is there',
    }),
  ),
  { ...refused('110079', 'OVERLOADED', 'ERR: the order is processing'), of: ['cancel', 'amend'] },
  ...all(
    ['110088', '110097', '110123', '110124', '110125', '110132', '110136'],
    'ACCOUNT_RESTRICTED',
    'ERR: the account may not, or has to agree first',
  ),
  ofOrder('110092', 'STOP_PASSED', 'ERR: expect rising, but the trigger is not above the market'),
  ofOrder('110093', 'STOP_PASSED', 'ERR: expect falling, but the trigger is not below the market'),
  ofOrder('110094', 'NOTIONAL', 'ERR: order notional value below the lower limit'),
  ofOrder('110098', 'UNSUPPORTED', 'ERR: GTC only'),
  ofOrder('110103', 'SYMBOL_HALTED', 'ERR: post-only orders only at this stage'),
  ofOrder('110118', 'NO_PRICE', 'ERR: no price for a market order'),
  ...all(
    ['110120', '110121', '170371', '170372', '170193', '170194', '170192'],
    'PERCENT_PRICE',
    'ERR: price limitation',
  ),
  ...all(['170005', '170222'], 'RATE_LIMITED', 'ERR: too many new orders or requests'),
  ofOrder('170031', 'SYMBOL_HALTED', 'ERR: the feature has been suspended'),
  ofOrder('170033', 'BALANCE', 'ERR: margin insufficient'),
  ...all(
    ['170105', '170115', '170116', '170117', '170130', '170201', '170202', '170227'],
    'UNSUPPORTED',
    'ERR: parameters',
  ),
  ofOrder('170121', 'SYMBOL_UNKNOWN', 'ERR: invalid symbol'),
  ...all(['170124', '170136', '170137', '170148', '170341', '170381', '170382'], 'LOT_SIZE', 'ERR: quantity'),
  ofOrder('170131', 'BALANCE', 'ERR: balance insufficient'),
  ...all(['170132', '170133', '170134', '170203', '170204'], 'PRICE_FILTER', 'ERR: price'),
  gone('170139', 'ERR: order has been filled'),
  ofOrder('170140', 'NOTIONAL', 'ERR: order value below the lower limit'),
  gone('170142', 'ERR: order has been cancelled'),
  gone('170143', 'ERR: cannot be found on order book'),
  { ...refused('170144', 'OVERLOADED', 'ERR: order has been locked'), of: ['cancel', 'amend'] },
  {
    ...refused('170145', 'UNSUPPORTED', 'ERR: this order type does not support cancellation'),
    of: ['cancel'],
  },
  ...all(
    ['170151', '170157', '170159', '170206', '170217'],
    'SYMBOL_HALTED',
    'ERR: the pair is not open for this',
  ),
  gone('170190', 'ERR: cancel order has been finished'),
  {
    ...refused('170191', 'OVERLOADED', 'ERR: cannot cancel order, try again later'),
    of: ['cancel', 'amend'],
  },
  ...all(
    ['170197', '170198', '170199', '170200', '170228', '170229'],
    'LOT_SIZE',
    'ERR: quantity too large for the market',
  ),
  ...all(
    ['170209', '170219', '170224', '170226', '170241', '170348', '170709'],
    'ACCOUNT_RESTRICTED',
    'ERR: the account may not, or has to agree first',
  ),
  ofOrder('170210', 'OTHER', 'ERR: new order rejected'),
  gone('170213', 'ERR: order does not exist'),
  ofOrder('170218', 'POST_ONLY', 'ERR: LIMIT-MAKER order is rejected due to invalid price'),
  { ...refused('170312', 'UNSUPPORTED', 'ERR: the order does not support modification'), of: ['amend'] },
  { ...refused('170313', 'LOT_SIZE', 'ERR: not less than what is filled'), of: ['amend'] },
];

export const BYBIT_CODES = new CodeTable(BYBIT_CODE_ROWS);

/** Codes for a setting that already has the value, which counts as done (ERR). */
export const SET_ALREADY: ReadonlySet<string> = new Set(['110025', '110026', '110043']);

/**
 * Codes that refuse a setting (ERR), and what to do about it; the text is shown after the exchange's own
 * message.
 */
export const SETTING_CURES: Readonly<Record<string, string>> = {
  '110013': 'choose a lower one: the risk limit of the position allows no more',
  '110024': 'close the position of the symbol first',
  '110028': 'cancel the open orders of the symbol first',
  '110029': 'contracts in USDC have no hedge mode',
  '110036': '',
  '110038': 'in portfolio margin there is no leverage to be set',
  '110073': '',
  '110077': 'not in portfolio margin',
  '10001': '',
  '3400045': '',
  '3400052': 'cancel the open orders first',
  '3400054': 'cancel the open orders first',
};

/** `rejectReason` (DOC enum) of an order that was refused after it had been accepted. */
export const REJECT_REASONS: Readonly<Record<string, RejectCode>> = {
  EC_PostOnlyWillTakeLiquidity: 'POST_ONLY',
  EC_DuplicatedClOrdID: 'DUPLICATE_ID',
  EC_UnknownOrderType: 'UNSUPPORTED',
  EC_UnknownTimeInForce: 'UNSUPPORTED',
  EC_MarketOrderCannotBePostOnly: 'UNSUPPORTED',
  EC_MarketOrderNoSupportTIF: 'UNSUPPORTED',
  EC_LimitOrderInvalidPrice: 'PRICE_FILTER',
  EC_InvalidPriceScale: 'PRICE_FILTER',
  EC_ReachRiskPriceLimit: 'PERCENT_PRICE',
  EC_ReachMarketPriceLimit: 'PERCENT_PRICE',
  EC_QtyCannotBeZero: 'LOT_SIZE',
  EC_EcInvalidQty: 'LOT_SIZE',
  EC_InvalidAmount: 'LOT_SIZE',
  EC_InvalidSymbolStatus: 'SYMBOL_HALTED',
  EC_SecurityStatusFail: 'SYMBOL_HALTED',
  EC_InCallAuctionStatus: 'SYMBOL_HALTED',
  EC_NoImmediateQtyToFill: 'NO_PRICE',
};
