/**
 * ALARM: alerts when a price crosses a line or an RSI enters a zone; never trades (strategies.md 8). Pure.
 */
import { str } from '../../../domain/decimal.ts';
import { crossed, type KeptSide, keepSide, lineAt, sideOf } from '../../market/price-line.ts';
import { filledMessage } from '../../run/alert-message.ts';
import type { Strategy, StrategyRun } from '../../strategy.ts';
import type { AlarmSettings } from './settings.ts';

/** State of one condition. */
interface Watched {
  /** Price line: the side that was last seen. */
  side: KeptSide;
  /** RSI: true when it was in the zone at the close before; null before a value. */
  inside: boolean | null;
  fired: boolean;
  /** Market time of the last firing. */
  at: number | null;
}

export interface AlarmState {
  readonly lines: Watched[];
  readonly rsi: Watched[];
}

type AlarmRun = StrategyRun<AlarmSettings, AlarmState>;

const fresh = (): Watched => ({ side: null, inside: null, fired: false, at: null });

export const alarmStrategy: Strategy<AlarmSettings, AlarmState> = {
  needsPrice: false,

  startProblems: () => [],

  needs: ({ rsi, timeFrame }) => rsi.map(({ period }) => ({ frameMs: timeFrame, rsi: period })),

  begin(run) {
    const { settings, market } = run;
    const state: AlarmState = { lines: settings.lines.map(fresh), rsi: settings.rsi.map(fresh) };
    const last = market.lastClosed(settings.timeFrame);
    for (const [i, line] of settings.lines.entries()) {
      // The last close before the start is the value before the first close.
      if (line.on !== 'close' || last === null) continue;
      const watched = state.lines[i] as Watched;
      watched.side = keepSide(null, sideOf(line.trend, last.time + settings.timeFrame, last.close));
    }
    for (const [i, { period, above, below }] of settings.rsi.entries()) {
      const value = market.rsi(settings.timeFrame, period);
      (state.rsi[i] as Watched).inside = value === null ? null : isInside(value, above, below);
    }
    return state;
  },

  stopCompletesCycle: () => false,

  onTick(run) {
    for (const [i, line] of run.settings.lines.entries()) {
      if (line.on === 'tick') look(run, i, run.price);
    }
  },

  onCandle(run, candle, frameMs) {
    const { settings, own } = run;
    if (frameMs !== settings.timeFrame) return;
    for (const [i, line] of settings.lines.entries()) {
      if (line.on === 'close') look(run, i, candle.close);
    }
    for (const [i, { period, above, below }] of settings.rsi.entries()) {
      const watched = own.rsi[i] as Watched;
      const value = run.market.rsi(settings.timeFrame, period);
      if (value === null) continue;
      const inside = isInside(value, above, below);
      const entered = inside && watched.inside === false;
      if (inside !== watched.inside) run.changed = true;
      watched.inside = inside;
      const zone = [above === null ? '' : `above ${above}`, below === null ? '' : `below ${below}`];
      if (entered) {
        fire(
          run,
          watched,
          `rsi[${i}]`,
          `RSI(${period}) is ${value.toFixed(1)}, ${zone.filter(Boolean).join(' or ')}`,
        );
      }
    }
  },

  label: () => 'watching',
};

function look(run: AlarmRun, i: number, price: bigint): void {
  const line = run.settings.lines[i];
  const watched = run.own.lines[i];
  if (!line || !watched) return;
  const side = keepSide(watched.side, sideOf(line.trend, run.now, price));
  const fires = crossed(watched.side, side, line.direction);
  if (side !== watched.side) run.moved = true;
  watched.side = side;
  if (!fires) return;
  const way = side === 1 ? 'up through' : 'down through';
  fire(run, watched, `range[${i}]`, `${str(price)} crossed ${way} ${str(lineAt(line.trend, run.now))}`);
}

function fire(run: AlarmRun, watched: Watched, condition: string, what: string): void {
  const { settings, own, rules } = run;
  const once = settings.repeat === 'once';
  if (once && watched.fired) return;
  if (!once && watched.at !== null && run.now < watched.at + settings.snoozeDuration) return;
  watched.fired = true;
  watched.at = run.now;
  run.changed = true;
  const symbol = settings.symbol || rules.symbol;
  const price = run.market.price;
  run.alert({
    condition,
    symbol,
    price,
    message: filledMessage(settings.message ?? `${symbol}: ${what}`, {
      symbol,
      price,
      condition,
      time: run.now,
    }),
  });
  if (once && [...own.lines, ...own.rsi].every(({ fired }) => fired)) run.end('completed');
}

/**
 * True inside the zone. Strict: above means >, below means <; with both given, either of them is the zone.
 */
function isInside(value: number, above: number | null, below: number | null): boolean {
  return (above !== null && value > above) || (below !== null && value < below);
}
