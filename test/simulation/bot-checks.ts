/**
 * Invariants of bots: reservations at every moment; runs, their orders and their books once all is quiet (4,
 * 8, 11).
 */

import { encodeState } from '../../src/bots/run/codec.ts';
import type { LiveRun } from '../../src/bots/runtime/live-run.ts';
import { isOneWay } from '../../src/bots/runtime/symbol-users.ts';
import type { BotRecord, RunRecord } from '../../src/domain/bot.ts';
import { type Dec, dec, mul, str, toNumber, ZERO } from '../../src/domain/decimal.ts';
import { type OrderRecord, TERMINAL } from '../../src/domain/order.ts';
import type { OrderCommand } from '../../src/engine/step.ts';
import { mayStay } from './bot-clients.ts';
import { type KnownRun, runIdOf } from './bot-watch.ts';
import type { Stored, Violate } from './checks.ts';
import type { Rough } from './rough/open-rough.ts';
import type { SimDesk } from './sim-desk.ts';
import { strike } from './sim-faults.ts';
import { TARGET } from './sim-target.ts';
import type { World } from './world.ts';

/** Shown reservations have eight decimals. */
const ROUNDING = dec('0.00000001');

/** Checks that hold at every moment of a running desk. */
export function checkBotMemory(desk: SimDesk, violate: Violate): void {
  const { bots, engine } = desk.core;
  if (!bots) return;
  const sums = new Map<string, { shown: Dec; excess: Dec }>();
  const live = new Map<string, string>();
  for (const run of bots.book.runs.values()) {
    if (!run.going && run.reservations.size > 0) violate(4, `run ${run.id} has ended and still reserves`);
    for (const [asset, { shown, excess }] of run.reservations) {
      if (shown < ZERO || excess < ZERO || excess > shown + ROUNDING)
        violate(4, `run ${run.id} reserves ${str(shown)} ${asset}, ${str(excess)} of it free`);
      const key = `${engine.memory.account(run.parts.exchange).wallet.name} ${asset}`;
      const sum = sums.get(key) ?? { shown: ZERO, excess: ZERO };
      sums.set(key, { shown: sum.shown + shown, excess: sum.excess + excess });
    }
    const { oversold } = run.run.lots.state;
    if (oversold > mostOversold(run))
      violate(8, `run ${run.id} has sold ${str(oversold)} more than its own lots`);
    if (!run.going) continue;
    const { botId } = run.parts;
    if (live.has(botId)) violate(8, `${botId} has the runs ${live.get(botId)} and ${run.id}`);
    live.set(botId, run.id);
    if (bots.book.bots.get(botId)?.runId !== run.id)
      violate(8, `run ${run.id} goes on without its bot ${botId}`);
  }
  for (const bot of bots.book.bots.values())
    if (bot.runId !== null && live.get(bot.id) !== bot.runId)
      violate(8, `bot ${bot.id} has the run ${bot.runId}, which does not go on`);
  for (const [id, account] of engine.memory.accounts) {
    for (const asset of new Set([
      ...account.wallet.reserved.keys(),
      ...assetsOf(sums, account.wallet.name),
    ])) {
      const booked = account.wallet.reserved.get(asset) ?? { shown: ZERO, excess: ZERO };
      const made = sums.get(`${account.wallet.name} ${asset}`) ?? { shown: ZERO, excess: ZERO };
      if (booked.shown !== made.shown || booked.excess !== made.excess)
        violate(
          4,
          `${asset} of ${id}: ${str(booked.shown)} are locked by bots, their runs keep ${str(made.shown)}`,
        );
    }
  }
}

/**
 * The most that the exits of a run may have sold beyond its own lots, on futures only: what others had closed
 * of these lots while the exits still had their old size. Nobody replaces or cancels the exits that a stop
 * has left at the exchange.
 */
