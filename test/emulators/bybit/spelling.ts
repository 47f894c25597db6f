/**
 * Another way to write the same row: pages, their examples and recordings disagree about empty values. A
 * reader of rows must accept all of them. Sources: order/open-order.mdx ("" in the table, "0" in the
 * example), websocket/private/order.mdx (`leavesQty` "" of a filled order), recordings (null).
 */
type Row = Record<string, unknown>;

const NULLS = ['blockTradeId', 'orderIv', 'tradeIv', 'markIv', 'smpOrderId'];
const WORDS = ['stopOrderType', 'triggerBy', 'tpTriggerBy', 'slTriggerBy'];
const PRICES = ['triggerPrice', 'takeProfit', 'stopLoss', 'tpLimitPrice', 'slLimitPrice'];

const isNothing = (value: unknown): boolean => typeof value === 'string' && /^0?(?:\.0+)?$/.test(value);

export function otherSpelling(row: Row): Row {
  const other: Row = { ...row };
  const change = (name: string, to: (value: unknown) => unknown) => {
    if (name in other) other[name] = to(other[name]);
  };
  for (const name of NULLS) change(name, (value) => (value === '' ? null : value));
  for (const name of WORDS)
    change(name, (value) => (value === '' ? 'UNKNOWN' : value === 'UNKNOWN' ? '' : value));
  for (const name of PRICES)
    change(name, (value) => (isNothing(value) ? (value === '' ? '0.00' : '') : value));
  change('price', (value) => (isNothing(value) ? '' : value));
  change('avgPrice', (value) => (value === '' ? '0' : value));
  for (const name of ['leavesQty', 'leavesValue']) change(name, (value) => (isNothing(value) ? '' : value));
  return other;
}
