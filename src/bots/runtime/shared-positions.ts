/**
 * The size of each futures position according to the received fills, and whose it is (strategies.md, R13). A
 * fill and the exchange's report of its position come in either order, so reported positions are not compared
 * with lots in between. A fill changes both the position here and the lots that it belongs to; a fill of no
 * run (a liquidation, an order by hand, one of an ended run) changes the position alone. What the runs on a
 * side then hold beyond the position was closed by others, and is taken from them in proportion.
 *
 * What fills do not show is corrected by a comparison: where the exchange has answered for the whole account
 * and no fill and no event of a position came during it, its answer counts. In memory only: after a start
 * nothing is known, and nothing is concluded, until the first comparison. Pure.
 */
import { type Dec, dec, div, minDec, mul, ZERO } from '../../domain/decimal.ts';
import type { FillRecord } from '../../domain/order.ts';
import { positionKey } from '../../domain/position.ts';
import type { EngineMemory } from '../../engine/memory.ts';
import { signedAmount } from '../../engine/positions.ts';
import type { EngineEvent } from '../../engine/step.ts';
import type { StepContext } from '../../engine/step-context.ts';
import type { PositionSide } from '../../schemas/order.ts';
import type { Lost, RunWorld } from '../run/contract.ts';
import { inProportion } from '../run/proportion.ts';
import type { BotBook } from './bot-book.ts';
import type { Bots } from './bots.ts';
import { feeInQuote } from './fee-value.ts';
import type { LiveRun } from './live-run.ts';
import { directionOf, isOneWay, positionSideOf, type SymbolUse, tradesFutures } from './symbol-users.ts';

/** What others have closed: price, fee and reason for the runs that lose a part by it. */
interface Cost {
  readonly price: Dec;
  readonly qty: Dec;
  readonly fee: Dec;
  readonly reason: Lost['reason'];
}

/** One fill of others. */
interface Foreign extends Cost {
  readonly side: FillRecord['side'];
}

interface Account {
  /** Signed sizes by position key; a missing key is flat. */
  readonly told: Map<string, Dec>;
  /** Positions of which nothing is known. */
  readonly unknown: Set<string>;
  /** A comparison has completed. */
  compared: boolean;
  /** The comparison that is under way: the exchange's answer, and the positions that have moved since. */
  answered: ReadonlyMap<string, Dec> | null;
  readonly disturbed: Set<string>;
  /** Positions to check, with the fills of others in this step. */
  readonly moved: Map<string, readonly Foreign[]>;
}

export class SharedPositions {
  readonly #book: BotBook;
  readonly #memory: EngineMemory;
  readonly #accounts = new Map<string, Account>();
  /** Runs whose stops the engine holds because others share their position. */
  readonly #shared = new WeakSet<LiveRun>();

  constructor(book: BotBook, memory: EngineMemory) {
    this.#book = book;
    this.#memory = memory;
  }

  /** Handles what an exchange has reported of its positions. */
  hear(event: EngineEvent | null): void {
    if (event?.type === 'venue.balances' && event.all) this.begins(event.exchange);
    else if (event?.type === 'compared') this.compared(event.exchange);
    else if (event?.type === 'venue.positions') {
      const symbols = event.changed.map(({ symbol }) => symbol);
      this.positions(event.exchange, symbols, event.all === true);
    }
  }

  /** Books a fill when it is first received; `own`: its run takes it into its lots now. */
  fill(record: FillRecord, own: boolean): void {
    const { exchange, symbol, posSide, side, qty, price, orderId } = record;
    const memory = this.#memory.accounts.get(exchange);
    if (!memory?.futures) return;
    const account = this.#account(exchange);
    const key = positionKey(symbol, posSide);
    const size = dec(qty);
    account.told.set(key, (account.told.get(key) ?? ZERO) + (side === 'BUY' ? size : -size));
    account.disturbed.add(key);
    const liquidation = this.#memory.orders.get(orderId)?.liquidation === true;
    const reason = liquidation ? 'liquidated' : 'closed elsewhere';
    const foreign = { side, price: dec(price), qty: size, fee: feeInQuote(memory, record), reason } as const;
    const others = account.moved.get(key) ?? [];
    account.moved.set(key, own ? others : [...others, foreign]);
  }

  /** Begins a comparison: its positions and then its fills follow. */
  begins(exchange: string): void {
    const account = this.#account(exchange);
    account.answered = null;
    account.disturbed.clear();
  }

