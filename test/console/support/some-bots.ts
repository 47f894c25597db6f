/** Bots, alerts and the desk's answers about them, as plain data for the console's tests. Deterministic. */
import type { BotDetail, BotView, DeskState } from '../../../src/desk/console/protocol.ts';
import type { AlertRecord, BotNotice, RunFigures, RunRecord } from '../../../src/domain/bot.ts';
import { ok, refuse } from '../../../src/domain/errors.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import type { Candle } from '../../../src/domain/rows.ts';
import { FakeDesk } from './fake-desk.ts';
import { deskState } from './some-desk.ts';
import { NOON } from './some-market.ts';
import { order } from './some-orders.ts';

const HOUR = 3_600_000;

export function figures(change: Partial<RunFigures> = {}): RunFigures {
  return {
    realised: '12.3456',
    unrealised: '-3.21',
    fees: '1.0203',
    volume: '5230.5',
    cycles: 4,
    winningCycles: 3,
    fills: 9,
    maxDrawdown: '1.25',
    budget: '200',
    roi: '4.567',
    annualised: null,
    unfilled: '0',
    skipped: 0,
    ...change,
  };
}

export const SQUEEZE_SETTINGS = {
  exchange: 'paper-spot',
  symbol: { base: 'BTC', quote: 'USDT' },
  timeFrame: 60_000,
  deposit: { value: '200', asset: 'USDT' },
  price: { percent: { buy: '0.5', sell: '0.4' } },
  stop: [
    {
      strategy: 'price_percent_buy',
      trigger: { type: 'kline', value: '2' },
      order: { type: 'MARKET' },
      complete: true,
    },
  ],
};

export function bot(id: string, change: Partial<BotView> = {}): BotView {
  return {
    id,
    type: 'SQUEEZE',
    exchange: 'paper-spot',
    symbol: { base: 'BTC', quote: 'USDT' },
    status: 'NEW',
    settings: SQUEEZE_SETTINGS,
    createdAt: NOON - 5 * HOUR,
    updatedAt: NOON - HOUR,
    restartAt: null,
    startedAt: null,
    ...change,
  };
}

/**
 * Bots of every type and status: two that trade, one that only sends alerts, one in error, one stopped, one
 * new.
 */
