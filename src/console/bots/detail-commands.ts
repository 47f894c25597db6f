/** Commands of the bot's detail: its pages, and when its lots, stops, notices and candles are loaded. */
import type { BotView } from '../../desk/console/protocol.ts';
import { ask, deskState, type Session } from '../app/session.ts';
import { scrolled } from '../lists/list-views.ts';
import { marketNow, symbolOf } from '../trading/bots.ts';
import { priceOf } from '../trading/prices.ts';
import { movedCursor } from '../ui/chart-price.ts';
import type { Line } from '../ui/line.ts';
import { chartFrame, longerFrames } from './bot-chart.ts';
import { CHART_TITLE } from './bot-detail.ts';
import { BOT_PAGES } from './bot-forms.ts';
import { botPageLines } from './bot-history.ts';
import { currentBot, patchBots, showBot } from './commands.ts';

/** The chart goes back at least this far. */
const CHART_MS = 3_600_000;
/** Time between two requests about a bot of which only the profit changes. */
const FOLLOW_MS = 5_000;
/** Requested candles of a chart, perhaps more than it has columns. */
const CHART_COLUMNS = 110;

export function nextBotPage(session: Session): void {
  const { bots } = session.ui.getState();
  if (!bots.detailOpen) {
    const bot = currentBot(session);
    if (bot) showBot(session, bot.id);
    return;
  }
  const page = BOT_PAGES[(BOT_PAGES.indexOf(bots.page) + 1) % BOT_PAGES.length] ?? 'now';
  patchBots(session, { page, detailOffset: 0 });
}

/** Moves the crosshair by a candle, starting from the newest one, and scrolls to the chart. */
export function moveCrosshair(session: Session, by: number): void {
  const { bots } = session.ui.getState();
  const bot = currentBot(session);
  if (!bot || bots.chart?.id !== bot.id) return;
  const cursor = movedCursor(bots.chart.candles, bots.cursor, by);
  if (cursor === null) return;
  const lines = pageLines(session);
  const title = lines.findIndex(([first]) => first?.text === CHART_TITLE);
  patchBots(session, { cursor, detailOffset: title < 0 ? bots.detailOffset : Math.max(0, title) });
}

function pageLines(session: Session): readonly Line[] {
  const state = deskState(session);
  const { bots, columns, rows } = session.ui.getState();
  const bot = currentBot(session);
  if (!state || !bot) return [];
  const detail = bots.detail?.bot.id === bot.id ? bots.detail : null;
  const { chart, cursor } = bots;
  const world = { state, detail, chart, cursor, wall: session.wall(), width: columns, height: rows };
  return botPageLines(bots.page, bot, world);
}

export function scrollBot(session: Session, by: number): void {
  const { bots } = session.ui.getState();
  const lines = pageLines(session).length;
  if (lines === 0) return;
  patchBots(session, { detailOffset: scrolled(bots.detailOffset, by, lines - 1) });
}

interface Loading {
  readonly id: string;
  again: boolean;
}

const loading = new WeakMap<Session, Loading>();

/** Loads the selected bot's detail and chart: one request per bot at a time, again after a change. */
export async function loadBot(session: Session): Promise<void> {
  const bot = currentBot(session);
  const { bots } = session.ui.getState();
  if (!bot || !bots.detailOpen) return;
  const under = loading.get(session);
  if (under?.id === bot.id) {
    under.again = true;
    return;
  }
  const mine: Loading = { id: bot.id, again: false };
  loading.set(session, mine);
  const detail = await ask(session, 'bots.detail', { id: bot.id });
  await loadChart(session, bot);
  if (loading.get(session) !== mine) return;
  loading.delete(session);
  if (currentBot(session)?.id === bot.id) patchBots(session, { detail });
  if (mine.again) void loadBot(session);
}

interface Followed {
  /** Changes whenever lots, stops, runs or notices may have changed. */
  readonly change: string;
  readonly unrealised: string | undefined;
  /** Wall time of the last request. */
  readonly at: number;
}

const followed = new WeakMap<Session, Followed>();

/**
 * Loads the detail again if the bot in view, or the number of its open orders, has changed. If only the price
 * has changed its profit, then only trailing levels can have changed, and loading every few seconds is
 * enough.
 */
export function followBot(session: Session, bot: BotView, orders: number): void {
  const { id, status, state, runId, updatedAt, stats } = bot;
  const change = JSON.stringify([id, status, state, runId, updatedAt, stats?.fills, stats?.realised, orders]);
  const unrealised = stats?.unrealised;
  const before = followed.get(session);
  const at = session.wall();
  const price = before?.change === change && before.unrealised !== unrealised;
  if (price && Math.abs(at - before.at) < FOLLOW_MS) {
    followed.set(session, { ...before, unrealised });
    return;
  }
  followed.set(session, { change, unrealised, at });
  void loadBot(session);
}

/** Loads candles since the run began, at least of the last hour; again once a candle has closed. */
async function loadChart(session: Session, bot: BotView): Promise<void> {
  const state = deskState(session);
  const symbol = symbolOf(bot);
  const price = state && priceOf(state, bot.exchange, symbol);
  if (!state || !price) return;
  const { market } = price;
  const now = Math.max(price.time, marketNow(state, 0));
  const since = bot.startedAt === null ? CHART_MS : Math.max(CHART_MS, now - bot.startedAt);
  const wanted = chartFrame(since * 1.1, CHART_COLUMNS);
  const known = session.ui.getState().bots.chart;
  const same =
    known?.id === bot.id && known.symbol === symbol && known.market === market && known.frameMs >= wanted;
  const newest = known?.candles.at(-1)?.time;
  if (same && newest !== undefined && now < newest + 2 * known.frameMs) return;
  for (const frameMs of longerFrames(wanted)) {
    const from = now - frameMs * CHART_COLUMNS;
    const candles = await ask(session, 'market.candles', { market, symbol, frameMs, from, to: now });
    if (!candles) return;
    if (candles.length === 0) continue;
    patchBots(session, { chart: { id: bot.id, market, symbol, frameMs, candles } });
    return;
  }
}