  /** Handles reported positions; `all`: those of the whole account. */
  positions(exchange: string, symbols: readonly string[], all: boolean): void {
    const account = this.#account(exchange);
    if (!all) {
      for (const symbol of symbols)
        for (const side of ['BOTH', 'LONG', 'SHORT'] as const)
          account.disturbed.add(positionKey(symbol, side));
      return;
    }
    const positions = this.#memory.account(exchange).futures?.positions ?? new Map();
    account.answered = new Map([...positions].map(([key, position]) => [key, signedAmount(position)]));
  }

  /**
   * Handles the end of a comparison in which every question was answered: all fills from before it are known.
   * Where something moved meanwhile and nothing is known yet, another comparison is requested.
   */
  compared(exchange: string): void {
    const account = this.#account(exchange);
    const { answered, told, unknown, disturbed } = account;
    if (!answered) return;
    account.answered = null;
    for (const key of new Set([...told.keys(), ...answered.keys(), ...unknown, ...disturbed])) {
      const said = answered.get(key) ?? ZERO;
      if (!disturbed.has(key)) {
        unknown.delete(key);
        if (said === ZERO) told.delete(key);
        else told.set(key, said);
        if (!account.moved.has(key)) account.moved.set(key, []);
      } else if (!account.compared) unknown.add(key);
      if (unknown.has(key) && this.#runsOn(exchange, key).length > 0)
        this.#memory.account(exchange).wallet.versions.undecided += 1;
    }
    account.compared = true;
    for (const live of this.#book.runs.values()) if (live.parts.exchange === exchange) this.touch(live);
  }

  /** Marks a position to be checked when a run has come or gone. */
  touch(live: LiveRun): void {
    const use = interestOf(live);
    const side = this.#sideOf(use);
    if (side === null) return;
    const { moved } = this.#account(use.exchange);
    const key = positionKey(use.rules.symbol, side);
    if (!moved.has(key)) moved.set(key, []);
  }

  /** Gives the runs the effects of this step's fills. */
  review(step: StepContext, engine: Pick<Bots, 'give'>): void {
    for (const [exchange, { moved }] of this.#accounts) {
      for (const [key, fills] of [...moved]) {
        moved.delete(key);
        this.#take(step, engine, exchange, key, fills);
        for (const live of this.#runsOn(exchange, key)) {
          const shared = this.isShared(interestOf(live));
          if (shared === this.#shared.has(live)) continue;
          if (shared) this.#shared.add(live);
          else this.#shared.delete(live);
          if (live.run.state.started) engine.give(step, live, { type: 'position', lost: null });
        }
      }
    }
  }

  /** True when other runs are on the same side, or others hold a part of the position. */
  isShared(use: SymbolUse): boolean {
    const side = this.#sideOf(use);
    if (side === null) return false;
    const key = positionKey(use.rules.symbol, side);
    let own = ZERO;
    for (const live of this.#runsOn(use.exchange, key)) {
      if (live.id !== use.runId) return true;
      own = heldBy(live);
    }
    const size = this.#sizeOf(use.exchange, key);
    return (directionOf(use.settings) === 'SHORT' ? -size : size) > own;
  }

  /** Returns a run's position without what other runs hold of it; null: there is none. */
  positionOf(use: SymbolUse, position: RunWorld['position']): ReturnType<RunWorld['position']> {
    const whole = position();
    const side = this.#sideOf(use);
    if (!whole || side === null) return whole;
    const key = positionKey(use.rules.symbol, side);
    let amount = this.#sizeOf(use.exchange, key);
    for (const live of this.#runsOn(use.exchange, key))
      if (live.id !== use.runId)
        amount -= directionOf(live.run.settings) === 'SHORT' ? -heldBy(live) : heldBy(live);
    // Beyond zero, other runs hold more than there is.
    const turned = amount < ZERO !== whole.amount < ZERO;
    return amount === ZERO || turned ? null : { ...whole, amount };
  }

  /** Takes from the runs on this side what they hold beyond the position: others have closed it. */
  #take(
    step: StepContext,
    engine: Pick<Bots, 'give'>,
    exchange: string,
    key: string,
    fills: readonly Foreign[],
  ): void {
    const account = this.#account(exchange);
    if (!account.compared || account.unknown.has(key)) return;
    const holders = this.#runsOn(exchange, key).filter((live) => heldBy(live) > ZERO);
    const [first] = holders;
    if (!first) return;
    const direction = directionOf(first.run.settings);
    // Such runs are older than the rule that refuses their start: the owner of others' fills cannot be told.
    if (holders.some((live) => directionOf(live.run.settings) !== direction)) return;
    const size = account.told.get(key) ?? ZERO;
    const there = direction === 'SHORT' ? -size : size;
    const held = holders.map(heldBy);
    const sum = held.reduce((total, one) => total + one, ZERO);
    const cut = sum - (there > ZERO ? there : ZERO);
    if (cut <= ZERO) return;
    const shares = inProportion(held, cut, first.run.rules.step);
    const closing = fills.filter(({ side }) => side === (direction === 'SHORT' ? 'BUY' : 'SELL'));
    const { price, qty, fee, reason } = together(closing) ?? this.#unseen(exchange, key, first);
    // The fee is for the whole quantity that was closed, including what belonged to no run here.
    const part = (share: Dec) => (qty > ZERO ? div(mul(fee, minDec(share, qty)), qty) : ZERO);
    for (const [i, live] of holders.entries()) {
      const share = shares[i] ?? ZERO;
      if (share === ZERO) continue;
      const lost = { qty: share, price, fee: part(share), reason };
      engine.give(step, live, { type: 'position', lost });
    }
  }

  /**
   * Cost of a close that only a comparison shows, without a fill: at the last price; the reason comes from
   * the exchange's own liquidation order, if there is one.
   */
  #unseen(exchange: string, key: string, { run }: LiveRun): Cost {
    const since = Math.min(...run.lots.open.map(({ openedAt }) => openedAt));
    const liquidated = [...this.#memory.orders.values()].some(
      ({ liquidation, symbol, positionSide, orderTime, exchange: on }) =>
        liquidation && on === exchange && positionKey(symbol, positionSide) === key && orderTime >= since,
    );
    return {
      price: run.price,
      qty: ZERO,
      fee: ZERO,
      reason: liquidated ? 'liquidated' : 'closed elsewhere',
    };
  }

  /** Signed size: by the fills where they are known, else as the exchange last reported it. */
  #sizeOf(exchange: string, key: string): Dec {
    const { compared, unknown, told } = this.#account(exchange);
    if (compared && !unknown.has(key)) return told.get(key) ?? ZERO;
    const position = this.#memory.account(exchange).futures?.positions.get(key);
    return position ? signedAmount(position) : ZERO;
  }

  /** Running runs that trade this position, oldest first. */
  #runsOn(exchange: string, key: string): LiveRun[] {
    const runs: LiveRun[] = [];
    for (const live of this.#book.runs.values()) {
      if (!live.going || live.parts.exchange !== exchange) continue;
      const use = interestOf(live);
      const side = this.#sideOf(use);
      if (side !== null && positionKey(use.rules.symbol, side) === key) runs.push(live);
    }
    return runs;
  }

