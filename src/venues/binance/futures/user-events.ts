/**
 * Converts the events of the user stream into the words of the port. Events are absolute and carry the
 * exchange's own time, by which the desk orders them; an unreadable event leads to a comparison. An order
 * that a trigger may have made is held back for a moment, until it is known whose it is.
 */

import type { Clock } from '../../../domain/clock.ts';
import { dec, ZERO } from '../../../domain/decimal.ts';
import type { ExchangeFill } from '../../../domain/exchange.ts';
import type { Complaints } from '../../kit/complaints.ts';
import { UnreadableEvents } from '../../kit/unreadable-events.ts';
import type { VenueSink } from '../../venue.ts';
import type { AccountFacts } from './account-facts.ts';
import { BINANCE_FUTURES_CAPS } from './forms.ts';
import {
  type AlgoEvent,
  type ConfigEvent,
  type OrderEvent,
  readAccountEvent,
  readAlgoEvent,
  readConfigEvent,
  readKind,
  readOrderEvent,
} from './messages.ts';
import type { OrderNamesKept } from './order-names.ts';
import { childOf } from './order-questions.ts';
import { figure, stageOf, stateOfAlgoEvent, stateOfOrderEvent } from './order-states.ts';

/** The event of an order may come this long before that of the trigger that has made it. */
export const HELD_BACK_MS = 1_000;
/** How often it is asked whose an order is. */
const ASKED_TIMES = 5;
/** A met trigger makes its order within this time; after that it is uncertain. */
export const FIRES_WITHIN_MS = 4_000;
/** Most events held back; one more releases all. */
const HELD_BACK_MAX = 1_000;

/** Reasons of ACCOUNT_UPDATE that the fills report, or that move nothing between wallets. */
const NOT_IN_LEDGER: ReadonlySet<string> = new Set(['ORDER', 'MARGIN_TRANSFER', 'MARGIN_TYPE_CHANGE']);
/**
 * Events that are ignored: TRADE_LITE is a shorter ORDER_TRADE_UPDATE, the others belong to other products.
 */
const OF_NO_USE: ReadonlySet<string> = new Set([
  'TRADE_LITE',
  'CONDITIONAL_ORDER_TRIGGER_REJECT',
  'STRATEGY_UPDATE',
  'GRID_UPDATE',
]);
const COIN_M = 2;
/** Ids of the exchange's liquidation orders. */
const LIQUIDATION = /^autoclose-/;

export interface UserEventsOptions {
  readonly clock: Clock;
  readonly names: OrderNamesKept;
  readonly facts: AccountFacts;
  readonly complaints: Complaints;
  readonly report: (text: string) => void;
  /** Called when the key of the stream is dead. */
  readonly keyEnded: () => void;
  /**
   * Called with the number of a conditional order whose trigger is met, but whose order was not reported in
   * time.
   */
  readonly firesLate: (algoId: string) => void;
  /** Finds out which orders of a symbol were made by triggers; false: it could not be asked. */
  readonly learn: (symbol: string) => Promise<boolean>;
  /**
   * Called with the number and symbol of a conditional order that has ended in the matching engine in an
   * unknown way.
   */
  readonly endUnknown: (algoId: string, symbol: string) => void;
  /** Whether nobody here has asked for this change. */
  readonly isForeignSetting: (symbol: string | null, to: number | boolean) => boolean;
}

export class UserEvents {
  readonly #o: UserEventsOptions;
  #sink: VenueSink | null = null;
  /** Held-back events of orders that a trigger may have made, oldest first. */
  #heldBack: OrderEvent[] = [];
  readonly #unreadable: UnreadableEvents;

  constructor(options: UserEventsOptions) {
    this.#o = options;
    this.#unreadable = new UnreadableEvents({ ...options, gap: () => this.#sink?.stream('gap') });
  }

  /** Sets the listener. Null: nobody listens any more. */
  listen(sink: VenueSink | null): void {
    this.#sink = sink;
    this.#heldBack = [];
  }

  message(text: string): void {
    const kind = this.#unreadable.read('an event of the user stream', readKind(text));
    if (!kind || kind.st === COIN_M || OF_NO_USE.has(kind.e)) return;
    switch (kind.e) {
      case 'ORDER_TRADE_UPDATE': {
        const event = this.#unreadable.read(kind.e, readOrderEvent(text));
        if (event) this.#order(event);
        return;
      }
      case 'ALGO_UPDATE': {
        const event = this.#unreadable.read(kind.e, readAlgoEvent(text));
        if (event) this.#algo(event);
        return;
      }
      case 'ACCOUNT_UPDATE': {
        const event = this.#unreadable.read(kind.e, readAccountEvent(text));
        if (!event) return;
        const { T, a } = event;
        const balances = (a.B ?? []).map(({ a: asset, wb }) => ({
          asset,
          free: figure(wb),
          locked: '0',
          time: T,
        }));
        const positions = (a.P ?? []).map((row) => this.#o.facts.position(row, T));
        if (balances.length > 0) this.#sink?.balances(balances);
        if (positions.length > 0) this.#sink?.positions?.(positions);
        if (!NOT_IN_LEDGER.has(a.m)) this.#sink?.ledger?.();
        return;
      }
      case 'ACCOUNT_CONFIG_UPDATE': {
        const event = this.#unreadable.read(kind.e, readConfigEvent(text));
        if (event) this.#config(event);
        return;
      }
      case 'listenKeyExpired':
        this.#o.keyEnded();
        return;
      case 'MARGIN_CALL':
        this.#o.report('MARGIN CALL: positions may be liquidated; add margin or reduce them');
        return;
      default:
        this.#o.complaints.say('an event of an unknown kind', kind.e);
    }
  }

  #config({ ac, ai }: ConfigEvent): void {
    const { facts, report, isForeignSetting } = this.#o;
    if (ac) facts.setConfig(ac.s, { leverage: ac.l });
    if (ai) facts.multiAssets = ai.j;
    if (ai?.j) report('multi-assets mode is on: nothing new is opened until margin mode 1 is set');
    const isOurs = !(ac && isForeignSetting(ac.s, ac.l)) && !(ai && isForeignSetting(null, ai.j));
    // The port has no event for this: a comparison asks how the account trades.
    if (!isOurs || (!ac && !ai)) this.#sink?.stream('gap');
  }

