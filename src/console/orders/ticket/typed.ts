/**
 * The meaning of what is typed into a ticket: sizes and prices in every form of `entry`, computed with the
 * current state of market and account. A text in no such form is left unchanged: the desk describes its
 * problem. Pure.
 */
import type { DeskState, TicketCheck } from '../../../desk/console/protocol.ts';
import { dec, div, str, ZERO } from '../../../domain/decimal.ts';
import { type PriceFacts, readPrice, resolvePrice } from '../../entry/prices.ts';
import { readSize, resolveSize, type SizeFacts } from '../../entry/sizes.ts';
import { instrumentOf } from '../../trading/instruments.ts';
import { isLong, openPositions, sizeOf } from '../../trading/positions.ts';
import { marketAt, priceOf } from '../../trading/prices.ts';
import { exact, onStep, read } from '../../ui/format.ts';
import { type TicketDraft, type TicketFieldId, ticketAccounts, ticketFields } from './ticket-draft.ts';

const PRICES = ['price', 'stopPrice', 'activationPrice', 'takeProfit', 'stopLoss'] as const;
/** Fee rate that a futures order's margin leaves room for where the account's own rate is not known. */
const FEE_RATE = '0.001';

export interface TypedTicket {
  /** The draft with plain figures in place of what is typed; prices that its order does not have are empty. */
  readonly draft: TicketDraft;
  /** The meaning of each field that holds no plain figure. */
  readonly meanings: Readonly<Partial<Record<TicketFieldId, string>>>;
  /** A text in a known form that cannot be computed. */
  readonly problem: { readonly field: TicketFieldId; readonly message: string } | null;
}

type State = Pick<DeskState, 'accounts' | 'instruments' | 'prices' | 'portfolios' | 'futures' | 'look'>;

/** Facts for reading prices; null: the symbol is not traded on the account. */
export function priceFactsOf(
  state: State,
  of: { readonly exchange: string; readonly symbol: string; readonly side: string },
): PriceFacts | null {
  const instrument = instrumentOf(state.instruments, of);
  if (!instrument) return null;
  const market = marketAt(state.accounts, of.exchange);
  const look = state.look?.market === market && state.look?.symbol === of.symbol ? state.look : null;
  const position = openPositions(state).find(
    ({ exchange, symbol }) => exchange === of.exchange && symbol === of.symbol,
  );
  const contract = state.accounts.some(({ id, kind }) => id === of.exchange && kind === 'futures');
  return {
    side: of.side === 'SELL' ? 'SELL' : 'BUY',
    tickSize: instrument.tickSize,
    last: priceOf(state, of.exchange, of.symbol)?.last ?? null,
    mark: contract ? (position?.markPrice ?? look?.mark ?? null) : null,
    bid: look?.depth?.bids[0]?.[0] ?? null,
    ask: look?.depth?.asks[0]?.[0] ?? null,
  };
}

/** Computes the ticket. `riskPercent`: share of the equity that `1r` risks. */
export function typedTicket(
  state: State | null,
  typed: TicketDraft,
  check: TicketCheck | null,
  riskPercent: string,
): TypedTicket {
  const facts = state && priceFactsOf(state, typed);
  if (!state || !facts) return { draft: typed, meanings: {}, problem: null };
  const draft: Record<TicketFieldId, string> = { ...typed };
  const meanings: Partial<Record<TicketFieldId, string>> = {};
  let problem: TypedTicket['problem'] = null;
  const mark = check?.mark ?? facts.mark;
  const has = new Set(ticketFields(typed, ticketAccounts(state)).map(({ id }) => id));
  if (!has.has('positionSide')) draft.positionSide = 'BOTH';
  for (const field of PRICES) {
    // Typed for an order of another type: it says nothing of this one.
    if (!has.has(field)) {
      draft[field] = '';
      continue;
    }
    // Read even if in no known form: only here are problems of the exits reported.
    const isExit = field === 'takeProfit' || field === 'stopLoss';
    if (!isExit && !readPrice(typed[field])) continue;
    // An exit sells what a buy has bought, so a computed price is rounded the other way.
    const side = field === 'price' ? facts.side : facts.side === 'BUY' ? 'SELL' : 'BUY';
    const meant = resolvePrice(typed[field], { ...facts, mark, side });
    if (meant?.price != null) {
      draft[field] = meant.price;
      if (meant.words !== '') meanings[field] = `= ${onStep(meant.price, facts.tickSize)}`;
    } else if (meant) problem ??= { field, message: meant.problem ?? '' };
  }
  const size = sizeFactsOf(state, draft, facts, check);
  if (size && has.has('quantity') && readSize(typed.quantity, size)) {
    const meant = resolveSize(typed.quantity, { ...size, riskPercent });
    if (meant?.quantity != null) {
      draft.quantity = meant.quantity;
      if (meant.words !== '') meanings.quantity = `= ${exact(meant.quantity)} ${size.base}, ${meant.words}`;
    } else if (meant) problem ??= { field: 'quantity', message: meant.problem ?? '' };
  }
  return { draft, meanings, problem };
}

function sizeFactsOf(
  state: State,
  draft: TicketDraft,
  facts: PriceFacts,
  check: TicketCheck | null,
): SizeFacts | null {
  const { exchange, symbol } = draft;
  const instrument = instrumentOf(state.instruments, draft);
  const account = state.accounts.find(({ id }) => id === exchange);
  if (!instrument || !account) return null;
  const { side } = facts;
  const { base, quote, stepSize } = instrument;
  const futures = account.kind === 'futures';
  const asset = futures || side === 'BUY' ? quote : base;
  const portfolio = state.portfolios[exchange];
  const free = portfolio?.balances?.find((one) => one.asset === asset)?.free ?? null;
  const own = [draft.price, draft.stopPrice].find((text) => read(text) !== null) ?? null;
  const stop = [draft.stopLoss, draft.stopPrice].find((text) => read(text) !== null) ?? null;
  return {
    side,
    kind: futures ? 'futures' : 'spot',
    base,
    quote,
    stepSize,
    price: own ?? facts.last,
    free: check?.availableAsset === asset && check.available !== null ? check.available : free,
    leverage: state.futures[exchange]?.leverage[symbol]?.leverage ?? 1,
    feeRate: rateOf(check),
    closes: futures ? closesOf(state, draft, side) : null,
    equity: portfolio?.total.usd ?? null,
    stop: stop === own ? null : stop,
  };
}

function rateOf(check: TicketCheck | null): string {
  const [fee, notional] = [read(check?.fee), read(check?.notional)];
  return fee === null || notional === null || notional <= ZERO ? FEE_RATE : str(div(fee, notional));
}

/** Size of the position that a reducing order is for; null: the order opens, or there is no position. */
function closesOf(state: State, draft: TicketDraft, side: 'BUY' | 'SELL'): string | null {
  const hedged = draft.positionSide !== 'BOTH' && (draft.positionSide === 'LONG') === (side === 'SELL');
  if (draft.reduceOnly !== 'yes' && !hedged) return null;
  const position = openPositions(state).find(
    (row) =>
      row.exchange === draft.exchange && row.symbol === draft.symbol && isLong(row) === (side === 'SELL'),
  );
  return position && dec(sizeOf(position)) > ZERO ? sizeOf(position) : null;
}
