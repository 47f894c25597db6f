/**
 * Every type of bot over recorded minutes: created and started over the API of a real process that replays
 * them at `--speed max`, and run by `outcry backtest`. Both have the same fills and the same figures, so a
 * backtest predicts a run. OUTCRY_BOT_TABLE=1 prints the results as a Markdown table.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { AlertRow, BacktestResult } from '../../../src/bots/backtest/result.ts';
import type { Client } from '../../../src/client/client.ts';
import { type Dec, dec, fixed, roundTo, str } from '../../../src/domain/decimal.ts';
import { MARKETS } from '../../../src/market/symbols.ts';
import type { BotStats, CreateBot } from '../../../src/schemas/bot.ts';
import type { Trade } from '../../../src/schemas/order.ts';
import { withShared } from '../../support/shared-data.ts';
import {
  ALARM,
  CANDLES,
  type CandleBot,
  DAY_MS,
  DAYS,
  NOTIFY,
  START,
  TRADERS,
} from '../support/candle-bots.ts';
import {
  clientOf,
  type DeskProcess,
  EXCHANGE,
  generateKey,
  runMain,
  startDesk,
  temporaryFolder,
  until,
} from '../support/desk-process.ts';

const SYMBOL = 'BTCUSDT';
const MINUTE_MS = 60_000;
const TICKS_PER_CANDLE = 4;
const MAX_TRADES = 500;
/** Money in the figures of a run has twelve places, a rate of the backtest eight. */
const MONEY = dec('0.000000000001');
const RATE = dec('0.00000001');
const REPLAY_LIMIT_MS = 100_000;

/** The fields of a fill that both sides have. */
type Fill = Pick<Trade, 'time' | 'side' | 'price' | 'qty' | 'comm' | 'commAsset'>;

const rows: string[] = [];

afterAll(() => {
  if (process.env.OUTCRY_BOT_TABLE !== '1' || rows.length === 0) return;
  const head = ['| type | settings | fills | cycles | PnL, USDT | fees, USDT |', '|---|---|---|---|---|---|'];
  process.stdout.write(`${[...head, ...rows].join('\n')}\n`);
});

for (const one of TRADERS) {
  const title = `${one.name} trades over the API as in the backtest, on eight days of recorded minutes`;
  it(
    title,
    withShared(CANDLES, 1, (text) => compare(one, text)),
  );
}

async function compare(one: CandleBot, text: string): Promise<void> {
  const folder = folderOf(text);
  const replay = await Replay.of(folder);
  const others = one.stock === undefined ? 0 : await replay.buy(one.stock);
  const id = await replay.begin(one.bot);
  await replay.playToEnd();
  const { stats, status, state } = await replay.client.bots.get(id);
  const fills = (await replay.fills(one.bot.settings.exchange)).slice(others);
  expect(fills.length).toBeGreaterThan(0);

  const from = new Date(START + MINUTE_MS).toISOString();
  const tested = await backtest(folder, one.bot, others > 0 ? ['--from', from] : []);
  expect(fills).toEqual(fillsOf(tested));
  expect(figuresOf(stats as BotStats)).toEqual(figuresOf(tested.figures));
  const last = tested.runs.at(-1);
  expect([status, state]).toEqual([last?.endedAt === null ? 'STARTED' : 'STOPPED', last?.state]);
  rows.push(rowOf(one, tested));
}

// proves: bot backtest same
it(
  'ALARM fires over the API as in the backtest',
  withShared(CANDLES, 1, async (text) => {
    const folder = folderOf(text);
    const replay = await Replay.of(folder);
    const told = await replay.alerts();
    const id = await replay.begin(ALARM.bot);
    await replay.playToEnd();
    const tested = await backtest(folder, ALARM.bot);
    expect(tested.alerts.length).toBeGreaterThan(0);
    await until('every alert is told', () => told.length >= tested.alerts.length);
    expect(told).toEqual(tested.alerts.map(alertText));
    const { stats } = await replay.client.bots.get(id);
    expect(stats).toMatchObject({ fills: 0 });
    rows.push(`| ALARM | ${ALARM.about} | ${told.length} alerts | | | |`);
  }),
);

// proves: bot NOTIFY scan all
it('NOTIFY scans the 20 symbols of the synthetic market and fires', async () => {
  const replay = await Replay.on(['--feed', 'synthetic', '--seed', '7', '--speed', '600']);
  const told = await replay.alerts();
  const id = await replay.begin(NOTIFY.bot);
  await replay.play();
  const symbols = MARKETS.map(({ symbol }) => symbol).toSorted();
  await until('every symbol has fired', () => told.length >= symbols.length, 60_000);
  await replay.pause();
  expect(told.map((alert) => alert.split(' ')[1]).toSorted()).toEqual(symbols);
  expect((await replay.client.bots.get(id)).stats).toMatchObject({ fills: 0 });
  rows.push(`| NOTIFY | ${NOTIFY.about} | ${told.length} alerts | | | |`);
});

/** A separate desk, held before its first tick, and a client of it. */
class Replay {
  readonly client: Client;
  readonly #desk: DeskProcess;

