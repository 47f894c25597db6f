/**
 * The desk's answers about bots in an editor, by the desk's own code: checks, ladder and replay.
 * Deterministic.
 */
import { previewBacktest } from '../../../src/bots/backtest/preview.ts';
import { ladderAnswer } from '../../../src/bots/ladder/answer.ts';
import { tableOfCandles } from '../../../src/bots/market/candle-table.ts';
import { problemsText } from '../../../src/bots/settings/check.ts';
import { compileBot } from '../../../src/bots/settings/compile.ts';
import type { MarketRules, SettingsWorld } from '../../../src/bots/settings/compiled.ts';
import type { BotSketch, LadderView, ReplayView } from '../../../src/desk/console/protocol.ts';
import { dec, ZERO } from '../../../src/domain/decimal.ts';
import type { Candle } from '../../../src/domain/rows.ts';
import type { FakeDesk } from './fake-desk.ts';
import { botDesk } from './some-bots.ts';
import { BRACKETS } from './some-futures.ts';
import { NOON } from './some-market.ts';

const MINUTE = 60_000;

/** `botDesk` with real answers about settings. */
export function benchDesk(change: Parameters<typeof botDesk>[0] = {}): FakeDesk {
  const desk = botDesk(change);
  desk.answers['bots.check'] = (sketch) => {
    const compiled = compileBot(sketch.type, sketch.settings, sketch.options, worldOf(desk));
    const problems = compiled.ok ? [] : compiled.problems;
    return { problems, warnings: compiled.warnings, text: problemsText(problems) };
  };
  desk.answers['bots.ladder'] = (sketch) => ladderOf(desk, sketch);
  desk.answers['bots.replay'] = (sketch) => replayOf(desk, sketch);
  desk.answers['bots.replayProgress'] = () => null;
  desk.answers['bots.replayEnd'] = () => null;
  return desk;
}

export function worldOf({ state }: FakeDesk): SettingsWorld {
  return {
    now: NOON,
    accounts: new Map(state.accounts.map(({ id, kind }) => [id, { kind, hedge: false }])),
    instrument: (exchange, symbol) => rulesOf(state, exchange, symbol),
    symbols: (exchange) =>
      state.instruments.filter((one) => one.exchange === exchange).map(({ symbol }) => symbol),
    targets: ['ops'],
  };
}

function rulesOf(state: FakeDesk['state'], exchange: string, symbol: string): MarketRules | null {
  const one = state.instruments.find((entry) => entry.exchange === exchange && entry.symbol === symbol);
  if (!one) return null;
  return {
    symbol,
    base: one.base,
    quote: one.quote,
    kind: one.kind,
    tick: dec(one.tickSize),
    step: dec(one.stepSize),
    minQty: dec(one.minQty),
    minNotional: dec(one.minNotional),
    makerRate: dec('0.001'),
    takerRate: dec('0.001'),
    maxLeverage: one.kind === 'futures' ? 125 : 1,
  };
}

function ladderOf(desk: FakeDesk, { type, settings, options }: BotSketch): LadderView {
  const exchange = String(settings.exchange);
  return ladderAnswer({ type, settings, options }, worldOf(desk), (symbol) => {
    const rules = rulesOf(desk.state, exchange, symbol);
    const last = desk.state.prices[`paper ${symbol}`]?.last;
    if (!rules || last === undefined) return null;
    return {
      rules,
      price: dec(last),
      now: NOON,
      available: dec('100000'),
      base: ZERO,
      position: null,
      tiers: BRACKETS.map(({ notionalFloor, notionalCap, maintenanceMarginRate, cumulative }) => ({
        floor: dec(notionalFloor),
        cap: dec(notionalCap),
        rate: dec(maintenanceMarginRate),
        cumulative: dec(cumulative),
      })),
      crossed: false,
      leverage: 10,
    };
  });
}

/** A price that swings by two percent around the last one. */
function swing(last: number, places: number, rows: number): Candle[] {
  const end = Math.floor(NOON / MINUTE) * MINUTE;
  const at = (row: number) => (last * (1 + Math.sin(row / 40) * 0.02)).toFixed(places);
  return Array.from({ length: rows }, (_, row) => {
    const [open, close] = [at(row), at(row + 1)];
    const [low, high] = Number(open) < Number(close) ? [open, close] : [close, open];
    return { time: end - (rows - row) * MINUTE, open, high, low, close, volume: '10' };
  });
}

function replayOf(desk: FakeDesk, { type, settings, options }: BotSketch): ReplayView {
  const { symbol, ticker } = settings as { symbol?: { base: string; quote: string }; ticker?: string };
  const name =
    ticker ?? (typeof symbol === 'object' ? symbol.base + symbol.quote : String(symbol ?? 'BTCUSDT'));
  const last = desk.state.prices[`paper ${name}`]?.last;
  if (last === undefined) return { done: 'impossible', text: `There are no candles of ${name} yet.` };
  const table = tableOfCandles(name, MINUTE, swing(Number(last), (last.split('.')[1] ?? '').length, 600));
  const steps = previewBacktest({ bot: { type, settings, options }, candles: [table], world: worldOf(desk) });
  for (;;) {
    const step = steps.next();
    if (step.done) return { done: 'played', preview: step.value, frameMs: MINUTE };
  }
}
