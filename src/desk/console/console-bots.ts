/**
 * The console's calls about bots and alerts, for the one local operator: commands to the engine, reads of
 * bots, runs and notices.
 */
import type { LiveRun } from '../../bots/runtime/live-run.ts';
import { problemsText } from '../../bots/settings/check.ts';
import { OWNER } from '../../domain/actor.ts';
import type { BotCommand, NewBot } from '../../domain/bot.ts';
import { str, ZERO } from '../../domain/decimal.ts';
import { type Outcome, refuse } from '../../domain/errors.ts';
import { mayBeOpen } from '../../domain/order.ts';
import { orderViewOf } from '../../engine/views.ts';
import { ALERT_TYPE } from '../../schemas/bots/index.ts';
import type { CallerFacadeOptions } from './console-facade.ts';
import { shortened } from './mirrored.ts';
import type { BotDetail, BotFill, BotView, Params, Result } from './protocol.ts';

type BotOptions = Pick<
  CallerFacadeOptions,
  'core' | 'store' | 'driver' | 'requestId' | 'preview' | 'actor' | 'priceAlertsTo'
>;

/** Most runs or notices in the detail of one bot. */
const RUNS = 50;
const NOTICES = 200;
/** Most characters of JSON of the runs in one detail; the newest run is returned whatever its length. */
const RUNS_CHARACTERS = 1024 * 1024;
/** Fills of the market that are searched for a bot's own. */
const FILLS = 300;

/** A price alert goes where the configuration sends them; a console names no targets. */
function told(bot: NewBot, to: readonly string[]): NewBot {
  return bot.type === ALERT_TYPE ? { ...bot, settings: { ...bot.settings, notify: to } } : bot;
}

export function botHandlers(o: BotOptions) {
  const ask = <T>(command: BotCommand) => run<T>(o, command);
  return {
    'bots.create': ({ bot }: Params<'bots.create'>): Promise<Result<'bots.create'>> =>
      ask({ type: 'bot.create', bot }),
    'bots.manage': ({ bot }: Params<'bots.manage'>): Promise<Result<'bots.manage'>> =>
      ask({ type: 'bot.manage', bot: told(bot, o.priceAlertsTo) }),
    'bots.check': ({ type, settings, options }: Params<'bots.check'>): Result<'bots.check'> => {
      const bots = o.core.bots;
      if (!bots) return { problems: [], warnings: [], text: '' };
      const { problems = [], warnings } = {
        problems: [],
        ...bots.compile({ type, settings, options: options ?? null, user: OWNER }, o.driver.marketTime),
      };
      return { problems, warnings, text: problemsText(problems) };
    },
    'bots.ladder': (sketch: Params<'bots.ladder'>): Promise<Result<'bots.ladder'>> =>
      o.preview.ladder(sketch),
    'bots.replay': (sketch: Params<'bots.replay'>): Promise<Result<'bots.replay'>> =>
      o.preview.replay(sketch),
    'bots.replayProgress': ({ token }: Params<'bots.replayProgress'>): Result<'bots.replayProgress'> =>
      o.preview.progress(token),
    'bots.replayEnd': ({ token }: Params<'bots.replayEnd'>): Result<'bots.replayEnd'> => {
      o.preview.end(token);
      return null;
    },
    'bots.patch': ({ id, change }: Params<'bots.patch'>): Promise<Result<'bots.patch'>> =>
      ask({ type: 'bot.patch', id, change }),
    'bots.tag': ({ id, tag }: Params<'bots.tag'>): Promise<Result<'bots.tag'>> =>
      ask({ type: 'bot.tag', id, tag }),
    'bots.delete': ({ id, force }: Params<'bots.delete'>): Promise<Result<'bots.delete'>> =>
      ask({ type: 'bot.delete', id, force }),
    'bots.start': ({ id }: Params<'bots.start'>): Promise<Result<'bots.start'>> =>
      ask({ type: 'bot.start', id }),
    'bots.stop': ({ id, runId, way }: Params<'bots.stop'>): Promise<Result<'bots.stop'>> =>
      ask({ type: 'bot.stop', id, runId, way }),
    'bots.message': ({
      id,
      runId,
      message,
      params,
    }: Params<'bots.message'>): Promise<Result<'bots.message'>> =>
      ask({ type: 'bot.message', id, runId, message, params }),
    'bots.batch': (request: Params<'bots.batch'>): Promise<Result<'bots.batch'>> => {
      switch (request.op) {
        case 'start':
          return ask({ type: 'bot.batchStart', ids: request.ids });
        case 'delete':
          return ask({ type: 'bot.batchDelete', ids: request.ids });
        case 'stop':
          return ask({ type: 'bot.batchStop', runs: request.runs, way: request.way });
      }
    },
    'bots.detail': ({ id }: Params<'bots.detail'>): Promise<BotDetail | null> =>
      o.core.turn.read(() => detailOf(o, id)),
  };
}

