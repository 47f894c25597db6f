/**
 * The invariants of a futures account at rest: the exchange's books by its own audit and by its trades, and
 * the desk's view of the account.
 */
import { type Dec, dec, str, ZERO } from '../../src/domain/decimal.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import type { PositionSide } from '../../src/schemas/order.ts';
import { FuturesCore } from '../../src/venues/paper/futures/futures-core.ts';
import { compilePaperOptions } from '../../src/venues/paper/options.ts';
import type { SimAccount } from './accounts.ts';
import type { Stored, Violate } from './checks.ts';
import { addTo, type RoughExchange } from './rough/rough-exchange.ts';
import type { SimDesk } from './sim-desk.ts';
import type { ExchangeTruth } from './watch.ts';
import type { World } from './world.ts';

export function checkFutures(
  world: World,
  desk: SimDesk,
  account: SimAccount,
  truth: ExchangeTruth,
  stored: Stored,
): void {
  const { violate } = world;
  const core = coreOf(world, account, truth);
  try {
    core.audit();
  } catch (error) {
    violate(4, `the futures books: ${error instanceof Error ? error.message : error}`);
  }
  const rough = world.roughs.get(account.account.id)?.exchange ?? null;
  checkLedger(core, account, rough, truth, violate);
  checkKnown(desk, core, account, violate);
  checkExplained(desk, core, account, rough, stored, violate);
  for (const doc of truth.orders.values()) {
    // On an exchange that errs liquidations have other names here.
    if (rough || !doc.clientId.startsWith('liq-')) continue;
    const order = stored.orders.get(doc.clientId);
    if (order?.external !== true) violate(3, `the liquidation ${doc.clientId} is no external order here`);
  }
}

/** Builds the exchange from its stored documents. */
function coreOf(world: World, { account, instruments, startBalances }: SimAccount, truth: ExchangeTruth) {
  const options = compilePaperOptions({ ...world.plan.paper, startBalances }, account.kind);
  const documents = new Map<string, ReadonlyMap<string, unknown>>([
    ...truth.others,
    ['futures.order', truth.orders],
    ['futures.trade', truth.trades],
    ['futures.balance', truth.balances],
  ]);
  return new FuturesCore({ instruments, options }, documents);
}

/**
 * Invariant 4: trades explain the positions, the realised PnL and the fees, from the balances of the start
 * on.
 */
function checkLedger(
  core: FuturesCore,
  { startBalances }: SimAccount,
  rough: RoughExchange | null,
  truth: ExchangeTruth,
  violate: Violate,
) {
  const amounts = core.amounts();
  const sizes = new Map<string, Dec>();
  let realized = ZERO;
  let fees = ZERO;
  for (const trade of truth.trades.values()) {
    const key = `${trade.symbol} ${trade.posSide}`;
    const qty = trade.side === 'BUY' ? dec(trade.qty) : -dec(trade.qty);
    sizes.set(key, (sizes.get(key) ?? ZERO) + qty);
    realized += dec(trade.rPnl ?? '0');
    fees += dec(trade.comm);
  }
  const same = (what: string, booked: Dec, made: Dec) => {
    if (booked !== made)
      violate(4, `${what} is ${str(booked)} at the exchange, its trades make ${str(made)}`);
  };
  // Deposits and withdrawals by others are reported by the exchange alone.
  const paid = rough?.transfers().get('USDT') ?? ZERO;
  same('the start', amounts.start, dec(startBalances.USDT ?? '0') + paid);
  same('the realised PnL', amounts.realized, realized);
  same('the sum of fees', amounts.fees + amounts.liquidationFees, fees);
  for (const position of core.positions()) {
    const key = `${position.symbol} ${position.side}`;
    const size = sizes.get(key) ?? ZERO;
    same(`the position ${key}`, dec(position.amount), position.side === 'SHORT' ? -size : size);
    sizes.delete(key);
  }
  for (const [key, size] of sizes) same(`the position ${key}`, ZERO, size);
}

/**
 * Invariant 4: the opening balance, the stored fills and changes without a fill (funding, transfers, losses
 * that the insurance paid) explain the wallet as the desk believes it, asset by asset.
 */
function checkExplained(
  desk: SimDesk,
  core: FuturesCore,
  { account, startBalances }: SimAccount,
  rough: RoughExchange | null,
  stored: Stored,
  violate: Violate,
) {
  const { start, funding, covered } = core.amounts();
  const sums = new Map(Object.entries(startBalances).map(([asset, amount]) => [asset, dec(amount)]));
  sums.set('USDT', start + funding + covered);
  for (const fill of [...stored.fills.values()].flat()) {
    if (fill.exchange !== account.id) continue;
    addTo(sums, 'USDT', dec(fill.rPnl ?? '0'));
    addTo(sums, fill.commAsset, -dec(fill.comm));
  }
  const { balances } = desk.core.engine.memory.account(account.id).wallet;
  for (const [asset, made] of sums) {
    const { free, locked } = balances.get(asset) ?? { free: ZERO, locked: ZERO };
    if (free + locked !== made)
      violate(
        4,
        `the engine believes ${str(free + locked)} ${asset}, fills, funding and transfers make ${str(made)}`,
      );
    const there = rough?.beside.get(asset);
    if (there !== undefined && there !== made)
      violate(4, `the exchange has ${str(there)} ${asset}, fills make ${str(made)}`);
  }
}

/** Invariants 3, 4: positions, settings and wallet as the desk knows them. */
function checkKnown(
  desk: SimDesk,
  core: FuturesCore,
  { account, instruments }: SimAccount,
  violate: Violate,
) {
  const memory = desk.core.engine.memory.account(account.id);
  const { futures } = memory;
  if (!futures) return;
  const there = new Map(core.positions().map((p) => [`${p.symbol} ${p.side}`, pictureOf(p)]));
  const here = new Map([...futures.positions].map(([key, p]) => [key, pictureOf(p)]));
  for (const key of new Set([...there.keys(), ...here.keys()])) {
    if (here.get(key) !== there.get(key))
      violate(3, `position ${key}: the engine believes ${here.get(key)}, the exchange has ${there.get(key)}`);
  }
  if (futures.hedge !== core.hedgeMode())
    violate(3, `the engine believes hedge mode ${futures.hedge}, the exchange has ${core.hedgeMode()}`);
  for (const { symbol, leverage, marginType } of core.leverage(instruments.map((i) => i.symbol))) {
    const known = futures.leverage.of(symbol);
    if (known?.leverage !== leverage || known.marginType !== marginType) {
      violate(
        3,
        `${symbol}: the engine believes ${known?.leverage}x ${known?.marginType}, the exchange has ${leverage}x ${marginType}`,
      );
    }
  }
  // Only their sum: an open loss moves free to locked with every tick, and is reported with the next change.
  const balance = memory.wallet.balances.get('USDT') ?? { free: ZERO, locked: ZERO };
  const { wallet } = core.amounts();
  if (balance.free + balance.locked !== wallet)
    violate(
      4,
      `the engine believes ${str(balance.free + balance.locked)} USDT, the exchange has ${str(wallet)}`,
    );
}

/** The fields that do not move with the mark price. */
function pictureOf(p: ExchangePosition & { readonly side: PositionSide }): string {
  return `${p.amount} at ${p.entryPrice}, ${p.leverage}x ${p.marginType}, margin ${p.isolatedWallet}, realised ${p.realizedPnl}`;
}
