/**
 * Asks both families what has become of orders. Until its trigger a conditional order is asked for by its own
 * number, then by that of the order that the trigger has made. Both are one order.
 */
import { dec, ZERO } from '../../../domain/decimal.ts';
import type { ExchangeFill, ExchangeOrderState, QueryOutcome } from '../../../domain/exchange.ts';
import { numbersOf } from '../../kit/algo-names.ts';
import type { CallTerms } from '../../kit/caller.ts';
import type { Complaints } from '../../kit/complaints.ts';
import type { OrderRef } from '../../venue.ts';
import { BINANCE_FUTURES_CAPS } from './forms.ts';
import { fillOfTrade } from './futures-fills.ts';
import {
  type AlgoOrder,
  type FuturesOrder,
  readAlgo,
  readAlgoLinks,
  readAlgos,
  readOrder,
  readOrders,
  readTrades,
} from './messages.ts';
import type { Names, OrderNamesKept } from './order-names.ts';
import { stageOf, stateOfAlgo, stateOfOrder } from './order-states.ts';
import type { Asked, Questions } from './questions.ts';
import { FUTURES } from './requests.ts';

/** Most rows of one answer. */
const ROWS = 1_000;

export interface OrderQuestionsOptions {
  readonly questions: Questions;
  readonly names: OrderNamesKept;
  readonly complaints: Complaints;
}

export class OrderQuestions {
  readonly #o: OrderQuestionsOptions;

  constructor(options: OrderQuestionsOptions) {
    this.#o = options;
  }

  async query({ clientId, symbol, venueIds }: OrderRef): Promise<QueryOutcome> {
    const { algoId, orderId } = numbersOf(venueIds);
    if (algoId !== undefined) return this.#algo({ algoId });
    if (orderId !== undefined) return this.#order(symbol, { orderId });
    const ours = () => this.#order(symbol, { origClientOrderId: clientId });
    const waiting = () => this.#algo({ clientAlgoId: clientId });
    const [first, second] = this.#o.names.wasAlgo(clientId) ? [waiting, ours] : [ours, waiting];
    const outcome = await first();
    // The order that its trigger has made may have the same id: then the conditional order knows more.
    return outcome.kind === 'absent' ? second() : outcome;
  }

  /** Returns the open orders of both families; null: a request failed. */
  async open(): Promise<ExchangeOrderState[] | null> {
    const { questions } = this.#o;
    // Conditional orders first: an order triggered between the two requests is then in both lists; the other
    // way round it could be in neither.
    const algos = await questions.value(FUTURES.openAlgoOrders, {}, readAlgos);
    const orders = algos && (await questions.value(FUTURES.openOrders, {}, readOrders));
    if (!algos || !orders) return null;
    const made = this.#matched(algos, orders);
    if (!(await this.#learnStrange(orders))) return null;
    const states: (ExchangeOrderState | null)[] = [];
    for (const algo of algos) if (!made.has(String(algo.algoId))) states.push(this.stateOfAlgo(algo));
    for (const order of orders) states.push(this.stateOf(order));
    if (states.includes(null)) {
      this.#o.complaints.say('open orders', 'one of them is of a kind that is not known');
      return null;
    }
    return states as ExchangeOrderState[];
  }

  /** Converts an answer into an order's state. Null: it has words that are not known here. */
  stateOf(order: FuturesOrder): ExchangeOrderState | null {
    const { names } = this.#o;
    const { symbol, clientOrderId } = order;
    const orderId = String(order.orderId);
    return stateOfOrder(order, names.order(symbol, orderId, clientOrderId), names.isChild(symbol, orderId));
  }

  stateOfAlgo(algo: AlgoOrder): ExchangeOrderState | null {
    return stateOfAlgo(algo, this.namesOfAlgo(algo));
  }

  namesOfAlgo({ symbol, side, algoId, clientAlgoId, actualOrderId, algoStatus }: AlgoOrder): Names {
    const { names } = this.#o;
    const id = String(algoId);
    const stage = stageOf(algoStatus);
    names.waits(id, { symbol, side }, stage === 'waiting' || stage === 'firing');
    return names.algo(symbol, id, clientAlgoId, childOf(actualOrderId));
  }

  async algo(which: Which, terms?: CallTerms): Promise<Asked<AlgoOrder>> {
    return this.#o.questions.ask(FUTURES.algoOrder, which, readAlgo, terms);
  }

  async order(symbol: string, which: Which): Promise<Asked<FuturesOrder>> {
    return this.#o.questions.ask(FUTURES.order, { symbol, ...which }, readOrder);
  }

  /** Learns which orders of a symbol were made by triggers. False: it could not be asked. */
  async learn(symbol: string): Promise<boolean> {
    const { questions, names } = this.#o;
    const all = await questions.value(FUTURES.allAlgoOrders, { symbol, limit: String(ROWS) }, readAlgoLinks);
    if (!all) return false;
    for (const { algoId, clientAlgoId, actualOrderId } of all) {
      const child = childOf(actualOrderId);
      if (child !== null) names.algo(symbol, String(algoId), clientAlgoId, child);
    }
    return true;
  }

  async #order(symbol: string, which: Which): Promise<QueryOutcome> {
    const asked = await this.order(symbol, which);
    if (asked.kind !== 'found') return asked.kind === 'absent' ? asked : unknown(asked.cause);
    return this.#found(this.stateOf(asked.value), asked.value);
  }

  async #algo(which: Which): Promise<QueryOutcome> {
    const asked = await this.algo(which);
    if (asked.kind !== 'found') return asked.kind === 'absent' ? asked : unknown(asked.cause);
    const algo = asked.value;
    const own = this.stateOfAlgo(algo);
    const child = childOf(algo.actualOrderId);
    if (!own || child === null) return this.#found(own, null);
    const made = await this.order(algo.symbol, { orderId: child });
    if (made.kind === 'failed') return unknown(made.cause);
    // The exchange forgets it three days after a cancel without an execution; the conditional order shows
    // what it was.
    if (made.kind === 'absent') {
      // Its end would be shown: this answer is from before the trigger, given by a replica that lags.
      if (algo.algoStatus !== 'FINISHED' && own.status === 'WORKING')
        return unknown('the order that its trigger has made is not listed yet');
      // An order with executions is kept for 90 days; nothing more can be known of one without a quantity of
      // its own.
      const end = own.status === 'WORKING' ? { ...own, status: 'FILLED' as const } : own;
      return this.#found(end, { symbol: algo.symbol, orderId: child, executedQty: own.cumQty });
    }
    const state = this.stateOf(made.value);
    return this.#found(state && own.terms ? { ...state, terms: own.terms } : state, made.value);
  }

