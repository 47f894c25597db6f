/** Plays a scenario over the tick market: the real runtime and strategies on the exchange of the backtest. */
import { RunHost } from '../../src/bots/backtest/run-host.ts';
import { TickMarket } from '../../src/bots/backtest/tick-market.ts';
import { CandleHub } from '../../src/bots/market/candle-hub.ts';
import { compileBot, problemsText } from '../../src/bots/settings/compile.ts';
import type {
  BotType,
  CompiledSettings,
  MarketRules,
  SettingsWorld,
} from '../../src/bots/settings/compiled.ts';
import { strategyOf } from '../../src/bots/strategies/index.ts';
import { dec, str, ZERO } from '../../src/domain/decimal.ts';
import type { Candle } from '../../src/domain/rows.ts';
import {
  type CandleRow,
  type ExpectedOrder,
  type Outcome,
  openDifferences,
  type Scenario,
  type ScenarioInstrument,
} from './scenario.ts';

export function playOnTickMarket(type: string, scenario: Scenario): Outcome {
  const instruments = scenario.instruments ?? (scenario.instrument ? [scenario.instrument] : []);
  const exchange = String(scenario.settings.exchange);
  const world = settingsWorld(scenario, instruments, exchange);
  const compiled = compileBot(type as BotType, scenario.settings, scenario.options, world);
  const { settings } = compiled;
  const invalid = compiled.ok ? [] : compiled.problems;
  if (!settings) return failed(problemsText(invalid));
  const rules = world.instrument(exchange, settings.symbol) ?? rulesOf(instruments[0] as ScenarioInstrument);
  const market = new TickMarket({
    rules,
    balances: new Map(Object.entries(scenario.balances ?? {}).map(([asset, text]) => [asset, dec(text)])),
    ...(scenario.position
      ? { position: { amount: dec(scenario.position.amount), entryPrice: dec(scenario.position.entryPrice) } }
      : {}),
    leverage: BigInt(settings.deposit?.leverage ?? 1) * dec('1'),
    participation: scenario.participation === undefined ? null : dec(scenario.participation),
  });
  const hub = new CandleHub({ time: scenario.start });
  const host = new RunHost({
    settings,
    strategy: strategyOf(type as BotType) as never,
    market,
    hub,
    start: scenario.start,
    history: (symbol, frameMs, from, to) => history(scenario, symbol, frameMs, from, to),
    symbols: instruments.map(({ symbol }) => symbol),
  });
  const problems = [...invalid, ...host.run.startProblems()];
  if (problems.length > 0) return failed(problemsText(problems));
  host.start();
  const seen = play(scenario, host, market, settings);
  return outcomeOf(scenario, host, market, seen);
}

type Seen = Pick<Outcome, 'opens' | 'refused'>;

function play(scenario: Scenario, host: RunHost, market: TickMarket, settings: CompiledSettings): Seen {
  const opens: string[] = [];
  const refused: string[] = [];
  for (const event of scenario.events) {
    if ('tick' in event) {
      const volume = event.volume === undefined ? ZERO : dec(event.volume);
      host.tick(event.symbol ?? settings.symbol, dec(event.tick), volume, event.at);
    } else if ('advance' in event) host.advance(event.at);
    else if ('expectOpen' in event) {
      host.advance(event.at);
      opens.push(...openDifferences(`open at ${event.at}`, event.expectOpen, openOrders(market)));
    } else if ('stop' in event) {
      host.advance(event.at);
      host.stop({
        cleanup: (event.stop.cleanup ?? 'cancelAllOrders') as 'cancelAllOrders',
        sell: event.stop.action === 'stop_and_sell',
        force: event.stop.force === true,
      });
    } else {
      host.advance(event.at);
      const { message, params } = event.command;
      const problem = host.command(message, params);
      if (problem !== null) refused.push(`${message} at ${event.at} was refused: ${problem}`);
    }
  }
  return { opens, refused };
}

function outcomeOf(scenario: Scenario, host: RunHost, market: TickMarket, seen: Seen): Outcome {
  const { run } = host;
  const { state } = run;
  const stats = run.stats();
  const assets = new Set(Object.keys({ ...scenario.balances, ...scenario.expect.balances }));
  const { position } = market;
  return {
    startError: null,
    fills: market.fills.map(({ at, side, price, qty, maker }) => ({
      at,
      side,
      price: str(price),
      qty: str(qty),
      maker,
    })),
    open: openOrders(market),
    balances: Object.fromEntries([...assets].map((asset) => [asset, { total: str(market.total(asset)) }])),
    position:
      position.amount === ZERO
        ? null
        : { amount: str(position.amount), entryPrice: str(position.entryPrice) },
    alerts: host.alerts.map(({ at, symbol, condition }) => ({ at, symbol, condition })),
    status: state.phase === 'ended' ? (state.reason === 'error' ? 'ERROR' : 'STOPPED') : 'STARTED',
    state: run.label(),
    reason: state.phase === 'ended' ? state.reason : null,
    stats: Object.fromEntries(
      Object.entries(stats).map(([name, value]) => [name, typeof value === 'bigint' ? str(value) : value]),
    ),
    ...seen,
  };
}

function openOrders(market: TickMarket): ExpectedOrder[] {
  return [...market.open()].map(({ order, type, price, stopPrice, qty }) => ({
    side: order.side,
    type,
    ...(price === null ? {} : { price: str(price) }),
    ...(stopPrice === null ? {} : { stopPrice: str(stopPrice) }),
    qty: str(qty),
  }));
}

function settingsWorld(
  scenario: Scenario,
  instruments: readonly ScenarioInstrument[],
  exchange: string,
): SettingsWorld {
  const bySymbol = new Map(instruments.map((one) => [one.symbol, rulesOf(one)]));
  const kind = instruments[0]?.kind ?? 'spot';
  return {
    now: scenario.start,
    accounts: new Map([[exchange, { kind, hedge: scenario.hedge === true }]]),
    instrument: (_exchange, symbol) => bySymbol.get(symbol) ?? null,
    symbols: () => [...bySymbol.keys()],
    targets: [],
  };
}

function rulesOf(one: ScenarioInstrument): MarketRules {
  return {
    symbol: one.symbol,
    base: one.base,
    quote: one.quote,
    kind: one.kind,
    tick: dec(one.tickSize),
    step: dec(one.stepSize),
    minQty: dec(one.minQty),
    minNotional: dec(one.minNotional),
    makerRate: dec(one.makerRate),
    takerRate: dec(one.takerRate),
    maxLeverage: 125,
  };
}

/** The scenario's closed candles of a frame, oldest first; larger frames are not asked for in scenarios. */
function history(scenario: Scenario, symbol: string, frameMs: number, from: number, to: number): Candle[] {
  const rows = Array.isArray(scenario.history)
    ? (scenario.history as readonly CandleRow[])
    : ((scenario.history as Readonly<Record<string, readonly CandleRow[]>> | undefined)?.[symbol] ?? []);
  const spacing = rows.length > 1 ? (rows[1] as CandleRow)[0] - (rows[0] as CandleRow)[0] : frameMs;
  if (spacing !== frameMs) return [];
  return rows
    .filter(([time]) => time >= from && time < to)
    .map(([time, open, high, low, close, volume]) => ({
      time,
      open: String(open),
      high: String(high),
      low: String(low),
      close: String(close),
      volume: String(volume),
    }));
}

function failed(startError: string): Outcome {
  return {
    startError,
    fills: [],
    open: [],
    balances: {},
    position: null,
    alerts: [],
    status: 'NEW',
    state: '',
    reason: null,
    stats: {},
    opens: [],
    refused: [],
  };
}