  #order(event: OrderEvent): void {
    const { names, clock } = this.#o;
    const { s: symbol, i, c, S: side } = event.o;
    const isStrange =
      names.known(symbol, String(i)) === null &&
      !c.startsWith(`${BINANCE_FUTURES_CAPS.idPrefix}-`) &&
      !LIQUIDATION.test(c);
    const waits = this.#heldBack.some(({ o }) => o.s === symbol && o.i === i);
    if (!waits && !(isStrange && names.mayBeChild(symbol, side))) {
      this.#tellOrder(event);
      return;
    }
    this.#heldBack.push(event);
    if (this.#heldBack.length > HELD_BACK_MAX) this.#letGo(() => true);
    // All events of one order are released together, in their order.
    else if (!waits) clock.after(HELD_BACK_MS, () => void this.#findOut(symbol, i, 1));
  }

  /** Asks whose a held-back order is; if that cannot be learnt, a comparison finds all of it. */
  async #findOut(symbol: string, i: OrderEvent['o']['i'], tries: number): Promise<void> {
    const isOf = ({ o }: OrderEvent) => o.s === symbol && o.i === i;
    if (!this.#heldBack.some(isOf)) return;
    const isKnown = await this.#o.learn(symbol);
    if (isKnown) this.#letGo(isOf);
    else if (tries < ASKED_TIMES)
      this.#o.clock.after(HELD_BACK_MS, () => void this.#findOut(symbol, i, tries + 1));
    else {
      this.#heldBack = this.#heldBack.filter((one) => !isOf(one));
      this.#sink?.stream('gap');
    }
  }

  #letGo(which: (event: OrderEvent) => boolean): void {
    const gone = this.#heldBack.filter(which);
    if (gone.length === 0) return;
    this.#heldBack = this.#heldBack.filter((one) => !gone.includes(one));
    for (const event of gone) this.#tellOrder(event);
  }

  #tellOrder(event: OrderEvent): void {
    const { names, facts } = this.#o;
    const { o } = event;
    const orderId = String(o.i);
    const known = names.order(o.s, orderId, o.c);
    const state = stateOfOrderEvent(event, known, names.isChild(o.s, orderId));
    const fill = fillOf(event, known.clientId);
    if (!state) {
      this.#unreadable.say('ORDER_TRADE_UPDATE', `type ${o.o}, status ${o.X}`);
      return;
    }
    // The execution marks an order of the exchange as a liquidation, so it goes first.
    if (fill?.liquidation) this.#sink?.fill(fill);
    this.#sink?.order(state);
    if (fill && !fill.liquidation) this.#sink?.fill(fill);
    if (fill?.rPnl) facts.realized(o.s, fill.posSide, fill.rPnl);
  }

  #algo(event: AlgoEvent): void {
    const { names } = this.#o;
    const { o } = event;
    const algoId = String(o.aid);
    const child = childOf(o.ai);
    const stage = stageOf(o.X);
    const known = names.algo(o.s, algoId, o.caid, child);
    const state = stateOfAlgoEvent(event, known);
    if (!state || !stage) {
      this.#unreadable.say('ALGO_UPDATE', `type ${o.o}, status ${o.X}`);
      return;
    }
    const waits = stage === 'waiting' || stage === 'firing';
    names.waits(algoId, { symbol: o.s, side: o.S }, waits);
    if (stage === 'firing') this.firesStill(algoId);
    this.#sink?.order(state);
    if (o.X === 'FINISHED' && state.status === 'WORKING') this.#o.endUnknown(algoId, o.s);
    // Its order is known now, or there is none: nothing needs to be held back for it.
    if (!waits) this.#letGo(({ o: held }) => held.s === o.s && (child === null || String(held.i) === child));
  }

  /** Notes that a trigger is met: if nothing comes of it, it is asked about after a while. */
  firesStill(algoId: string): void {
    const { names, clock, firesLate } = this.#o;
    clock.after(FIRES_WITHIN_MS, () => {
      if (this.#sink && names.stillWaits(algoId)) firesLate(algoId);
    });
  }
}

/** The fill of an event. Null: it has none. */
function fillOf({ T, o }: OrderEvent, clientId: string): ExchangeFill | null {
  const isExecution = o.x === 'TRADE' || o.x === 'CALCULATED';
  const qty = figure(o.l);
  if (!isExecution || o.t === undefined || String(o.t) === '0' || dec(qty) === ZERO) return null;
  return {
    tradeId: String(o.t),
    clientId,
    venueId: String(o.i),
    symbol: o.s,
    side: o.S,
    price: figure(o.L),
    qty,
    comm: figure(o.n),
    commAsset: o.N ?? '',
    maker: o.m === true,
    rPnl: figure(o.rp),
    posSide: o.ps ?? 'BOTH',
    time: o.T ?? T,
    ...(LIQUIDATION.test(o.c) ? { liquidation: true } : {}),
  };
}
