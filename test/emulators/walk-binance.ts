/**
 * A walk of the built program over the emulator of Binance, in real time and from an empty data folder:
 *
 *   npm run build && npm run walk -- [--minutes 15] [--calm] [--seed 1] [--pace 300] [--folder DIR]
 *
 * `outcry connect`, a FIBO and a SQUEEZE bot on spot and on futures, and orders of every type over the signed API, while requests,
 * answers and events are lost, late and doubled and streams are cut. Then the bots stop and sell, `outcry panic` ends the rest, and
 * the emulator's raw log is summed and laid beside what the program has stored and says, to the last digit.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Client, createClient } from '../../src/client/client.ts';
import { ApiError } from '../../src/client/errors.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { Dice } from '../simulation/dice.ts';
import { BAD_DAY } from './soak/bad-day.ts';
import { finish, report, requestFigures, settle } from './soak/outcome.ts';
import { type Emulator, Program, startEmulator } from './soak/programs.ts';
import { SOAK_VENUES, type SoakVenue } from './soak/venues.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '15' },
    /** Without faults. */
    calm: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    /** Mean time between other people's trades of one symbol, ms. */
    pace: { type: 'string', default: '300' },
    folder: { type: 'string' },
  },
});

const venue = SOAK_VENUES.binance as SoakVenue;
type Market = 'spot' | 'futures';
const MARKETS: readonly Market[] = ['spot', 'futures'];
/** Between two orders by hand, ms. */
const EVERY_MS = 1_500;
const MINUTE_MS = 60_000;
const STREAM_LIFE_MS = 45_000;

type Order = Omit<CreateOrder, 'exchange'>;
interface Pair {
  readonly symbol: string;
  /** Places of a price. */
  readonly tick: number;
  readonly quantity: string;
}
/** Of futures one that no bot trades: its position would be theirs, too. */
const BY_HAND: Readonly<Record<Market, readonly Pair[]>> = {
  spot: [
    { symbol: 'BNBUSDT', tick: 2, quantity: '0.2' },
    { symbol: 'ETHUSDT', tick: 2, quantity: '0.03' },
  ],
  futures: [{ symbol: 'SOLUSDT', tick: 2, quantity: '1' }],
};

const dice = new Dice(Number(values.seed), 'walk by hand');
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'outcry-walk-'));
mkdirSync(folder, { recursive: true });
const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  say(`everything is kept in ${folder}`);
  const emulator = await startEmulator(venue, folder, false, Number(values.seed));
  await emulator.tell('pace', { ms: values.pace });
  const program = new Program(venue, folder);
  try {
    const desk = await program.start();
    const privateKeyPem = await program.prepare(emulator, MARKETS, 'full');
    const client = createClient({ baseUrl: desk.url, key: { privateKeyPem }, retry: { attempts: 3 } });
    const bots = await startBots(emulator, client);
    if (!values.calm) await emulator.tell('faults', { ...BAD_DAY, cutEveryMs: STREAM_LIFE_MS });
    // Those that are open already live as long as they will.
    if (!values.calm) await emulator.tell('cut');
    const acknowledged = await byHand(emulator, client);
    if (!values.calm) say(`faults: ${JSON.stringify(await emulator.tell('faults', {}))}`);
    for (const id of bots) await stopBot(client, id);
    say(last(await program.run('panic', '--yes')));
    const settled = await settle(client);
    for (const line of await botLines(client)) say(line);
    const found = await finish({ venue, emulator, program, desk, client, markets: MARKETS, acknowledged });
    await client.close();
    return report(found, settled, say);
  } finally {
    await program.stop();
    await emulator.stop();
    say(requestFigures(folder));
  }
}

async function prices(emulator: Emulator): Promise<Record<Market, Record<string, string>>> {
  return (await emulator.tell('prices')) as Record<Market, Record<string, string>>;
}

/** A grid around the price and a catcher of small drops, on both markets. Ids of the bots. */
async function startBots(emulator: Emulator, client: Client): Promise<string[]> {
  const at = await prices(emulator);
  const ids: string[] = [];
  for (const market of MARKETS) {
    const common = { exchange: `soak-${market}`, onetime: false, deposit: { value: '2000', asset: 'USDT' } };
    const btc = Number(at[market].BTCUSDT);
    const share = (name: string, depositePercent = '20') => ({ name, depositePercent });
    const places = market === 'spot' ? 2 : 1;
    const fibo = {
      ...{ ...common, symbol: { base: 'BTC', quote: 'USDT' } },
      channels: [
        { ...share('0'), fiboPrice: (btc * 0.996).toFixed(places) },
        ...['0.236', '0.382', '0.500', '0.618'].map((name) => share(name)),
        { ...share('1', '0'), fiboPrice: (btc * 1.001).toFixed(places) },
      ],
    };
    const squeeze = {
      ...{ ...common, symbol: { base: 'ETH', quote: 'USDT' }, timeFrame: MINUTE_MS },
      price: { percent: { buy: '0.1', sell: '0.1' } },
    };
    for (const [type, settings] of [
      ['FIBO', fibo],
      ['SQUEEZE', squeeze],
    ] as const) {
      const bot = await client.bots.create({ type, settings });
      await client.bots.start(bot.id);
      ids.push(bot.id);
    }
  }
  say(`${ids.length} bots run`);
  return ids;
}

async function stopBot(client: Client, id: string): Promise<void> {
  const { runId } = await client.bots.get(id);
  if (runId) await client.bots.stop({ id, runId, action: 'stop_and_sell', force: true }).catch(tell('stop'));
}