  #sideOf({ exchange, settings, rules }: SymbolUse): PositionSide | null {
    const futures = this.#memory.accounts.get(exchange)?.futures;
    return futures && tradesFutures({ settings, rules }) ? positionSideOf(settings, futures) : null;
  }

  #account(exchange: string): Account {
    let account = this.#accounts.get(exchange);
    if (!account) {
      account = {
        told: new Map(),
        unknown: new Set(),
        compared: false,
        answered: null,
        disturbed: new Set(),
        moved: new Map(),
      };
      this.#accounts.set(exchange, account);
    }
    return account;
  }
}

/** Combines the fills at their average price. */
function together(fills: readonly Foreign[]): Cost | null {
  const [first, ...rest] = fills;
  if (!first || rest.length === 0) return first ?? null;
  let [qty, fee, notional] = [ZERO, ZERO, ZERO];
  for (const fill of fills) {
    qty += fill.qty;
    fee += fill.fee;
    notional += mul(fill.qty, fill.price);
  }
  const isLiquidation = fills.some(({ reason }) => reason === 'liquidated');
  return { price: div(notional, qty), qty, fee, reason: isLiquidation ? 'liquidated' : first.reason };
}

function interestOf({ parts, run }: LiveRun): SymbolUse {
  return { runId: parts.runId, exchange: parts.exchange, settings: run.settings, rules: run.rules };
}

/**
 * Quantity that the run holds of the position. A twap only executes: what it has bought belongs to no run,
 * like an order by hand.
 */
function heldBy({ run }: LiveRun): Dec {
  return isOneWay(run.settings) ? ZERO : run.lots.total();
}