function mostOversold({ run }: LiveRun): Dec {
  const { lots, stopping } = run.state;
  if (run.rules.kind === 'spot') return ZERO;
  const left = stopping !== null && !stopping.sell && stopping.cleanup !== 'cancelAllOrders';
  return left ? lots.oversold : lots.lost;
}

function assetsOf(sums: ReadonlyMap<string, unknown>, account: string): string[] {
  return [...sums.keys()].flatMap((key) =>
    key.startsWith(`${account} `) ? [key.slice(account.length + 1)] : [],
  );
}

/** The part of a world that these checks need, whatever exchange it has. */
type BotWorld = Pick<World, 'violate' | 'db' | 'botWatch' | 'bots' | 'strikes'> & {
  readonly roughs: ReadonlyMap<string, Pick<Rough, 'exchange'>>;
};

/** Checks that hold after faults have healed and time has passed. */
export function checkBots(world: BotWorld, desk: SimDesk, stored: Stored): void {
  const { violate } = world;
  const { bots } = desk.core;
  if (!bots) return;
  checkBotMemory(desk, violate);
  const docs = <T>(sql: string) =>
    (world.db.prepare(sql).all() as { doc: string }[]).map(({ doc }) => JSON.parse(doc) as T);
  const records = new Map(docs<RunRecord>('SELECT doc FROM runs').map((run) => [run.runId, run]));
  checkBotsAreStored(desk, docs<BotRecord>('SELECT doc FROM bots'), records, violate);
  checkWallets(desk, violate);
  checkPositions(desk, violate);
  checkDeliveries(world, violate);
  const byRun = new Map<string, OrderRecord[]>();
  for (const order of stored.orders.values()) {
    if (order.creator !== 'BOT') continue;
    const runId = runIdOf(order.id);
    byRun.set(runId, [...(byRun.get(runId) ?? []), order]);
  }
  for (const run of world.botWatch.runs.values()) {
    const orders = byRun.get(run.runId) ?? [];
    const live = bots.book.runs.get(run.runId);
    checkCleanUp(world, run, orders, violate);
    checkLost(world, run, live);
    if (live) checkOrders(live, orders, violate);
    // A deleted bot has no books any more.
    const record = records.get(run.runId);
    if (record) checkBooks(record, live, orders, stored, violate);
    if (live) checkFees(world, live, orders, stored);
    if (live && live.run.lots.state.lost > ZERO) strike(world.strikes, 'run has lost to others');
    if (live) checkAtRest(live, desk, violate);
  }
}

/**
 * Invariant 3: the position covers what the runs on one side hold. What others have closed was taken from the
 * runs once everything is reported. A twap only executes: no run owns what it has bought, so it may be closed
 * without the run.
 */
function checkPositions(desk: SimDesk, violate: Violate): void {
  const held = new Map<string, Dec>();
  for (const { run, parts, going } of desk.core.bots?.book.runs.values() ?? []) {
    const { settings, rules, lots } = run;
    const executes = isOneWay(settings);
    if (!going || rules.kind !== 'futures' || executes) continue;
    const { futures } = desk.core.engine.memory.account(parts.exchange);
    const direction = settings.short ? 'SHORT' : 'LONG';
    const key = `${parts.exchange} ${rules.symbol} ${futures?.hedge ? direction : 'BOTH'} ${direction}`;
    held.set(key, (held.get(key) ?? ZERO) + lots.total());
  }
  for (const [key, sum] of held) {
    const [exchange = '', symbol = '', side = '', direction] = key.split(' ');
    const position = desk.core.engine.memory.account(exchange).futures?.positions.get(`${symbol} ${side}`);
    const amount = dec(position?.amount ?? '0');
    const there = side === 'BOTH' && direction === 'SHORT' ? -amount : amount;
    if (sum > ZERO && sum > there)
      violate(3, `the runs hold ${str(sum)} of ${key}, of which there are ${str(there)}`);
  }
}

