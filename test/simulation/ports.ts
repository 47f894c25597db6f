/**
 * The ports of one desk in the simulation: where it can die, where its store fails. A dead desk's ports do
 * nothing and report nothing, so that code of it that still runs has no effect on the world.
 */

import { CALL_TIMEOUT_MS } from '../../src/desk/core/calls.ts';
import type { Random } from '../../src/domain/clock.ts';
import type { Lane } from '../../src/domain/lane.ts';
import type { SettingOutcome } from '../../src/domain/position.ts';
import type { Row } from '../../src/domain/rows.ts';
import type { LoadedState, PaperAccountDocuments, Store } from '../../src/store/store.ts';
import type { FuturesVenue, LedgerQuery, Venue, VenueSink } from '../../src/venues/venue.ts';
import type { Dice } from './dice.ts';
import type { CrashPoint } from './plan.ts';
import type { Life } from './sim-clock.ts';

/** What the ports report to the world, and ask of it. */
export interface PortWatcher {
  /** Called at each crash point; may end the life. */
  point(point: CrashPoint): void;
  /** SQLite's result code with which the commit that is about to end fails; null: it succeeds. */
  failure(on: 'commit' | 'paper'): number | null;
  stored(rows: readonly Row[]): void;
}

const NOTHING: LoadedState = {
  orders: [],
  fills: [],
  wireIds: [],
  splits: [],
  idempotency: [],
  keys: [],
  bots: [],
  runs: [],
  alerts: [],
  meta: new Map(),
  log: [],
};

const NO_PAPER: PaperAccountDocuments = {
  get: () => undefined,
  past: { time: 0, read: () => ({ orders: [], trades: [] }) },
};

/** `store.beforeCommit` must throw what `armed.error` says. */
export function simStore(
  store: Store,
  life: Life,
  watcher: PortWatcher,
  armed: { error: number | null },
): Store {
  const alive = <T>(value: () => T, dead: T): T => (life.alive ? value() : dead);
  return {
    load: (since) => {
      watcher.point('load');
      return alive(() => store.load(since), NOTHING);
    },
    loadPaper: () => alive(() => store.loadPaper(), new Map()),
    operators: () => alive(() => store.operators(), []),
    memory: (name) => alive(() => store.memory(name), null),
    vault: () => alive(() => store.vault(), { key: null, secrets: [] }),
    loadPaperAccount: (kind) => alive(() => store.loadPaperAccount(kind), NO_PAPER),
    commit: (rows) => {
      if (!life.alive || rows.length === 0) return;
      const on = rows.some((row) => row.kind === 'paper') ? 'paper' : 'commit';
      watcher.point(`${on}.before`);
      if (!life.alive) return;
      armed.error = watcher.failure(on);
      try {
        store.commit(rows);
      } finally {
        armed.error = null;
      }
      watcher.stored(rows);
      watcher.point(`${on}.after`);
    },
    order: (id) => alive(() => store.order(id), null),
    orderAt: (exchange, wireId) => alive(() => store.orderAt(exchange, wireId), null),
    orderEvents: (id) => alive(() => store.orderEvents(id), []),
    orderFills: (id) => alive(() => store.orderFills(id), []),
    closedOrders: (q) => alive(() => store.closedOrders(q), { orders: [], next: null }),
    trades: (q) => alive(() => store.trades(q), []),
    tradePage: (q) => alive(() => store.tradePage(q), { trades: [], next: null }),
    isInLedger: (exchange, id) => alive(() => store.isInLedger(exchange, id), false),
    ledger: (q) => alive(() => store.ledger(q), { rows: [], next: null }),
    fillsFrom: (q) => alive(() => store.fillsFrom(q), []),
    ledgerFrom: (q) => alive(() => store.ledgerFrom(q), []),
    openings: (q) => alive(() => store.openings(q), []),
    stopsPlaced: (q) => alive(() => store.stopsPlaced(q), []),
    runs: (botId, limit) => alive(() => store.runs(botId, limit), []),
    notices: (botId, limit) => alive(() => store.notices(botId, limit), []),
    candles: () => [],
    maintain: (now) => alive(() => store.maintain(now), undefined),
    close: () => {},
  };
}

export function simRandom(dice: Dice, life: Life, onId: (id: string) => void): Random {
  return {
    next: () => (life.alive ? dice.next() : 0.5),
    id: (length) => {
      if (!life.alive) return '0'.repeat(length);
      const id = dice.id(length);
      onId(id);
      return id;
    },
  };
}

/**
 * What happens to one setting on its way; `hang`: it is made, but the answer comes after the desk has given
 * up waiting.
 */
export type SettingFate = 'none' | 'loseRequest' | 'loseAnswer' | 'lateArrival' | 'hang';

export interface SettingLine {
  fate(): SettingFate;
  after(ms: number, run: () => void): void;
  delayMs(): number;
}

type Call = <T>(run: () => Promise<T>) => Promise<T>;

