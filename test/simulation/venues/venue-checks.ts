/**
 * The invariants of design/testing.md for a desk that is connected to an exchange, once all is quiet, against
 * the emulator's own books and raw log.
 */
import { type Dec, dec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import type { OrderNames } from '../../../src/domain/exchange.ts';
import type { LedgerRecord } from '../../../src/domain/ledger.ts';
import { type OrderRecord, TERMINAL } from '../../../src/domain/order.ts';
import { signedAmount } from '../../../src/engine/positions.ts';
import { checkBots, waitsForExit } from '../bot-checks.ts';
import {
  checkLiveness,
  checkMemory,
  checkMemoryIsStored,
  checkOrder,
  checkSplits,
  readStored,
  type Stored,
  type Violate,
} from '../checks.ts';
import { checkClients } from '../client-checks.ts';
import { addTo } from '../rough/rough-exchange.ts';
import type { SimDesk } from '../sim-desk.ts';
import { strike } from '../sim-faults.ts';
import type { VenueSim } from './venue-sim.ts';
import type { Truth, TruthOrder } from './venue-world.ts';

/** Checks that hold after faults have healed and time has passed. */
export function checkVenueEnd(sim: VenueSim): void {
  const { violate, desk } = sim;
  if (!desk) {
    violate(11, 'the desk is not up at the end');
    return;
  }
  const stored = readStored(sim.db);
  checkMemory(desk, sim.world.sharesWallet ? sim.unlessOverdrawn : violate);
  checkLiveness(desk, sim.clock.wall - 1_000, violate);
  const { memory } = desk.core.engine;
  if (memory.owedFills.size > 0) violate(11, `fills are owed: ${[...memory.owedFills.keys()]}`);
  for (const { account } of sim.accounts) {
    const { link, away, unread } = memory.account(account.id);
    if (!link.up || link.gap || away !== null || unread.size > 0)
      violate(11, `${account.id} is not up and compared at the end: ${away ?? ''} ${[...unread]}`);
    const truth = sim.exchange.truth(account.kind);
    checkOrders(sim, account.id, truth, stored);
    checkFills(sim, account.id, truth, stored);
    checkBooks(account.id, truth, violate);
    checkWallets(sim, desk, account.id, truth);
    checkLedger(sim, desk, account.id, truth, stored);
    if (account.kind === 'futures') checkPositions(desk, account.id, truth, violate);
  }
  for (const order of stored.orders.values()) {
    if (!order.external) checkOrder(sim, order, stored, violate);
    const overdue = order.goodTillDate !== undefined && order.goodTillDate <= sim.clock.wall - 60_000;
    if (overdue && !order.external && !TERMINAL.has(order.status))
      violate(11, `${order.id} is ${order.status} past its end date`);
  }
  checkSplits(stored, violate, sim.watch.changed, sim.world);
  for (const call of sim.clients.unanswered())
    if (!waitsForExit(desk, call.command))
      violate(9, `request ${call.n} (${call.fingerprint}) was never answered`);
  checkMemoryIsStored(desk, stored, violate);
  checkClients(sim, stored, violate, sim.world);
  checkBots(sim, desk, stored);
}

/**
 * Invariants 1, 2, 3, 5: every order at the exchange is known or external, one for an intent, and both sides
 * agree on each.
 */
function checkOrders(sim: VenueSim, exchange: string, truth: Truth, stored: Stored): void {
  const { violate, strikes } = sim;
  const seen = new Map<string, TruthOrder>();
  for (const there of truth.orders) {
    const { clientId, venueIds, byOthers } = there;
    const id = stored.named(exchange, namesOf(there));
    const order = stored.orders.get(id);
    const name = `${clientId} (${venueIds})`;
    if (byOthers) strike(strikes, 'order of others');
    if (!order || order.exchange !== exchange) {
      // The desk need not know an external order that ended without an execution.
      if (!byOthers || there.executed > ZERO || there.state === 'open')
        violate(2, `${exchange} has an order ${name} that has no row`);
      continue;
    }
    if (byOthers !== (order.external === true))
      violate(3, `${name} is ${byOthers ? 'of others' : 'ours'}, and ${id} says otherwise`);
    const other = seen.get(id);
    if (other) violate(2, `${id} was executed twice: ${other.clientId} (${other.venueIds}) and ${name}`);
    seen.set(id, there);
    checkAgreement(order, there, violate);
  }
  for (const order of stored.orders.values()) {
    if (order.exchange !== exchange || seen.has(order.id)) continue;
    if (order.phase === 'live' || order.status === 'CLOSED')
      violate(3, `${order.id} is ${order.status} here and unknown to the exchange`);
    if (order.executedQty !== '0')
      violate(2, `${order.id} has executed ${order.executedQty} and never was at the exchange`);
  }
}

/** A client id that many orders share identifies none. */
function namesOf({ clientId, symbol, venueIds, nameless }: TruthOrder): OrderNames {
  return { clientId: nameless ? '' : clientId, symbol, venueIds };
}

function checkAgreement(order: OrderRecord, there: TruthOrder, violate: Violate): void {
  const { id, status, phase } = order;
  if (dec(order.executedQty) !== there.executed)
    violate(
      3,
      `${id}: executedQty ${order.executedQty}, the exchange says ${str(there.executed)} (${status}, ${there.state})`,
    );
  const agrees =
    there.state === 'open'
      ? !TERMINAL.has(status) && phase === 'live'
      : there.state === 'filled'
        ? status === 'CLOSED'
        : TERMINAL.has(status) && (status !== 'CLOSED' || order.quoteOrderQty !== undefined);
  if (!agrees)
    violate(3, `${id} is ${status} (${phase}), the exchange says ${there.state}: ${order.text ?? ''}`);
  if (there.state !== 'open' || there.waits || order.closePosition || order.untold) return;
  const samePrice = there.price === null || order.price === undefined || dec(order.price) === there.price;
  if (!samePrice || dec(order.origQty) !== there.qty)
    violate(
      3,
      `${id} is ${order.origQty} at ${order.price}, the exchange has ${str(there.qty)} at ${there.price === null ? '-' : str(there.price)}`,
    );
}

/**
 * Invariant 3: each trade of the exchange is one fill, of its order, with its fee; and there are no others.
 */
function checkFills(sim: VenueSim, exchange: string, truth: Truth, stored: Stored): void {
  const { violate } = sim;
  const trades = new Map(truth.trades.map((trade) => [`${trade.symbol} ${trade.id}`, trade]));
  const owners = new Map<string, TruthOrder>();
  for (const order of truth.orders)
    for (const number of order.venueIds) owners.set(`${order.symbol} ${number}`, order);
  for (const fill of [...stored.fills.values()].flat()) {
    if (fill.exchange !== exchange) continue;
    const key = `${fill.symbol} ${fill.tradeId}`;
    const trade = trades.get(key);
    trades.delete(key);
    const name = `fill ${key} of ${fill.orderId}`;
    if (!trade) {
      violate(3, `${name} is not a trade of the exchange, or another fill is the same`);
      continue;
    }
    const same = dec(fill.qty) === trade.qty && dec(fill.price) === trade.price;
    if (!same || dec(fill.comm) !== trade.comm || (trade.comm !== ZERO && fill.commAsset !== trade.commAsset))
      violate(3, `${name} differs from the exchange's trade`);
    const owner = owners.get(`${trade.symbol} ${trade.venueId}`);
    const id = owner && stored.named(exchange, namesOf(owner));
    if (id !== undefined && id !== fill.orderId) violate(3, `${name} is of ${id} at the exchange`);
  }
  for (const [key, { venueId }] of trades) violate(3, `the trade ${key} of ${venueId} is no fill here`);
}

/**
 * Invariant 4: the exchange's own wallets follow from its raw log; otherwise they could not be compared with
 * anything.
 */
function checkBooks(exchange: string, { wallets, moved }: Truth, violate: Violate): void {
  for (const asset of new Set([...wallets.keys(), ...moved.keys()])) {
    const [there, made] = [wallets.get(asset)?.whole ?? ZERO, moved.get(asset) ?? ZERO];
    if (there !== made)
      violate(4, `the books of ${exchange}: ${asset} is ${str(there)}, its log makes ${str(made)}`);
  }
}

/** Invariant 4: wallets as the desk believes them. */
function checkWallets({ violate }: VenueSim, desk: SimDesk, exchange: string, { wallets }: Truth): void {
  const { balances } = desk.core.engine.memory.account(exchange).wallet;
  for (const asset of new Set([...wallets.keys(), ...balances.keys()])) {
    const there = wallets.get(asset) ?? { whole: ZERO };
    const { free, locked } = balances.get(asset) ?? { free: ZERO, locked: ZERO };
    if (free + locked !== there.whole)
      violate(
        4,
        `${asset} of ${exchange}: the engine believes ${str(free + locked)}, the exchange has ${str(there.whole)}`,
      );
    if (there.free !== undefined && there.free !== free)
      violate(
        4,
        `${asset} of ${exchange}: the engine believes ${str(free)} free, the exchange has ${str(there.free)}`,
      );
  }
}

/** Invariant 4: opening, ledger and fills of the desk's own store explain its wallets, to the last digit. */
function checkLedger(
  sim: VenueSim,
  desk: SimDesk,
  exchange: string,
  { wallets }: Truth,
  stored: Stored,
): void {
  const { violate, db, strikes, world } = sim;
  const account = desk.core.engine.memory.account(exchange);
  const { ledger } = account.wallet;
  if (!ledger?.place?.opened) return;
  strike(strikes, `the ledger of ${exchange} is open`);
  // All accounts that trade with the wallet.
  const members = new Map(account.wallet.accounts.map((one) => [one.account.id, one]));
  const found = db.prepare('SELECT doc FROM ledger WHERE exchange = ? ORDER BY seq').all(account.wallet.name);
  const rows = found.map(({ doc }) => JSON.parse(String(doc)) as LedgerRecord);
  const sums = new Map<string, Dec>();
  for (const { asset, amount, kind } of rows) if (kind !== 'position') addTo(sums, asset, dec(amount));
  for (const fill of [...stored.fills.values()].flat()) {
    const member = members.get(fill.exchange);
    if (!member) continue;
    if (member.futures) addTo(sums, 'USDT', dec(fill.rPnl ?? '0'));
    else {
      const qty = fill.side === 'BUY' ? dec(fill.qty) : -dec(fill.qty);
      addTo(sums, fill.symbol.slice(0, -4), qty);
      addTo(sums, 'USDT', -mul(qty, dec(fill.price)));
    }
    addTo(sums, fill.commAsset, -dec(fill.comm));
  }
  for (const asset of new Set([...wallets.keys(), ...sums.keys()])) {
    const [there, made] = [wallets.get(asset)?.whole ?? ZERO, sums.get(asset) ?? ZERO];
    if (there !== made)
      violate(4, `${asset} of ${exchange} is ${str(there)}, opening, ledger and fills make ${str(made)}`);
  }
  const kind = account.futures ? 'futures' : 'spot';
  const unexplained = rows.filter((row) => row.kind === 'unexplained');
  if (unexplained.length > 0) strike(strikes, `${exchange}: a change that nobody told is found`);
  if (unexplained.length > 0 && !world.hearsOnly.includes(kind))
    violate(4, `${exchange} has unexplained rows: ${JSON.stringify(unexplained)}`);
}

/** Invariant 3: positions and settings as the desk knows them. */
function checkPositions(desk: SimDesk, exchange: string, truth: Truth, violate: Violate): void {
  const { futures } = desk.core.engine.memory.account(exchange);
  if (!futures) return;
  const here = new Map([...futures.positions].map(([key, one]) => [key, signedAmount(one)]));
  for (const { symbol, side, amount } of truth.positions) {
    const key = `${symbol} ${side}`;
    const known = here.get(key) ?? ZERO;
    if (known !== amount)
      violate(3, `position ${key}: the engine believes ${str(known)}, the exchange has ${str(amount)}`);
    here.delete(key);
  }
  for (const [key, amount] of here)
    if (amount !== ZERO)
      violate(3, `position ${key}: the engine believes ${str(amount)}, the exchange has none`);
  if (truth.hedge !== null && futures.hedge !== truth.hedge)
    violate(3, `the engine believes hedge mode ${futures.hedge}, the exchange has ${truth.hedge}`);
  for (const [symbol, leverage] of truth.leverage) {
    const known = futures.leverage.of(symbol)?.leverage;
    if (known !== undefined && known !== leverage)
      violate(3, `${symbol}: the engine believes ${known}x, the exchange has ${leverage}x`);
  }
}