/**
 * Checks deliveries: each alert for the receiver has reached it at least once or was recorded as given up; no
 * other alert has.
 */
function checkDeliveries({ botWatch }: BotWorld, violate: Violate): void {
  const { alerts, taken } = botWatch;
  for (const { id, deliveries } of alerts.values()) {
    const delivery = deliveries.find(({ target }) => target === TARGET);
    if (!delivery && taken.has(id))
      violate(0, `alert ${id} was sent to ${TARGET}, which it was not meant for`);
    if (delivery?.state === 'waiting')
      violate(11, `alert ${id} still waits for ${TARGET}: ${delivery.error}`);
    if (delivery?.state === 'done' && !taken.has(id)) violate(0, `alert ${id} is done and was never taken`);
    if (delivery?.state === 'failed' && delivery.error === null)
      violate(0, `alert ${id} failed without a word`);
  }
}

/** Invariant 1: memory equals what a start would load. */
function checkBotsAreStored(
  desk: SimDesk,
  bots: readonly BotRecord[],
  runs: ReadonlyMap<string, RunRecord>,
  violate: Violate,
): void {
  const { book } = desk.core.bots ?? {};
  const here = [...(book?.bots.values() ?? [])].map((bot) => JSON.stringify(bot)).sort();
  const there = bots.map((bot) => JSON.stringify(bot)).sort();
  const at = here.findIndex((text, i) => text !== there[i]);
  if (at >= 0 || here.length !== there.length) violate(1, `bot in memory ${here[at]}, stored ${there[at]}`);
  for (const live of book?.runs.values() ?? []) {
    const record = runs.get(live.id);
    const state = encodeState(live.run.state);
    if (record?.state !== state) violate(1, `run ${live.id} in memory ${state}, stored ${record?.state}`);
  }
  for (const record of runs.values())
    if (record.state !== '' && !book?.runs.has(record.runId))
      violate(1, `run ${record.runId} is stored with a state and is not in memory`);
}

/**
 * Invariant 4: the runs' reservations fit into the wallet, and the part that backs no resting order is free.
 * A loss of a futures account is a loss of its bots, too; and a MARKET order that the market has moved away
 * from may cost more than its run had, which the other runs then lack.
 */
function checkWallets(desk: SimDesk, violate: Violate): void {
  const overspent = new Map<string, Dec>();
  for (const { going, parts, run } of desk.core.bots?.book.runs.values() ?? []) {
    const { deposit } = run.settings;
    const more = run.lots.spent() - run.state.budget;
    if (!going || !deposit || more <= ZERO) continue;
    const key = `${parts.exchange} ${deposit.asset}`;
    overspent.set(key, (overspent.get(key) ?? ZERO) + more);
  }
  for (const {
    account,
    wallet: { balances, reserved },
  } of desk.core.engine.memory.accounts.values()) {
    // Money that others take out of the wallet is taken from its bots, too.
    if (account.kind === 'futures' || !account.id.startsWith('paper-')) continue;
    for (const [asset, { shown, excess }] of reserved) {
      const balance = balances.get(asset) ?? { free: ZERO, locked: ZERO };
      const wallet = balance.free + balance.locked;
      const missing = overspent.get(`${account.id} ${asset}`) ?? ZERO;
      if (shown > wallet + missing)
        violate(4, `${str(shown)} ${asset} are locked by bots, the wallet has ${str(wallet)}`);
      if (excess > balance.free + missing)
        violate(4, `${str(excess)} ${asset} are kept for bots, ${str(balance.free)} are free`);
    }
  }
}

/** Invariant 8: an order of an ended run rests only where the stop allowed it. */
function checkCleanUp(
  world: BotWorld,
  run: KnownRun,
  orders: readonly OrderRecord[],
  violate: Violate,
): void {
  if (run.endedAt === null) return;
  const asked = world.bots?.asked.get(run.runId) ?? [];
  for (const order of orders) {
    if (TERMINAL.has(order.status)) continue;
    const enters = (order.side === 'SELL') === isShort(run);
    const stays = run.reason === 'operator' && mayStay(asked, enters ? 'entry' : 'exit');
    if (!stays)
      violate(
        8,
        `run ${run.runId} (${run.type}) has ended, ${run.reason}, and its ${order.id} is ${order.status}`,
      );
  }
}