export function someBots(): Record<string, BotView> {
  const list = [
    bot('b7f3k2m9q10', {
      tag: 'dip buyer',
      status: 'STARTED',
      state: 'holding',
      runId: 'run7f3k2m9',
      stats: figures(),
      startedAt: NOON - 3 * HOUR,
      createdAt: NOON - 6 * HOUR,
    }),
    bot('b8a2c4e6g80', {
      type: 'FIBO',
      symbol: { base: 'ETH', quote: 'USDT' },
      status: 'STARTED',
      state: 'waiting',
      runId: 'run8a2c4e6',
      settings: {
        exchange: 'paper-spot',
        symbol: { base: 'ETH', quote: 'USDT' },
        deposit: { value: '500', asset: 'USDT' },
        channels: [
          { name: '0', depositePercent: '50', fiboPrice: '2900' },
          { name: '1', depositePercent: '50', fiboPrice: '3150' },
        ],
      },
      stats: figures({ realised: '0', unrealised: '0', cycles: 0, winningCycles: 0, fills: 0, roi: '0' }),
      startedAt: NOON - 20 * 60_000,
      createdAt: NOON - 5 * HOUR,
    }),
    bot('b1alarm00x0', {
      type: 'ALARM',
      symbol: { base: 'SOL', quote: 'USDT' },
      status: 'STARTED',
      state: 'watching',
      runId: 'run1alarm0',
      settings: {
        exchange: 'paper-spot',
        name: 'SOL breaks out',
        symbol: { base: 'SOL', quote: 'USDT' },
        ticker: 'SOLUSDT',
        range: [{ type: 'price', trend: { '1': '150', '2': '150' } }],
        notify: ['bell', 'ops'],
      },
      stats: figures({ realised: '0', unrealised: '0', cycles: 0, winningCycles: 0, fees: '0', budget: '0' }),
      startedAt: NOON - 50 * HOUR,
      createdAt: NOON - 4 * HOUR,
    }),
    bot('b2errorxxx0', {
      type: 'INTRADAY',
      exchange: 'paper-futures',
      status: 'ERROR',
      state: 'watching',
      stats: figures({ realised: '-14.2', unrealised: '0', roi: '-2.8' }),
      settings: {
        exchange: 'paper-futures',
        symbol: { base: 'BTC', quote: 'USDT' },
        deposit: { value: '500', asset: 'USDT', leverage: 5 },
      },
      createdAt: NOON - 3 * HOUR,
    }),
    bot('b3stopped00', {
      type: 'CHANNEL',
      tag: 'grid',
      status: 'STOPPED',
      symbol: { base: 'XRP', quote: 'USDT' },
      settings: {
        exchange: 'paper-spot',
        flavor: 'GRID',
        symbol: { base: 'XRP', quote: 'USDT' },
        deposit: { value: '12.5', asset: 'USDT', strategy: 'percent' },
      },
      stats: figures({ realised: '1234.5678', unrealised: '0', cycles: 120, winningCycles: 120 }),
      createdAt: NOON - 2 * HOUR,
    }),
    bot('b4newbot000', {
      type: 'NOTIFY',
      symbol: null,
      settings: { exchange: 'paper-spot', quote: 'USDT', timeFrame: 300_000, conditions: [] },
      createdAt: NOON - HOUR,
    }),
  ];
  return Object.fromEntries(list.map((entry) => [entry.id, entry]));
}

/** Open orders of the running bots, and some of other creators. */
export function botOrders(): Record<string, OrderView> {
  const list = [
    order('oc-b1', {
      side: 'SELL',
      price: '61500.00',
      origQty: '0.00327',
      creator: 'BOT',
      creatorId: 'b7f3k2m9q10',
    }),
    order('oc-b2', { price: '60100.00', origQty: '0.00330', creator: 'BOT', creatorId: 'b7f3k2m9q10' }),
    order('oc-b3', {
      symbol: 'ETHUSDT',
      price: '2900',
      origQty: '0.08',
      creator: 'BOT',
      creatorId: 'b8a2c4e6g80',
    }),
    order('oc-b4', {
      symbol: 'ETHUSDT',
      price: '2800',
      status: 'CANCELLED',
      creator: 'BOT',
      creatorId: 'b8a2c4e6g80',
    }),
    order('oc-mine'),
  ];
  return Object.fromEntries(list.map((entry) => [entry.id, entry]));
}

export function alert(id: string, change: Partial<AlertRecord> = {}): AlertRecord {
  return {
    id,
    botId: 'b1alarm00x0',
    runId: 'run1alarm0',
    user: 'owner',
    market: NOON - 60_000,
    at: NOON - 60_000,
    symbol: 'SOLUSDT',
    condition: 'range[0]',
    message: 'SOLUSDT crossed 150 upwards',
    price: '150.02',
    seen: false,
    deliveries: [],
    ...change,
  };
}

/** Alerts, newest last, as the desk orders them. */
export function someAlerts(): readonly AlertRecord[] {
  return [
    alert('a1', { at: NOON - 3 * HOUR, market: NOON - 3 * HOUR, seen: true }),
    alert('a2', {
      at: NOON - HOUR,
      botId: 'bgone000000',
      symbol: 'ADAUSDT',
      message: 'ADAUSDT moved +3.2 % in 5 minutes',
      condition: 'conditions[0]+conditions[1]',
      price: '0.7312',
      deliveries: [
        { target: 'bell', state: 'done', tries: 0, nextAt: null, error: null },
        { target: 'ops', state: 'failed', tries: 5, nextAt: null, error: '503 Service Unavailable' },
      ],
    }),
    alert('a3', {
      deliveries: [
        { target: 'bell', state: 'done', tries: 0, nextAt: null, error: null },
        { target: 'ops', state: 'waiting', tries: 1, nextAt: NOON + 30_000, error: 'timed out after 5 s' },
      ],
    }),
  ];
}

