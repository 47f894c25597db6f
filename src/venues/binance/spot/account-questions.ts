/**
 * Read requests of a spot account: each answer is whole and readable, or the request has failed and proves
 * nothing.
 */
import { dec, maxDec, str } from '../../../domain/decimal.ts';
import type {
  ExchangeBalance,
  ExchangeFill,
  ExchangeOrderState,
  FeeRates,
  QueryOutcome,
} from '../../../domain/exchange.ts';
import type { Permissions } from '../../../domain/permissions.ts';
import type { Caller, CallResult, CallTerms, Parameters } from '../../kit/caller.ts';
import type { Complaints } from '../../kit/complaints.ts';
import type { Message } from '../../kit/messages.ts';
import type { RequestForm } from '../../kit/requests.ts';
import type { FillsPage, FillsQuery, OrderRef } from '../../venue.ts';
import { errorOf } from '../dialect.ts';
import { troubleOf } from '../trouble.ts';
import { SPOT_CODES } from './codes.ts';
import {
  type AccountTrade,
  readAccount,
  readCommission,
  readOpenOrders,
  readQueried,
  readRestrictions,
  readTrades,
} from './messages.ts';
import { fillOfTrade, plain, stateOfQueried } from './order-states.ts';
import { SPOT } from './requests.ts';

export interface SpotQuestionsOptions {
  readonly caller: Caller;
  readonly complaints: Complaints;
  /** The exchange's time, Unix ms. */
  readonly now: () => number;
}

/** The state of an account when it answered. */
export interface SpotAccountFacts {
  /** The account's number; null: not given. */
  readonly uid: string | null;
  readonly balances: readonly ExchangeBalance[];
}

/** Most executions in one answer. */
const PAGE = 1_000;
/** Longest time from `startTime` to `endTime`. */
const WINDOW_MS = 24 * 3_600_000;

export class SpotQuestions {
  readonly #o: SpotQuestionsOptions;

  constructor(options: SpotQuestionsOptions) {
    this.#o = options;
  }

  async account(): Promise<Message<SpotAccountFacts>> {
    const told = await this.#ask(SPOT.account, { omitZeroBalances: 'true' }, readAccount);
    if (!told.ok) return told;
    const { updateTime, balances, uid } = told.value;
    // Zero: the balances have never changed.
    const time = updateTime > 0 ? { time: updateTime } : {};
    return {
      ok: true,
      value: {
        uid: uid === undefined ? null : String(uid),
        balances: balances.map(({ asset, free, locked }) => ({
          asset,
          free: plain(free),
          locked: plain(locked),
          ...time,
        })),
      },
    };
  }

  async open(): Promise<readonly ExchangeOrderState[] | null> {
    const told = await this.#ask(SPOT.openOrders, {}, readOpenOrders);
    if (!told.ok) return null;
    const states = told.value.map(stateOfQueried);
    if (states.every((state) => state !== null)) return states;
    this.#o.complaints.say(SPOT.openOrders.name, 'a status that is not known');
    return null;
  }

  /** Returns an order's state without its fills. */
  async order(ref: OrderRef, terms?: CallTerms): Promise<QueryOutcome> {
    const { caller, complaints } = this.#o;
    const read = (called: CallResult): QueryOutcome => {
      if (called.kind !== 'answer') return { kind: 'unknown', cause: called.cause };
      const error = errorOf(called.text);
      if (error) {
        const meaning = SPOT_CODES.meaning('query', error);
        if (meaning.kind === 'absent') return { kind: 'absent' };
        return { kind: 'unknown', cause: troubleOf(called) };
      }
      if (called.status !== 200) return { kind: 'unknown', cause: troubleOf(called) };
      const told = readQueried(called.text);
      const state = told.ok ? stateOfQueried(told.value) : null;
      if (state) return { kind: 'found', state, fills: [] };
      const cause = told.ok ? `its status ${told.value.status} is not known` : told.problem;
      complaints.say(SPOT.order.name, cause);
      return { kind: 'unknown', cause };
    };
    const outcome = await caller.ask(SPOT.order, whichOf(ref), read, terms);
    return outcome ?? { kind: 'unknown', cause: 'the question had no turn' };
  }

