/**
 * Plays a scenario in the backtest: the session that `outcry backtest` and the previews run, automatic
 * restarts included, on the tick market.
 */
import { BotSession } from '../../src/bots/backtest/session.ts';
import type { TickMarket } from '../../src/bots/backtest/tick-market.ts';
import { figuresOf } from '../../src/bots/runtime/figures.ts';
import { problemsText } from '../../src/bots/settings/check.ts';
import type { BotType, MarketRules, SettingsWorld } from '../../src/bots/settings/compiled.ts';
import { type Dec, dec, ONE, str, ZERO } from '../../src/domain/decimal.ts';
import { lotText } from './on-desk.ts';
import {
  type ExpectedOrder,
  historyOf,
  instrumentsOf,
  isOver,
  notStarted,
  type Outcome,
  openDifferences,
  type Scenario,
  type ScenarioInstrument,
} from './scenario.ts';

const MINUTE_MS = 60_000;

export function playOnTickMarket(type: string, scenario: Scenario): Outcome {
  const instruments = instrumentsOf(scenario);
  const { balances, position, participation } = scenario;
  const session = BotSession.open({
    bot: { type: type as BotType, settings: scenario.settings, options: scenario.options },
    world: settingsWorld(scenario, instruments),
    start: scenario.start,
    firstPrice: firstPrice(scenario),
    frameMs: MINUTE_MS,
    balances: () => new Map(Object.entries(balances ?? {}).map(([asset, text]) => [asset, dec(text)])),
    ...(position ? { position: { amount: dec(position.amount), entryPrice: dec(position.entryPrice) } } : {}),
    slippage: ZERO,
    participation: participation === undefined ? null : dec(participation),
    history: (symbol, frameMs, from, to) => historyOf(scenario, symbol, frameMs, from, to),
    symbols: instruments.map(({ symbol }) => symbol),
    everyTick: false,
  });
  if (!(session instanceof BotSession)) return notStarted(problemsText(session));
  return outcomeOf(scenario, session, play(scenario, session));
}

type Seen = Pick<Outcome, 'opens' | 'refused'>;

function play(scenario: Scenario, session: BotSession): Seen {
  const opens: string[] = [];
  const refused: string[] = [];
  const symbol = instrumentsOf(scenario)[0]?.symbol ?? '';
  for (const event of scenario.events) {
    const { at } = event;
    if ('tick' in event) {
      const volume = event.volume === undefined ? ZERO : dec(event.volume);
      session.tick(event.symbol ?? symbol, dec(event.tick), volume, at);
      continue;
    }
    session.advance(at);
    if ('expectOpen' in event) {
      opens.push(...openDifferences(`open at ${at}`, event.expectOpen, openOrders(session.market)));
    } else if (!('advance' in event) && session.host.ended) {
      refused.push(isOver(event));
    } else if ('stop' in event) {
      session.host.stop({
        cleanup: (event.stop.cleanup ?? 'cancelAllOrders') as 'cancelAllOrders',
        sell: event.stop.action === 'stop_and_sell',
        force: event.stop.force === true,
      });
      session.advance(at);
    } else if ('command' in event) {
      const { message, params } = event.command;
      const problem = session.host.command(message, params);
      if (problem !== null) refused.push(`${message} at ${at} was refused: ${problem}`);
      session.advance(at);
    }
  }
  return { opens, refused };
}

function outcomeOf(scenario: Scenario, session: BotSession, seen: Seen): Outcome {
  const { market, hosts } = session;
  const { run } = session.host;
  const { state } = run;
  const stats = run.stats();
  const traded = instrumentsOf(scenario).flatMap(({ base, quote }) => [base, quote]);
  const assets = new Set([...Object.keys(scenario.balances ?? {}), ...traded]);
  const { position } = market;
  const trades = hosts.flatMap(({ recorder }) => recorder.trades);
  return {
    startError: null,
    fills: market.fills.map(({ at, side, price, qty, maker, fee, feeAsset }, i) => ({
      at,
      side,
      price: str(price),
      qty: str(qty),
      maker,
      fee: `${str(fee)} ${feeAsset}`,
      ...(trades[i] ? { label: trades[i].label } : {}),
    })),
    open: openOrders(market),
    balances: Object.fromEntries([...assets].map((asset) => [asset, { total: str(market.total(asset)) }])),
    position:
      position.amount === ZERO
        ? null
        : { amount: str(position.amount), entryPrice: str(position.entryPrice) },
    alerts: hosts.flatMap(({ alerts }) =>
      alerts.map(({ at, symbol, condition }) => ({ at, symbol, condition })),
    ),
    status: statusOf(session),
    state: run.label(),
    reason: state.phase === 'ended' ? state.reason : null,
    stats: Object.fromEntries(
      Object.entries(stats).map(([name, value]) => [name, typeof value === 'bigint' ? str(value) : value]),
    ),
    ...seen,
    runs: hosts.map((host) => {
      const { startedAt, endedAt, reason, error } = host.run.state;
      return { startedAt, endedAt, reason, error, figures: figuresOf(host.run) };
    }),
    ...(state.phase === 'ended' ? {} : { lots: run.lots.open.map(lotText) }),
  };
}

/** The status of the bot: a refused restart leaves it in ERROR. */
function statusOf({ host, notices }: BotSession): string {
  const { state } = host.run;
  if (state.phase !== 'ended') return 'STARTED';
  const refused = notices.some(
    ({ at, text }) =>
      at >= (state.endedAt ?? at) && text.startsWith('not started again') && !text.endsWith('within an hour'),
  );
  return state.reason === 'error' || refused ? 'ERROR' : 'STOPPED';
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

/** The price that the checks of a start use: the known price, or the first one of the events. */
function firstPrice({ known, events }: Scenario): Dec {
  const first = events.find((event) => 'tick' in event);
  return known !== undefined ? dec(known) : first && 'tick' in first ? dec(first.tick) : ONE;
}

export function settingsWorld(
  scenario: Scenario,
  instruments: readonly ScenarioInstrument[],
): Omit<SettingsWorld, 'now'> {
  const bySymbol = new Map(instruments.map((one) => [one.symbol, rulesOf(one)]));
  const kind = instruments[0]?.kind ?? 'spot';
  const exchange = String(scenario.settings.exchange);
  return {
    accounts: new Map([[exchange, { kind, hedge: scenario.hedge === true }]]),
    instrument: (_exchange, symbol) => bySymbol.get(symbol) ?? null,
    symbols: () => [...bySymbol.keys()],
    targets: scenario.targets ?? [],
  };
}

export function rulesOf(one: ScenarioInstrument): MarketRules {
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
