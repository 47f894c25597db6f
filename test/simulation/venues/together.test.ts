/**
 * One desk with paper and all exchanges connected at once, a bot on each account and orders by hand, over
 * networks that err and connections that are cut: the desk's held and stored figures of each wallet equal
 * those of that exchange's raw log, to the last digit.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { type Dec, dec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import type { LedgerRecord } from '../../../src/domain/ledger.ts';
import type { FillRecord } from '../../../src/domain/order.ts';
import { openRig, type Rig } from '../../desk/connections/rig.ts';
import type { Acme } from '../../desk/connections/test-kind.ts';
import { ok } from '../../desk/integration/support.ts';
import type { NetFaults } from '../../emulators/kit/faults.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { Dice } from '../dice.ts';
import { SimMarket, SYMBOLS } from '../market.ts';
import { addTo } from '../rough/rough-exchange.ts';
import { VENUE_NAMES } from './venue-names.ts';
import type { AccountKind, Truth } from './venue-world.ts';
import { worldOf } from './worlds.ts';

const SEED = 7;
const SECONDS = 40;
const FAULTS: NetFaults = {
  delayMs: [1, 60],
  answerLost: 0.02,
  requestLost: 0.02,
  executedUnknown: 0.02,
  duplicate: 0.05,
  cutEveryMs: 20_000,
};
const SETTINGS = {
  clockAheadMs: 120,
  hiddenMs: 200,
  triggeringMs: 50,
  hedge: false,
  futuresWallet: '20000',
};

function exchanges(clock: VirtualClock) {
  return VENUE_NAMES.map((name) => {
    const world = worldOf(name);
    const exchange = world.open({
      clock,
      symbols: SYMBOLS,
      settings: SETTINGS,
      dice: (stream) => new Dice(SEED, `${name} ${stream}`),
      struck: () => {},
      taken: () => {},
    });
    return { world, exchange, kind: exchange.kind(exchange.net) };
  });
}

/** A bot with two levels around the price, and orders that cross it: it always has something to do. */
function botOf(exchange: string) {
  return {
    type: 'CHANNEL',
    settings: {
      exchange,
      symbol: { base: 'ETH', quote: 'USDT' },
      flavor: 'LEVELS',
      onetime: false,
      deposit: { value: '1000', asset: 'USDT' },
      levels: [
        { buy: '2998', sell: '3004' },
        { buy: '2990', sell: '3010' },
      ],
    },
  };
}

it('holds of each what its raw log comes to, after bots, orders by hand, losses and cuts', {
  timeout: 120_000,
}, async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 5), { autoTurns: true });
  const all = exchanges(clock);
  const [first, ...others] = all.map(({ kind }) => kind);
  const rig = await openRig({ exchange: { kind: first } as Acme, others, clock });
  for (const { world } of all)
    ok(
      await rig.ask('connections.add', {
        name: world.name,
        venue: world.name,
        markets: world.markets,
        environment: 'live',
        rights: [],
        secrets: world.credentials,
      } as never),
    );
  const accounts = all.flatMap(({ world, exchange }) =>
    world.markets.map((market) => {
      const kind: AccountKind = market === 'spot' ? 'spot' : 'futures';
      return { id: `${world.name}-${market}`, kind, truth: () => exchange.truth(kind) };
    }),
  );
  const print = (symbol: string, price: string, volume: string) => {
    for (const { exchange } of all) exchange.print(symbol, price, volume);
  };
  for (const { symbol, start } of SYMBOLS) print(symbol, start.toFixed(2), '1');
  // Until each ledger has been opened.
  await clock.advance(15_000);
  const runs: { readonly id: string; readonly runId: string }[] = [];
  for (const exchange of ['paper-spot', ...accounts.map(({ id }) => id)]) {
    const bot = ok(await rig.ask('bots.create', { bot: botOf(exchange) } as never)) as { id: string };
    const { runId } = ok(await rig.ask('bots.start', { id: bot.id }));
    runs.push({ id: bot.id, runId });
  }

  for (const { exchange } of all) exchange.faults(FAULTS);
  for (const { exchange } of all) exchange.cut();
  const market = new SimMarket(new Dice(SEED, 'market'), 0.001);
  const dice = new Dice(SEED, 'by hand');
  const placed: Promise<unknown>[] = [];
  for (let second = 0; second < SECONDS; second++) {
    for (let n = 0; n < 2; n++) {
      const { symbol, price, volume } = market.tick(second * 2 + n);
      print(symbol, price, volume);
    }
    const { id } = accounts[second % accounts.length] as (typeof accounts)[number];
    const side = dice.pick(['BUY', 'SELL'] as const);
    const order = { exchange: id, symbol: 'BTCUSDT', side, quantity: '0.002' } as const;
    const price = side === 'BUY' ? '60010' : '59990';
    // The answer may be lost, so nobody waits for it.
    placed.push(
      rig.desk.call(
        'orders.place',
        dice.chance(0.7) ? { ...order, type: 'MARKET' } : { ...order, type: 'LIMIT', price },
      ),
    );
    await clock.advance(1_000);
  }
  for (const { exchange } of all) exchange.faults({ delayMs: [1, 5] });
  await rig.wait(Promise.all(placed));
  for (const { exchange } of all) exchange.beat(5_000);
  await clock.advance(40_000);
  for (const { id, runId } of runs) {
    const way = { action: 'stop_and_sell', force: true } as const;
    await rig.ask('bots.stop', { id, runId, way });
  }
  await clock.advance(20_000);
  // The reconciliation after a break finds changes that nobody reported.
  for (const { exchange } of all) exchange.cut();
  await clock.advance(40_000);

  for (const { id } of accounts)
    expect([id, rig.desk.state().accounts.find((one) => one.id === id)?.away ?? null]).toEqual([id, null]);
  for (const { id, truth } of accounts) {
    const there = truth();
    expect(there.trades.length, `trades of ${id}`).toBeGreaterThan(0);
    expect(textOf(there.moved), `the books of ${id}`).toEqual(textOf(wholeOf(there)));
    expect(held(rig, id), `what the desk holds of ${id}`).toEqual(textOf(wholeOf(there)));
  }
  await rig.stop();
  const made = stored(rig.dataDir);
  for (const { world, exchange } of all)
    for (const [at, market] of world.markets.entries()) {
      if (world.sharesWallet && at > 0) continue;
      const there = exchange.truth(market === 'spot' ? 'spot' : 'futures');
      const wallet = world.sharesWallet ? world.name : `${world.name}-${market}`;
      expect(textOf(made.get(wallet) ?? new Map()), `the ledger of ${wallet}`).toEqual(
        textOf(wholeOf(there)),
      );
    }
});