function run(bot: BotView, runId: string, change: Partial<RunRecord> = {}): BotDetail['runs'][number] {
  const { state: _state, ...record }: RunRecord = {
    runId,
    botId: bot.id,
    user: 'owner',
    type: bot.type,
    exchange: bot.exchange,
    symbol: 'BTCUSDT',
    startedAt: NOON - 3 * HOUR,
    endedAt: null,
    reason: null,
    error: null,
    settings: bot.settings,
    options: null,
    label: bot.state ?? '',
    figures: bot.stats ?? figures(),
    state: '',
    ...change,
  };
  return record;
}

function notice(bot: BotView, minutes: number, level: 1 | 2 | 3, text: string): BotNotice {
  const at = NOON - minutes * 60_000;
  return { botId: bot.id, runId: bot.runId ?? '', user: 'owner', market: at, at, level, text };
}

/** The desk's detail of a bot; the bot that holds a position has a lot and two stop rules. */
export function detailOf(bot: BotView, orders: Readonly<Record<string, OrderView>>): BotDetail {
  const holds = bot.state === 'holding';
  return {
    bot,
    orders: Object.values(orders).filter(({ creatorId }) => creatorId === bot.id),
    runs: [
      ...(bot.status === 'ERROR'
        ? [
            run(bot, 'runerror00', {
              endedAt: NOON - HOUR,
              reason: 'error',
              error: 'the exchange refused the entry three times: order would immediately match and take',
            }),
          ]
        : bot.runId === undefined
          ? []
          : [run(bot, bot.runId)]),
      run(bot, 'runold0001', { startedAt: NOON - 9 * HOUR, endedAt: NOON - 4 * HOUR, reason: 'completed' }),
    ],
    notices: [
      notice(bot, 2, 2, 'bought 0.00327 at 61,120.40'),
      notice(bot, 30, 1, 'an order was refused by the exchange: insufficient balance; tried again in 5 s'),
      notice(bot, 180, 2, 'started'),
    ],
    ...(bot.runId === undefined
      ? {}
      : {
          live: {
            symbol: 'BTCUSDT',
            lots: holds
              ? [{ label: 'squeeze', qty: '0.00327', entryPrice: '61120.40', openedAt: NOON - 2 * 60_000 }]
              : [],
            averageEntry: holds ? '61120.40' : null,
            breakEven: holds ? '61242.76' : null,
            stops: holds
              ? [
                  {
                    strategy: 'price_percent_buy',
                    trigger: 'kline',
                    level: '59897.992',
                    disabled: false,
                    rule: SQUEEZE_SETTINGS.stop[0] as Record<string, unknown>,
                  },
                  {
                    strategy: 'trailing',
                    trigger: 'exchange',
                    level: null,
                    disabled: true,
                    rule: {
                      strategy: 'trailing',
                      trigger: { type: 'exchange', value: '1' },
                      order: { type: 'STOP_MARKET' },
                      disabled: true,
                    },
                  },
                ]
              : [],
          },
        }),
  };
}

/** Candles whose price wanders, one per frame. */
export function someCandles(from: number, to: number, frameMs: number, around = 61_000): Candle[] {
  const first = Math.ceil(from / frameMs) * frameMs;
  const count = Math.max(0, Math.floor((to - first) / frameMs));
  const part = around / 61_000;
  const price = (at: number) => (61_000 + Math.sin(at / 7) * 400 + Math.cos(at / 2.3) * 90) * part;
  return Array.from({ length: count }, (_, at) => {
    const open = price(at);
    const close = price(at + 1);
    return {
      time: first + at * frameMs,
      open: open.toFixed(2),
      high: (Math.max(open, close) + 40 * part).toFixed(2),
      low: (Math.min(open, close) - 40 * part).toFixed(2),
      close: close.toFixed(2),
      volume: '1',
    };
  });
}