function simFutures(futures: FuturesVenue, call: Call, line: SettingLine): FuturesVenue {
  const unknown: SettingOutcome = { kind: 'unknown', cause: 'lost by the simulation' };
  const set = (run: () => Promise<SettingOutcome>): Promise<SettingOutcome> =>
    call(async () => {
      const fate = line.fate();
      if (fate === 'loseRequest') return unknown;
      if (fate === 'lateArrival') {
        line.after(line.delayMs(), () => void run());
        return unknown;
      }
      const outcome = await run();
      if (fate === 'loseAnswer') return unknown;
      if (fate === 'none') return outcome;
      return new Promise((resolve) => line.after(CALL_TIMEOUT_MS + 500, () => resolve(outcome)));
    });
  return {
    positions: () => call(() => futures.positions()),
    markPrice: (symbol) => futures.markPrice(symbol),
    leverage: (symbols) => call(() => futures.leverage(symbols)),
    setLeverage: (change) => set(() => futures.setLeverage(change)),
    setMarginType: (symbol, marginType) => set(() => futures.setMarginType(symbol, marginType)),
    marginMode: () => call(() => futures.marginMode()),
    setMarginMode: (mode) => set(() => futures.setMarginMode(mode)),
    hedgeMode: () => call(() => futures.hedgeMode()),
    setHedgeMode: (on) => set(() => futures.setHedgeMode(on)),
    brackets: (symbol) => futures.brackets(symbol),
  };
}

/** One desk's connection to an exchange account. */
export function simVenue(
  venue: Venue,
  life: Life,
  watcher: PortWatcher,
  line: SettingLine,
  { awake, wakes }: Waking,
  open: (sink: VenueSink) => Promise<void>,
): Venue {
  const never = new Promise<never>(() => {});
  const call = <T>(run: () => Promise<T>): Promise<T> => {
    watcher.point('call.before');
    if (!life.alive) return never;
    const outcome = run();
    watcher.point('call.after');
    // An answer to a sleeping desk is lost.
    return outcome.then((answer) => (awake() ? answer : never));
  };
  return {
    account: venue.account,
    caps: venue.caps,
    instruments: () => venue.instruments(),
    open: (sink) => open(guarded(sink, life, { awake, wakes })),
    close: async () => {},
    ...(venue.canSend
      ? { canSend: (lane: Lane, symbol: string) => venue.canSend?.(lane, symbol) ?? null }
      : {}),
    submit: (order, dispatch) => call(() => venue.submit(order, dispatch)),
    cancel: (ref, dispatch) => call(() => venue.cancel(ref, dispatch)),
    ...passedOn(venue, call),
    query: (ref) => call(() => venue.query(ref)),
    openOrders: () => call(() => venue.openOrders()),
    fills: (q) => call(() => venue.fills(q)),
    balances: () => call(() => venue.balances()),
    ...(venue.identity ? { identity: () => call(async () => (await venue.identity?.()) ?? null) } : {}),
    ...(venue.ledger
      ? { ledger: (q: LedgerQuery) => call(async () => (await venue.ledger?.(q)) ?? null) }
      : {}),
    ...(venue.futures ? { futures: simFutures(venue.futures, call, line) } : {}),
  };
}

/** Optional requests, passed on if the exchange has them. */
function passedOn(venue: Venue, call: Call): Pick<Venue, 'cancelAll' | 'amend' | 'deadMan'> {
  const { cancelAll, amend, deadMan } = venue;
  const arm = deadMan?.arm;
  return {
    ...(cancelAll
      ? { cancelAll: (symbol, dispatch) => call(() => cancelAll.call(venue, symbol, dispatch)) }
      : {}),
    ...(amend
      ? { amend: (ref, change, dispatch) => call(() => amend.call(venue, ref, change, dispatch)) }
      : {}),
    ...(arm ? { deadMan: { arm: (countdown, dispatch) => call(() => arm(countdown, dispatch)) } } : {}),
  };
}

/** The machine that a desk runs on. */
export interface Waking {
  readonly awake: () => boolean;
  /** Calls `then` back when the machine wakes up. */
  readonly wakes: (then: () => void) => void;
}

/**
 * A sink that drops messages while its machine sleeps. Whether its connection is up, it learns when it wakes
 * up.
 */
function guarded(sink: VenueSink, life: Life, { awake, wakes }: Waking): VenueSink {
  let line: 'up' | 'down' | null = null;
  let gap = false;
  let looks = false;
  const look = (): void => {
    looks = life.alive && !awake();
    if (looks) wakes(look);
    if (!awake()) return;
    const [found, missed] = [line, gap];
    line = null;
    gap = false;
    if (found) sink.stream(found);
    if (missed && found !== 'down') sink.stream('gap');
  };
  const stream: VenueSink['stream'] = (state) => {
    if (state === 'gap') gap = true;
    else line = state;
    if (!looks) look();
  };
  return {
    order: (state) => awake() && sink.order(state),
    fill: (fill) => awake() && sink.fill(fill),
    balances: (changed) => awake() && sink.balances(changed),
    positions: (changed) => awake() && sink.positions?.(changed),
    instruments: (list) => awake() && sink.instruments?.(list),
    ledger: () => awake() && sink.ledger?.(),
    stream,
  };
}