function wholeOf({ wallets }: Truth): Map<string, Dec> {
  return new Map([...wallets].map(([asset, { whole }]) => [asset, whole]));
}

function textOf(amounts: ReadonlyMap<string, Dec>): Record<string, string> {
  const some = [...amounts].filter(([, amount]) => amount !== ZERO);
  return Object.fromEntries(
    some.sort(([a], [b]) => (a < b ? -1 : 1)).map(([asset, sum]) => [asset, str(sum)]),
  );
}

/** Balances as the consoles show them. */
function held({ desk }: Rig, exchange: string): Record<string, string> {
  const { balances = [] } = desk.state().portfolios[exchange] ?? {};
  return textOf(
    new Map(
      balances.map(({ asset, free, locked, wallet }) => [
        asset,
        wallet ? dec(wallet) : dec(free) + dec(locked),
      ]),
    ),
  );
}

/** Opening, ledger and fills of the store by wallet and asset, added up without code of the product. */
function stored(dataDir: string): Map<string, Map<string, Dec>> {
  const db = new DatabaseSync(join(dataDir, 'outcry.db'), { readOnly: true });
  const sums = new Map<string, Map<string, Dec>>();
  const of = (wallet: string) => {
    const known = sums.get(wallet) ?? new Map<string, Dec>();
    sums.set(wallet, known);
    return known;
  };
  for (const { exchange, doc } of db.prepare('SELECT exchange, doc FROM ledger').all()) {
    const { asset, amount, kind } = JSON.parse(String(doc)) as LedgerRecord;
    if (kind !== 'position') addTo(of(String(exchange)), asset, dec(amount));
  }
  for (const { doc } of db.prepare('SELECT doc FROM fills').all()) {
    const fill = JSON.parse(String(doc)) as FillRecord;
    const [name = '', market = ''] = fill.exchange.split('-');
    const world = VENUE_NAMES.find((one) => one === name);
    if (world === undefined) continue;
    const wallet = of(worldOf(world).sharesWallet ? name : fill.exchange);
    addTo(wallet, fill.commAsset, -dec(fill.comm));
    if (market !== 'spot') {
      addTo(wallet, 'USDT', dec(fill.rPnl ?? '0'));
      continue;
    }
    const qty = fill.side === 'BUY' ? dec(fill.qty) : -dec(fill.qty);
    addTo(wallet, fill.symbol.slice(0, -4), qty);
    addTo(wallet, 'USDT', -mul(qty, dec(fill.price)));
  }
  db.close();
  return sums;
}