  async query(ref: OrderRef): Promise<QueryOutcome> {
    const found = await this.order(ref);
    if (found.kind !== 'found' || dec(found.state.cumQty) === 0n) return found;
    const { state } = found;
    const [orderId = ''] = state.venueIds ?? [];
    const fills: ExchangeFill[] = [];
    // Only a huge order has more executions than one answer: then the page by symbol gives the rest.
    const trades = await this.#trades({ symbol: state.symbol, orderId, limit: String(PAGE) });
    if (!trades) return { kind: 'unknown', cause: 'its executions could not be read' };
    for (const trade of trades) fills.push(fillOfTrade(trade, state.clientId));
    return { kind: 'found', state, fills };
  }

  /**
   * Returns the next page of fills. Cursors: the number of the newest fill returned, or `t` and a time before
   * which there is none.
   */
  async page({ symbol, after, since }: FillsQuery): Promise<FillsPage | null> {
    if (after !== null && /^\d+$/.test(after)) {
      const trades = await this.#trades({ symbol, fromId: String(BigInt(after) + 1n), limit: String(PAGE) });
      return trades && pageOf(trades, after);
    }
    const from = after !== null && /^t\d+$/.test(after) ? Number(after.slice(1)) : null;
    if (from === null) {
      // The newest ones, nearly always all since then.
      const trades = await this.#trades({ symbol, limit: String(PAGE) });
      if (!trades) return null;
      const [oldest] = trades;
      const isAll = trades.length < PAGE || (oldest !== undefined && oldest.time < since);
      if (isAll)
        return {
          ...pageOf(
            trades.filter(({ time }) => time >= since),
            null,
          ),
          more: false,
        };
      return { fills: [], next: `t${since}`, more: true };
    }
    const until = from + WINDOW_MS - 1;
    const startTime = String(from);
    const trades = await this.#trades({ symbol, startTime, endTime: String(until), limit: String(PAGE) });
    if (!trades) return null;
    if (trades.length > 0) return { ...pageOf(trades, null), more: true };
    const now = this.#o.now();
    return { fills: [], next: `t${Math.min(until, now)}`, more: until < now };
  }

  async fees(symbol: string): Promise<FeeRates | null> {
    const told = await this.#ask(SPOT.commission, { symbol }, readCommission);
    if (!told.ok) return null;
    const { standardCommission, specialCommission, taxCommission } = told.value;
    const all = [standardCommission, specialCommission, taxCommission].filter((one) => one !== undefined);
    const sum = (kind: 'maker' | 'taker') =>
      str(all.reduce((total, one) => total + dec(one[kind]) + maxDec(dec(one.buyer), dec(one.seller)), 0n));
    return { maker: sum('maker'), taker: sum('taker') };
  }

  async permissions(): Promise<Permissions | null> {
    const told = await this.#ask(SPOT.restrictions, {}, readRestrictions);
    if (!told.ok) return null;
    const { value } = told;
    const expiresAt = value.tradingAuthorityExpirationTime ?? 0;
    return {
      trade: value.enableSpotAndMarginTrading,
      withdraw: value.enableWithdrawals,
      transfer: value.enableInternalTransfer === true || value.permitsUniversalTransfer === true,
      // The exchange says that addresses are set, but not which.
      addresses: value.ipRestrict ? ['those that Binance keeps'] : [],
      expiresAt: expiresAt > 0 ? expiresAt : null,
    };
  }

  async #trades(parameters: Parameters): Promise<AccountTrade[] | null> {
    const told = await this.#ask(SPOT.trades, parameters, readTrades);
    if (!told.ok) return null;
    return told.value.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  }

  async #ask<T>(
    form: RequestForm,
    parameters: Parameters,
    read: (text: string) => Message<T>,
  ): Promise<Message<T>> {
    const { caller, complaints } = this.#o;
    const answered = (called: CallResult): Message<T> => {
      if (called.kind !== 'answer' || called.status !== 200) return { ok: false, problem: troubleOf(called) };
      const message = read(called.text);
      if (!message.ok) complaints.say(form.name, message.problem);
      return message;
    };
    const told = await caller.ask(form, parameters, answered);
    return told ?? { ok: false, problem: 'the question had no turn within what the exchange lets be sent' };
  }
}

/**
 * Names an order by the exchange's number if it is known: our id may have belonged to another order before.
 */
export function whichOf({ symbol, clientId, venueIds = [] }: OrderRef): Parameters {
  const [orderId] = venueIds;
  return orderId === undefined ? { symbol, origClientOrderId: clientId } : { symbol, orderId };
}

function pageOf(trades: readonly AccountTrade[], after: string | null): FillsPage {
  const last = trades.at(-1);
  return {
    fills: trades.map((trade) => fillOfTrade(trade)),
    next: last ? String(last.id) : after,
    more: trades.length >= PAGE,
  };
}