/** Invariant 8: a run ends because of others only when they have left it nothing (R13). */
function checkLost(
  { strikes, violate }: BotWorld,
  { runId, reason }: KnownRun,
  live: LiveRun | undefined,
): void {
  if (reason !== 'liquidated' && reason !== 'closed elsewhere') return;
  strike(strikes, `run ended, ${reason}`);
  const held = live?.run.lots.total() ?? ZERO;
  if (held > ZERO) violate(8, `run ${runId} has ended, ${reason}, and holds ${str(held)}`);
}

function isShort({ settings }: KnownRun): boolean {
  if (settings.algo === 'twap') return false;
  if (settings.algo === 'tpsl') return settings.side === 'BUY';
  return settings.short === true || settings.side === 'SELL';
}

/** Invariant 8: the orders that a run believes to be at the exchange are there, none twice, and no others. */
function checkOrders(live: LiveRun, orders: readonly OrderRecord[], violate: Violate): void {
  const open = new Map(
    orders.filter(({ status }) => !TERMINAL.has(status)).map((order) => [order.id, order]),
  );
  for (const { key, executed } of live.run.slots.orders()) {
    const id = live.ids.get(key) ?? '';
    const order = open.get(id);
    if (!order) violate(8, `run ${live.id} believes in its order ${key} (${id}), which is not open`);
    else if (dec(order.executedQty) !== executed)
      violate(
        8,
        `run ${live.id} counts ${str(executed)} of ${id}, of which ${order.executedQty} are executed`,
      );
    open.delete(id);
  }
  for (const id of open.keys()) violate(8, `${id} is open and run ${live.id} knows nothing of it`);
}

/** Invariant 3: a run's figures and lots follow from its fills. */
function checkBooks(
  record: RunRecord,
  live: LiveRun | undefined,
  orders: readonly OrderRecord[],
  stored: Stored,
  violate: Violate,
): void {
  const { figures, runId } = record;
  let count = 0;
  let volume = ZERO;
  let net = ZERO;
  for (const order of orders) {
    for (const fill of stored.fills.get(order.id) ?? []) {
      const qty = dec(fill.qty);
      count += 1;
      volume += mul(qty, dec(fill.price));
      // On futures a fill changes only the position, whatever asset pays the fee.
      const inBase = !order.isContract && fill.commAsset === order.symbol.slice(0, -4);
      const fee = inBase ? dec(fill.comm) : ZERO;
      net += (fill.side === 'BUY' ? qty : -qty) - fee;
    }
  }
  const run = `run ${runId} (${record.type} ${record.settings.flavor ?? record.settings.algo ?? ''})`;
  if (figures.fills !== count) violate(3, `${run} counts ${figures.fills} fills and has ${count}`);
  if (dec(figures.volume) !== volume)
    violate(3, `${run} has traded ${figures.volume}, its fills ${str(volume)}`);
  if (!live || record.settings.algo === 'tpsl' || record.settings.side === 'SELL') return;
  const { lots, settings } = live.run;
  const { dust, kept, lost, oversold } = lots.state;
  const held = lots.total() + dust + kept + lost - oversold;
  const made = settings.short ? -net : net;
  if (held !== made) violate(3, `${run} believes to hold ${str(held)}, its fills make ${str(made)}`);
}

/**
 * Invariant 3: a run's fees are those of its fills, each converted at a price that existed. Fees of closes
 * that others made are not among them.
 */