/** A desk with these bots that carries out requests, as far as a console can see. */
export function botDesk(change: Partial<DeskState> = {}): FakeDesk {
  const desk: FakeDesk = new FakeDesk(
    deskState({ bots: someBots(), orders: botOrders(), alerts: someAlerts(), ...change }),
  );
  const set = (id: string, now: Partial<BotView>) => {
    const old = desk.state.bots[id] ?? bot(id);
    desk.push({ bots: { [id]: { ...old, ...now } } });
  };
  const stopped = (id: string) =>
    set(id, { status: 'STOPPED', runId: undefined, state: undefined, startedAt: null });
  desk.answers['bots.check'] = ({ settings }) => {
    const problems =
      settings.deposit === undefined && settings.conditions === undefined
        ? [{ path: 'deposit', message: 'missing' }]
        : [];
    const warnings = 'depositePercent' in settings ? [{ path: 'depositePercent', message: 'not known' }] : [];
    return { problems, warnings, text: '' };
  };
  desk.answers['bots.create'] = ({ bot: made }) => {
    const created = bot('bnew0000000', { ...made, symbol: made.settings.symbol, createdAt: NOON });
    desk.push({ bots: { [created.id]: created } });
    return ok(created);
  };
  desk.answers['bots.start'] = ({ id }) => {
    set(id, { status: 'STARTED', runId: `run-${id}`, state: 'waiting', startedAt: NOON, stats: figures() });
    return ok({ id, status: 'STARTED', runId: `run-${id}`, startedAt: NOON });
  };
  desk.answers['bots.stop'] = ({ id, runId }) => {
    stopped(id);
    return ok({ id, status: 'STOPPED', runId, stoppedAt: NOON, reason: 'operator' });
  };
  desk.answers['bots.delete'] = ({ id }) => {
    desk.push({ bots: { [id]: null } });
    return ok({ id });
  };
  desk.answers['bots.tag'] = ({ id, tag }) => {
    if (tag.length > 50) return refuse('INVALID_REQUEST', `tag: ${tag.length} characters; at most 50`);
    set(id, { tag: tag === '' ? undefined : tag });
    return ok(desk.state.bots[id] ?? bot(id));
  };
  desk.answers['bots.message'] = () => ok(null);
  desk.answers['bots.batch'] = (request) => {
    const ids = request.op === 'stop' ? request.runs.map(([id]) => id) : request.ids;
    return ok(
      ids.map((id) => {
        const running = desk.state.bots[id]?.runId !== undefined;
        if (request.op === 'start' && running)
          return { id, success: false, error: { code: 'CONFLICT', message: `bot ${id} is running already` } };
        if (request.op === 'start') set(id, { status: 'STARTED', runId: `run-${id}`, startedAt: NOON });
        if (request.op === 'stop') stopped(id);
        if (request.op === 'delete') desk.push({ bots: { [id]: null } });
        return { id, success: true };
      }),
    );
  };
  desk.answers['bots.detail'] = ({ id }) => {
    const found = desk.state.bots[id];
    return found ? detailOf(found, desk.state.orders) : null;
  };
  desk.answers['market.candles'] = ({ symbol, from, to, frameMs }) =>
    someCandles(from, to, frameMs, Number(desk.state.prices[`paper ${symbol}`]?.last));
  desk.answers['alerts.seen'] = ({ ids }) => {
    const alerts = desk.state.alerts.map((entry) =>
      ids.includes(entry.id) ? { ...entry, seen: true } : entry,
    );
    desk.push({ alerts });
    return null;
  };
  return desk;
}