  private constructor(desk: DeskProcess, client: Client) {
    this.#desk = desk;
    this.client = client;
  }

  static async on(args: readonly string[]): Promise<Replay> {
    const desk = await startDesk(join(temporaryFolder({ memory: true }), 'data'), [...args, '--hold']);
    return new Replay(desk, clientOf(desk, await generateKey(desk), 4));
  }

  static of(folder: string): Promise<Replay> {
    return Replay.on(['--feed', `csv:${folder}@1m`, '--speed', 'max']);
  }

  async begin(bot: CreateBot): Promise<string> {
    const { id } = await this.client.bots.create(bot);
    await this.client.bots.start(id);
    return id;
  }

  /**
   * Plays the first candle, then buys the quantity and a little more for the fee; returns the number of
   * fills.
   */
  async buy(quantity: string): Promise<number> {
    for (let tick = 0; tick < TICKS_PER_CANDLE; tick++) {
      await this.#desk.line.call('feed.control', { action: 'step' });
    }
    const more = str(dec(quantity) + dec('0.001'));
    const order = {
      exchange: EXCHANGE,
      symbol: SYMBOL,
      side: 'BUY',
      type: 'MARKET',
      quantity: more,
    } as const;
    const { status } = await this.client.orders.place(order);
    expect(status).toBe('CLOSED');
    return (await this.fills(EXCHANGE)).length;
  }

  async play(): Promise<void> {
    await this.#desk.line.call('feed.control', { action: 'play' });
  }

  async pause(): Promise<void> {
    await this.#desk.line.call('feed.control', { action: 'pause' });
  }

  async playToEnd(): Promise<void> {
    const console = await this.#desk.attach();
    await this.play();
    await until('the replay has ended', () => console.state()?.clock.ended, REPLAY_LIMIT_MS);
    console.client.close();
  }

  /** Fetches the account's fills, day by day: a response has a limited number. */
  async fills(exchange: string): Promise<Fill[]> {
    const fills: Trade[] = [];
    for (let day = 0; day < DAYS; day++) {
      const startTime = START + day * DAY_MS;
      const query = { exchange, symbol: SYMBOL, startTime, endTime: startTime + DAY_MS - 1 };
      const some = await this.client.orders.trades({ ...query, limit: MAX_TRADES });
      expect(some.length).toBeLessThan(MAX_TRADES);
      fills.push(...some);
    }
    return fills.map(({ time, side, price, qty, comm, commAsset }) => ({
      time,
      side,
      price,
      qty,
      comm,
      commAsset,
    }));
  }

  /** Returns a list that fills with the alerts of the channel botStatus. */
  async alerts(): Promise<string[]> {
    const told: string[] = [];
    const stream = await this.client.stream();
    await stream.subscribe('botStatus', {
      onEvent: ({ bot: { alert } }) => {
        if (alert) told.push(`${alert.time} ${alert.symbol} ${alert.condition}: ${alert.message}`);
      },
    });
    return told;
  }
}

/** A folder with only these candles, as the feed and the backtest read them. */
function folderOf(text: string): string {
  const folder = join(temporaryFolder(), 'candles');
  mkdirSync(folder);
  writeFileSync(join(folder, `${SYMBOL}-1m.csv`), text);
  return folder;
}

async function backtest(
  folder: string,
  bot: CreateBot,
  args: readonly string[] = [],
): Promise<BacktestResult> {
  const config = join(folder, 'bot.json');
  writeFileSync(config, JSON.stringify(bot));
  const candles = join(folder, `${SYMBOL}-1m.csv`);
  const { code, stdout, stderr } = await runMain([
    'backtest',
    '--config',
    config,
    '--candles',
    candles,
    '--json',
    ...args,
  ]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

function fillsOf({ trades }: BacktestResult): Fill[] {
  return trades.map(({ at, side, price, qty, fee, feeAsset }) => ({
    time: at,
    side,
    price,
    qty,
    comm: fee,
    commAsset: feeAsset,
  }));
}

type Figures = Omit<BotStats, 'roi' | 'annualised' | 'skipped'>;

function figuresOf(stats: Figures): Figures {
  const { fills, cycles, winningCycles, budget, unfilled } = stats;
  const rounded = (text: string, places: Dec) => str(roundTo(dec(text), places));
  return {
    fills,
    cycles,
    winningCycles,
    budget,
    unfilled,
    realised: rounded(stats.realised, MONEY),
    unrealised: rounded(stats.unrealised, MONEY),
    fees: rounded(stats.fees, MONEY),
    volume: rounded(stats.volume, MONEY),
    maxDrawdown: rounded(stats.maxDrawdown, RATE),
  };
}

function alertText({ at, symbol, condition, message }: AlertRow): string {
  return `${at} ${symbol} ${condition}: ${message}`;
}

function rowOf({ name, about }: CandleBot, { figures }: BacktestResult): string {
  const { fills, cycles, realised, unrealised, fees } = figures;
  const money = (text: string) => fixed(roundTo(dec(text), dec('0.01')), 2);
  const pnl = money(str(dec(realised) + dec(unrealised)));
  return `| ${name} | ${about} | ${fills} | ${cycles} | ${pnl} | ${money(fees)} |`;
}
