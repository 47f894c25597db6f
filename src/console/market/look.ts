/**
 * Subscribes to what the market screen shows, only while it is in view: the symbol's market data, its closed
 * candles and the fills on it. One request of each kind at a time.
 */
import type { DeskState } from '../../desk/console/protocol.ts';
import { errorText, type Outcome } from '../../domain/errors.ts';
import { marketKey, marketOf } from '../../domain/exchange.ts';
import { deskState, type Session } from '../app/session.ts';
import type { UiState } from '../state/ui.ts';
import type { ChartMark } from '../ui/chart-price.ts';
import { lookAt } from './market-chart.ts';
import { FRAMES, type MarketAt, type MarketScreenView } from './market-view.ts';

/**
 * Candles to read: as many as the widest terminal shows, and before them those that the longest average
 * needs.
 */
const CANDLES = 1_000;
/** Number of newest fills on an account that are drawn. */
const FILLS = 200;
/** Time between two reads of data that changes, ms. */
const AGAIN_MS = 1_000;

/** The symbol and candle length to subscribe to; null: the screen is not in view. */
function wanted(ui: UiState): { readonly at: MarketAt; readonly frameMs: number } | null {
  const { at, frameMs } = ui.market;
  return ui.screen === 'market' && at ? { at, frameMs } : null;
}

/** Starts following the screen; returns a function that ends it. */
export function followMarketScreen(session: Session): () => void {
  const look = lookFollower(session);
  const past = reader(session, 'market-past', readPast);
  const fills = reader(session, 'market-fills', readFills);
  const ends = [
    session.ui.subscribe((ui, before) => {
      if (ui.screen === before.screen && ui.market === before.market) return;
      look();
      const [now, then] = [wanted(ui), wanted(before)];
      if (now?.at !== then?.at || now?.frameMs !== then?.frameMs) past(0);
      if (now?.at !== then?.at) fills(0);
    }),
    session.desk.subscribe(({ state }, { state: before }) => {
      const now = wanted(session.ui.getState());
      if (!now || !state || state === before) return;
      const view = session.ui.getState().market;
      const forming = lookAt(state, view)?.forming;
      const closed = before && lookAt(before, view)?.forming;
      if (closed && forming && closed.time < forming.time) {
        keepClosed(session, closed);
        past(AGAIN_MS);
      }
      if (filledOf(state, now.at) !== filledOf(before, now.at)) fills(AGAIN_MS);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** The filled quantities of the orders of a symbol as a text, which differs after every further fill. */
function filledOf(state: DeskState | null, { symbol }: MarketAt): string {
  if (!state) return '';
  let text = '';
  for (const order of Object.values(state.orders))
    if (order.symbol === symbol && order.executedQty !== '0') text += `${order.id}${order.executedQty} `;
  return text;
}

/** Keeps a candle that has just closed on the chart until the desk delivers it. */
function keepClosed(
  session: Session,
  candle: NonNullable<MarketScreenView['past']>['candles'][number],
): void {
  session.ui.setState(({ market }) => {
    const { past } = market;
    const last = past?.candles.at(-1);
    if (!past || past.frameMs !== market.frameMs || (last && last.time >= candle.time)) return {};
    return { market: { ...market, past: { ...past, candles: [...past.candles, candle].slice(-CANDLES) } } };
  });
}

/** Tells the desk what is in view whenever that changes, one call after the other. */
function lookFollower(session: Session): () => void {
  let told: ReturnType<typeof wanted> = null;
  let isTelling = false;
  const follow = async (): Promise<void> => {
    if (isTelling) return;
    isTelling = true;
    try {
      for (;;) {
        const now = wanted(session.ui.getState());
        const isSame = now?.frameMs === told?.frameMs && keyOf(now?.at) === keyOf(told?.at);
        if (isSame) return;
        told = now;
        if (!now) await session.client.call('market.lookAway', {});
        else {
          const { market, symbol } = now.at;
          const outcome = await session.client.call('market.look', { market, symbol, frameMs: now.frameMs });
          answered(session, now.frameMs, outcome);
        }
      }
    } catch (error) {
      refuse(session, errorText(error));
    } finally {
      isTelling = false;
    }
  };
  return () => void follow();
}

function keyOf(at: MarketAt | null | undefined): string {
  return at ? marketKey(at.market, at.symbol) : '';
}

/** Handles the response; where a market does not have such short candles, the next longer ones are tried. */
function answered(session: Session, frameMs: number, outcome: Outcome<null>): void {
  if (outcome.ok) {
    refuse(session, null);
    return;
  }
  const longer = FRAMES.find(({ ms }) => ms > frameMs);
  const isFrame = outcome.error.code === 'INVALID_REQUEST';
  if (isFrame && longer && session.ui.getState().market.frameMs === frameMs)
    session.ui.setState(({ market }) => ({ market: { ...market, frameMs: longer.ms, cursor: null } }));
  else refuse(session, outcome.error.message);
}

function refuse(session: Session, refusal: string | null): void {
  session.ui.setState(({ market }) => (market.refusal === refusal ? {} : { market: { ...market, refusal } }));
}

/** Reads after a delay, one read at a time; a request during a read leads to another read after it. */
function reader(
  session: Session,
  name: string,
  read: (session: Session) => Promise<void>,
): (delayMs: number) => void {
  let isReading = false;
  let again = false;
  const run = async (): Promise<void> => {
    if (isReading) {
      again = true;
      return;
    }
    isReading = true;
    try {
      await read(session);
    } catch {
      // The connection has ended, or the desk refuses: the screen keeps what it shows.
    } finally {
      isReading = false;
    }
    if (!again) return;
    again = false;
    session.later(name, AGAIN_MS, () => void run());
  };
  return (delayMs) => {
    if (delayMs === 0) void run();
    else session.later(name, delayMs, () => void run());
  };
}

async function readPast(session: Session): Promise<void> {
  const state = deskState(session);
  const ui = session.ui.getState();
  const now = wanted(ui);
  if (!now || !state) return;
  const { market, symbol } = now.at;
  const { frameMs } = now;
  const key = marketKey(market, symbol);
  const last = state.prices[key]?.time ?? state.clock.market;
  const to = Math.max(last, lookAt(state, ui.market)?.forming?.time ?? 0);
  const from = Math.max(0, to - CANDLES * frameMs);
  const candles = await session.client.call('market.candles', { market, symbol, frameMs, from, to });
  session.ui.setState((later) =>
    isStill(later, key, frameMs) ? { market: { ...later.market, past: { key, frameMs, candles } } } : {},
  );
}

function isStill({ market }: UiState, key: string, frameMs: number): boolean {
  return keyOf(market.at) === key && market.frameMs === frameMs;
}

async function readFills(session: Session): Promise<void> {
  const state = deskState(session);
  const now = wanted(session.ui.getState());
  if (!now || !state) return;
  const { market, symbol } = now.at;
  const key = marketKey(market, symbol);
  const marks: ChartMark[] = [];
  for (const { id } of state.accounts.filter((account) => marketOf(account) === market)) {
    const page = await session.client.call('trades.page', { exchange: id, symbol, limit: FILLS });
    marks.push(...page.trades.map(({ time, price, side }) => ({ time, price, side })));
  }
  marks.sort((a, b) => a.time - b.time);
  session.ui.setState((later) =>
    keyOf(later.market.at) === key ? { market: { ...later.market, fills: { key, marks } } } : {},
  );
}