function checkFees(
  world: BotWorld,
  { run, id }: LiveRun,
  orders: readonly OrderRecord[],
  stored: Stored,
): void {
  const { lots, rules } = run;
  if (lots.state.lost !== ZERO) return;
  let [least, most] = [0, 0];
  for (const { exchange, id } of orders) {
    for (const { comm, commAsset, price } of stored.fills.get(id) ?? []) {
      const own = commAsset === rules.base ? [Number(price)] : [1];
      const known = world.roughs.get(exchange)?.exchange.pricesOf(`${commAsset}USDT`);
      const prices = [rules.base, rules.quote].includes(commAsset) ? own : (known ?? own);
      const worth = prices.map((one) => one * Number(comm));
      least += Math.min(...worth);
      most += Math.max(...worth);
    }
  }
  const fees = toNumber(lots.state.fees);
  const slack = 1e-6 * (1 + Math.abs(fees));
  if (fees < least - slack || fees > most + slack)
    world.violate(3, `run ${id} counts fees of ${fees}, its fills cost ${least} to ${most}`);
}

/**
 * Whether this stop waits for an exit: an exit that the exchange refuses is retried for ever, and meanwhile
 * the run does not end.
 */
export function waitsForExit(desk: SimDesk, command: OrderCommand): boolean {
  const runIds =
    command.type === 'bot.stop'
      ? [command.runId]
      : command.type === 'bot.batchStop'
        ? command.runs.map(([, runId]) => runId)
        : [];
  return runIds.some((runId) => {
    const live = desk.core.bots?.book.runs.get(runId);
    return live?.run.state.phase === 'ending' && triesAgain(live);
  });
}

function triesAgain({ run }: LiveRun): boolean {
  return [...run.state.slots.slots.values()].some(
    ({ rejected, starved, uncovered }) => rejected > 0 || starved || uncovered,
  );
}

/**
 * Invariant 11: every run is either live with its wanted orders resting, or ended; checked as if one more
 * input had come.
 */
function checkAtRest(live: LiveRun, desk: SimDesk, violate: Violate): void {
  const { run, id } = live;
  const where = `run ${id} (${run.settings.type}, ${run.state.phase})`;
  if (live.going && !run.state.started) violate(11, `${where} was never started`);
  const slots = [...run.state.slots.slots.values()];
  if (run.state.phase === 'ending' && !triesAgain(live))
    violate(11, `${where} does not end: ${textOf(slots)}`);
  for (const slot of slots) {
    for (const order of slot.orders) {
      if (order.cancelAsked) violate(11, `${where}: the cancel of ${order.key} in ${slot.name} goes on`);
      const { phase } = desk.core.engine.memory.orders.get(live.ids.get(order.key) ?? '') ?? {};
      if (phase !== 'held' && phase !== 'live')
        violate(11, `${where}: order ${order.key} in ${slot.name} is ${phase}`);
    }
  }
}

/**
 * Whether a moving price line bars an entry: the next tick of its symbol decides again, and time has passed
 * since the last.
 */
function waitsForLine({ run }: LiveRun): boolean {
  if (run.now === run.market.lastTold.at) return false;
  return [...run.state.slots.slots.values()].some(({ barred }) => barred != null && barred.ticks === null);
}

/**
 * Invariant 11: one more input changes nothing. Leaves the runs unlike any input would, so it must be the
 * last check of a world.
 */
export function checkNothingIsMissing(desk: SimDesk, violate: Violate): void {
  for (const live of desk.core.bots?.book.runs.values() ?? []) {
    const { run } = live;
    // Its next try waits for a tick, and no more ticks come.
    if (!live.going || !run.state.started || triesAgain(live) || waitsForLine(live)) continue;
    run.slots.touchAll();
    run.input({ type: 'timer', name: 'nothing' });
    const asked = run.actions.filter((action) => action.do === 'place' || action.do === 'cancel');
    if (asked.length > 0) violate(11, `run ${live.id} (${run.settings.type}) still wants ${textOf(asked)}`);
  }
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? str(one) : one));
}