/** Returns a bot as every terminal mirrors it; null when there is none of this id. */
export function botView(core: CallerFacadeOptions['core'], id: string): BotView | null {
  const bot = core.bots?.book.bots.get(id);
  if (!core.bots || bot?.user !== OWNER) return null;
  const live = core.bots.book.running(bot);
  return {
    ...core.bots.book.shown(bot),
    createdAt: bot.createdAt,
    updatedAt: bot.updatedAt,
    restartAt: bot.restartAt,
    startedAt: live?.run.state.startedAt ?? null,
    ...holdsOf(live),
  };
}

function holdsOf(live: LiveRun | null): Pick<BotView, 'holds'> {
  if (live?.run.rules.kind !== 'spot') return {};
  const held = live.run.lots.total();
  return held > ZERO ? { holds: { qty: str(held), asset: live.run.rules.base } } : {};
}

function detailOf({ core, store }: BotOptions, id: string): BotDetail | null {
  const bot = botView(core, id);
  if (!bot || !core.bots) return null;
  const live = bot.runId === undefined ? undefined : core.bots.book.runs.get(bot.runId);
  const orders = [...core.engine.memory.orders.values()].filter(
    (order) => order.creator === 'BOT' && order.creatorId === id && mayBeOpen(order),
  );
  return {
    bot,
    orders: orders.map(orderViewOf),
    runs: runsOf(store, id),
    notices: store.notices(id, NOTICES).map((notice) => ({ ...notice, text: shortened(notice.text) })),
    ...(live ? { live: live.outline() } : {}),
    fills: fillsOf({ core, store }, bot),
  };
}

/**
 * Returns the newest runs without their state, which is the engine's own; as many as their total length
 * allows.
 */
function runsOf(store: BotOptions['store'], id: string): BotDetail['runs'] {
  let characters = 0;
  return store.runs(id, RUNS).flatMap(({ state: _state, ...record }, i) => {
    characters += JSON.stringify(record).length;
    return i === 0 || characters <= RUNS_CHARACTERS ? [record] : [];
  });
}

async function run<T>(o: BotOptions, command: BotCommand): Promise<Outcome<T>> {
  const { outcome } = await o.core.execute(o.actor, command, { requestId: o.requestId() });
  return (outcome as Outcome<T> | undefined) ?? refuse('INTERNAL_ERROR', 'the desk gave no answer');
}

/** Returns a bot's fills on its market, for the marks of its chart. */
function fillsOf({ core, store }: Pick<BotOptions, 'core' | 'store'>, bot: BotView): BotFill[] {
  const { exchange } = bot;
  const symbol = symbolOf(bot.symbol);
  const trades = symbol === '' ? [] : store.trades({ user: OWNER, exchange, symbol, limit: FILLS });
  const own = new Map<string, boolean>();
  const isOwn = (orderId: string): boolean => {
    const known = own.get(orderId);
    if (known !== undefined) return known;
    const order = core.engine.memory.orders.get(orderId) ?? store.order(orderId)?.order;
    const mine = order?.creator === 'BOT' && order.creatorId === bot.id;
    own.set(orderId, mine);
    return mine;
  };
  return trades
    .filter(({ orderId }) => isOwn(orderId))
    .map(({ time, side, price, qty }) => ({ time, side, price, qty }));
}

/** Returns the venue's symbol of a base and a quote; empty for anything else. */
function symbolOf(symbol: unknown): string {
  if (typeof symbol === 'string') return symbol;
  const { base, quote } = (symbol ?? {}) as { base?: unknown; quote?: unknown };
  return typeof base === 'string' && typeof quote === 'string' ? base + quote : '';
}
