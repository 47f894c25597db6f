/**
 * NOTIFY: scans the symbols of an exchange at every close and alerts for those that pass; never trades
 * (strategies.md 9). Pure.
 */
import { type Dec, div, mul, ONE, str, ZERO } from '../../../domain/decimal.ts';
import type { BotCandle, SymbolView } from '../../market/view.ts';
import { filledMessage } from '../../run/alert-message.ts';
import { filtersPass, gateNeeds, percentFrom } from '../../run/gates.ts';
import type { FrameNeeds, Strategy, StrategyRun } from '../../strategy.ts';
import type { NotifyCondition, NotifySettings } from './settings.ts';

export interface NotifyState {
  /** Market time of the last alert, by symbol. */
  readonly alerted: Map<string, number>;
  /** Close time of the last scan. */
  scanned: number;
}

type NotifyRun = StrategyRun<NotifySettings, NotifyState>;

interface Found {
  readonly symbol: string;
  readonly change: Dec;
  readonly close: Dec;
  readonly passed: readonly number[];
}

export const notifyStrategy: Strategy<NotifySettings, NotifyState> = {
  needsPrice: false,

  startProblems: () => [],

  needs(settings, world) {
    const own = settings.timeFrame;
    return scannedSymbols(settings, world.symbols()).flatMap((symbol): FrameNeeds[] => [
      { symbol, frameMs: own, keep: lookbackOf(settings) + 1 },
      ...settings.conditions.flatMap((condition) =>
        condition.type === 'rsi' ? [{ symbol, frameMs: own, rsi: condition.period }] : [],
      ),
      ...gateNeeds(settings, own).map((need) => ({ ...need, symbol })),
    ]);
  },

  begin: () => ({ alerted: new Map(), scanned: 0 }),

  stopCompletesCycle: () => false,

  /**
   * Scans once for each close time: all symbols close at the same instant, so the first close starts the scan
   * of all.
   */
  onCandle(run, candle, frameMs) {
    if (frameMs !== run.settings.timeFrame) return;
    const close = candle.time + frameMs;
    if (close <= run.own.scanned) return;
    run.own.scanned = close;
    run.changed = true;
    scan(run, close);
  },

  quiet: () => ({ below: null, above: null }),

  label: () => 'scanning',
};

function scan(run: NotifyRun, close: number): void {
  const { settings, own, state, world } = run;
  const found: Found[] = [];
  for (const symbol of scannedSymbols(settings, world.symbols())) {
    const view = run.marketOf(symbol);
    const candle = view.lastClosed(settings.timeFrame);
    if (!candle || candle.time + settings.timeFrame !== close) {
      state.stats.skipped++;
      continue;
    }
    const last = own.alerted.get(symbol);
    if (last !== undefined && close < last + settings.cooldown) continue;
    if (
      settings.filters &&
      !filtersPass(settings.filters, symbol, settings.timeFrame, { market: view, price: candle.close })
    ) {
      continue;
    }
    const passed = settings.conditions.flatMap((condition, i) =>
      passes(condition, view, candle, settings.timeFrame) ? [i] : [],
    );
    const enough =
      settings.match === 'all' ? passed.length === settings.conditions.length : passed.length > 0;
    if (!enough) continue;
    found.push({ symbol, change: percentFrom(candle.open, candle.close), close: candle.close, passed });
  }
  found.sort((a, b) => (abs(a.change) === abs(b.change) ? 0 : abs(a.change) > abs(b.change) ? -1 : 1));
  for (const one of found.slice(0, settings.top)) tell(run, one, close);
}

function tell(run: NotifyRun, { symbol, change, close, passed }: Found, time: number): void {
  const { settings, own } = run;
  own.alerted.set(symbol, time);
  const condition = passed.map((i) => `conditions[${i}]`).join('+');
  const sign = change >= ZERO ? '+' : '';
  const what = passed.map((i) => settings.conditions[i]?.type.replace('_', ' ')).join(', ');
  const usual = `${symbol}: ${what}, ${sign}${str(div(mul(change, 100n * ONE) - (mul(change, 100n * ONE) % ONE), 100n * ONE))} % at ${str(close)}`;
  run.alert({
    condition,
    symbol,
    price: close,
    message: filledMessage(settings.message ?? usual, { symbol, price: close, condition, time }),
  });
}

function passes(condition: NotifyCondition, view: SymbolView, candle: BotCandle, frame: number): boolean {
  switch (condition.type) {
    case 'price_change': {
      const change = percentFrom(candle.open, candle.close);
      return condition.percent >= ZERO ? change >= condition.percent : change <= condition.percent;
    }
    case 'volume_surge': {
      const before = earlier(view, frame, condition.lookback);
      if (!before) return false;
      let sum = ZERO;
      for (const { volume } of before) sum += volume;
      return candle.volume * BigInt(before.length) >= mul(condition.ratio, sum);
    }
    case 'rsi': {
      const rsi = view.rsi(frame, condition.period);
      if (rsi === null) return false;
      const { above, below } = condition;
      return (above !== null && rsi > above) || (below !== null && rsi < below);
    }
    case 'breakout': {
      const before = earlier(view, frame, condition.lookback);
      if (!before) return false;
      const high = before.reduce((a, { high: b }) => (a > b ? a : b), (before[0] as BotCandle).high);
      const low = before.reduce((a, { low: b }) => (a < b ? a : b), (before[0] as BotCandle).low);
      return candle.close > high || candle.close < low;
    }
  }
}

/** Returns the candles before the last closed one, or null when there are fewer than `count`. */
function earlier(view: SymbolView, frame: number, count: number): readonly BotCandle[] | null {
  const candles = view.closed(frame, count + 1);
  return candles.length <= count ? null : candles.slice(0, -1);
}

function scannedSymbols(settings: NotifySettings, symbols: readonly string[]): string[] {
  if (settings.symbol !== '') return [settings.symbol];
  const blacklist = settings.filters?.blacklist ?? [];
  const { quote } = settings;
  return symbols.filter(
    (symbol) => (quote === null || symbol.endsWith(quote)) && !blacklist.includes(symbol),
  );
}

function lookbackOf({ conditions }: NotifySettings): number {
  let most = 1;
  for (const condition of conditions) {
    if ('lookback' in condition && condition.lookback > most) most = condition.lookback;
  }
  return most;
}

function abs(value: Dec): Dec {
  return value < ZERO ? -value : value;
}