  /** Returns an order's state with its fills, if it has any. */
  async #found(
    state: ExchangeOrderState | null,
    order: Pick<FuturesOrder, 'symbol' | 'orderId' | 'executedQty'> | null,
  ): Promise<QueryOutcome> {
    if (!state) return unknown('the exchange says of it what is not known here');
    if (!order || dec(order.executedQty) === ZERO) return { kind: 'found', state, fills: [] };
    const { symbol } = order;
    const orderId = String(order.orderId);
    const trades = await this.#o.questions.value(
      FUTURES.trades,
      { symbol, orderId, limit: String(ROWS) },
      readTrades,
    );
    if (!trades) return unknown('its executions could not be read');
    const fills: ExchangeFill[] = trades
      .filter((trade) => String(trade.orderId) === orderId)
      .map((trade) => fillOfTrade(trade, state.clientId));
    return { kind: 'found', state, fills };
  }

  /**
   * Finds conditional orders triggered between the two requests: the order that the trigger has made
   * represents both.
   */
  #matched(algos: readonly AlgoOrder[], orders: readonly FuturesOrder[]): Set<string> {
    const { names } = this.#o;
    const made = new Set<string>();
    const waiting = new Map(algos.map((algo) => [`${algo.symbol} ${algo.clientAlgoId}`, algo]));
    for (const { symbol, orderId, clientOrderId } of orders) {
      const algo = waiting.get(`${symbol} ${clientOrderId}`);
      // The conditional order and this one may have the same id, as in a live log (NT#3287).
      if (algo) names.algo(symbol, String(algo.algoId), algo.clientAlgoId, String(orderId));
      const [first = ''] = names.known(symbol, String(orderId))?.venueIds ?? [];
      if (names.isChild(symbol, String(orderId))) made.add(first.slice(1));
    }
    return made;
  }

  /** Asks about unknown orders, which triggers may have made unheard. False: it could not be asked. */
  async #learnStrange(orders: readonly FuturesOrder[]): Promise<boolean> {
    const { names } = this.#o;
    const strange = orders.filter(
      ({ symbol, orderId, clientOrderId }) =>
        !names.known(symbol, String(orderId)) &&
        !clientOrderId.startsWith(`${BINANCE_FUTURES_CAPS.idPrefix}-`),
    );
    for (const symbol of new Set(strange.map((order) => order.symbol)))
      if (!(await this.learn(symbol))) return false;
    return true;
  }
}

type Which = Readonly<Record<string, string>>;

export function childOf(id: string | number | null | undefined): string | null {
  return id === undefined || id === null || id === '' || String(id) === '0' ? null : String(id);
}

function unknown(cause: string): QueryOutcome {
  return { kind: 'unknown', cause };
}