async function botLines(client: Client): Promise<string[]> {
  const bots = await client.bots.list();
  return bots.map(({ type, settings, status, stats }) => {
    return `${type} on ${settings.exchange}: ${status}, ${JSON.stringify(stats)}`;
  });
}

/** Orders of every type one after the other, some of them cancelled later. Ids that were acknowledged. */
async function byHand(emulator: Emulator, client: Client): Promise<string[]> {
  const ids: string[] = [];
  const open: { readonly exchange: string; readonly id: string }[] = [];
  const waiting = new Set<Promise<void>>();
  const counts = new Map<string, number>();
  const count = (what: string) => {
    counts.set(what, (counts.get(what) ?? 0) + 1);
  };
  const end = performance.now() + Number(values.minutes) * MINUTE_MS;
  for (let n = 0; performance.now() < end; n++) {
    const market = n % 2 === 0 ? 'spot' : 'futures';
    const pair = dice.pick(BY_HAND[market]);
    const price = Number((await prices(emulator))[market][pair.symbol]);
    const all = ordersOf(market, pair, price);
    const [name, order] = all[Math.floor(n / 2) % all.length] as [string, Order];
    const exchange = `soak-${market}`;
    // An answer that is lost is found out about for half a minute; the next order does not wait for that.
    const placing = client.orders.place({ exchange, ...order }, { idempotencyKey: randomUUID() }).then(
      ({ id }) => {
        ids.push(id);
        open.push({ exchange, id });
        count(`${market} ${name}: taken`);
      },
      (error: unknown) =>
        count(`${market} ${name}: ${error instanceof ApiError ? `${error.code} ${error.message}` : 'lost'}`),
    );
    waiting.add(placing);
    void placing.finally(() => waiting.delete(placing));
    if (open.length > 20) {
      const old = open.splice(dice.int(0, 9), 1)[0];
      if (old) await client.orders.cancel(old).catch(() => {});
    }
    await wait(EVERY_MS);
  }
  await Promise.all(waiting);
  for (const [what, times] of [...counts].sort()) say(`  ${times} x ${what.slice(0, 140)}`);
  return ids;
}

/** One of each type, by a name. */
function ordersOf(market: Market, { symbol, tick, quantity }: Pair, price: number): [string, Order][] {
  const at = (factor: number) => (price * factor).toFixed(tick);
  const order = (side: 'BUY' | 'SELL', type: Order['type'], more: Partial<Order> = {}): Order => ({
    ...{ symbol, side, type, quantity },
    ...more,
  });
  const goodTillDate = Date.now() + 90_000;
  const both: [string, Order][] = [
    ['MARKET', order('BUY', 'MARKET')],
    ['LIMIT', order('SELL', 'LIMIT', { price: at(1.0005) })],
    ['LIMIT IOC', order('BUY', 'LIMIT', { price: at(1.001), timeInForce: 'IOC' })],
    ['LIMIT FOK', order('SELL', 'LIMIT', { price: at(0.999), timeInForce: 'FOK' })],
    ['LIMIT GTD', order('BUY', 'LIMIT', { price: at(0.9985), timeInForce: 'GTD', goodTillDate })],
    ['LIMIT_MAKER', order('BUY', 'LIMIT_MAKER', { price: at(0.9993) })],
    ['STOP_MARKET', order('SELL', 'STOP_MARKET', { stopPrice: at(0.9992) })],
    ['STOP_LIMIT', order('SELL', 'STOP_LIMIT', { stopPrice: at(0.9993), price: at(0.9985) })],
    ['TAKE_PROFIT_MARKET', order('SELL', 'TAKE_PROFIT_MARKET', { stopPrice: at(1.0007) })],
    ['TAKE_PROFIT_LIMIT', order('SELL', 'TAKE_PROFIT_LIMIT', { stopPrice: at(1.0006), price: at(1.0004) })],
    ['trailing stop', order('SELL', 'STOP_MARKET', { trailingDelta: 10 })],
  ];
  if (market === 'spot')
    return [
      ...both,
      ['MARKET over an amount', { symbol, side: 'BUY', type: 'MARKET', quoteOrderQty: '50' }],
      ['iceberg', order('SELL', 'LIMIT', { price: at(1.0008), icebergQty: String(Number(quantity) / 2) })],
      [
        'trailing stop from a price',
        order('SELL', 'STOP_MARKET', { trailingDelta: 10, activationPrice: at(1.0008) }),
      ],
    ];
  const last = (type: Order['type'], more: Partial<Order>) =>
    order('SELL', type, { workingType: 'CONTRACT_PRICE', reduceOnly: true, ...more });
  return [
    ...both,
    ['STOP_MARKET that reduces', last('STOP_MARKET', { stopPrice: at(0.9994) })],
    ['TAKE_PROFIT_MARKET that reduces', last('TAKE_PROFIT_MARKET', { stopPrice: at(1.0006) })],
    ['LIMIT that reduces', order('SELL', 'LIMIT', { price: at(1.0005), reduceOnly: true })],
    ['trailing stop that reduces', last('STOP_MARKET', { trailingDelta: 10 })],
    ['MARKET', order('BUY', 'MARKET')],
    [
      'STOP_MARKET that closes',
      order('SELL', 'STOP_MARKET', { stopPrice: at(0.9993), closePosition: true, quantity: '0' }),
    ],
    ['MARKET', order('BUY', 'MARKET')],
    ['MARKET that closes', order('SELL', 'MARKET', { closePosition: true, quantity: '0' })],
  ];
}

function last(text: string): string {
  return text.trim().split('\n').slice(-3).join(' / ');
}

function tell(what: string) {
  return (error: unknown) => say(`${what}: ${error instanceof Error ? error.message : String(error)}`);
}

process.exitCode = await main();
