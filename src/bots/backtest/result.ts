/** The result of a backtest as plain JSON: decimals are strings, times Unix ms. Pure. */

import { type Dec, div, fixed, mul, ONE, str, ZERO } from '../../domain/decimal.ts';
import { withoutZeros } from '../../domain/text-ends.ts';
import type { CandleTable } from '../market/candle-table.ts';
import { problemsText } from '../settings/check.ts';
import type { BotType } from '../types/index.ts';
import { assumptionsOf } from './assumptions.ts';
import { drawdowns, type EquityCurve } from './equity.ts';
import { quoteOf } from './recorder.ts';
import type { BotSession } from './session.ts';

export interface BacktestResult {
  readonly bot: { readonly type: BotType; readonly exchange: string; readonly symbol: string };
  readonly candles: {
    readonly frameMs: number;
    readonly from: number;
    readonly to: number;
    readonly count: number;
  };
  /** Assumptions about fills, a sentence or two each. */
  readonly assumptions: readonly string[];
  /** Filters of the symbol. */
  readonly filters: Readonly<Record<'tickSize' | 'stepSize' | 'minQty' | 'minNotional', string>> | null;
  /** Warnings about the settings, as `path: text`; empty when there are none. */
  readonly warnings: string;
  readonly runs: readonly RunSummary[];
  readonly figures: BacktestFigures;
  readonly trades: readonly TradeRow[];
  readonly alerts: readonly AlertRow[];
  /** Notices of level 1. */
  readonly notices: readonly { readonly at: number; readonly text: string }[];
  readonly equity: readonly EquityRow[];
}

export interface RunSummary {
  readonly startedAt: number;
  /** Null: the bot was still running at the end of the candles. */
  readonly endedAt: number | null;
  readonly reason: string | null;
  readonly error: string | null;
  readonly state: string;
}

/** Money in the quote or margin asset, rates in percent. Null: no value. */
export interface BacktestFigures {
  readonly asset: string;
  readonly budget: string;
  readonly realised: string;
  readonly unrealised: string;
  readonly fees: string;
  readonly volume: string;
  readonly fills: number;
  readonly cycles: number;
  readonly winningCycles: number;
  readonly winRate: string | null;
  /** Earnings of winning cycles divided by losses of losing ones. */
  readonly profitFactor: string | null;
  readonly roi: string | null;
  /** Only for more than a day. */
  readonly annualised: string | null;
  readonly maxDrawdown: string;
  /** Share of the time with a lot open. */
  readonly timeInMarket: string;
  /** Change of the price over the same time. */
  readonly buyAndHold: string | null;
  /** Base units still held by the bot at the end. */
  readonly position: string;
  readonly unfilled: string;
  readonly skipped: number;
}

export interface TradeRow {
  readonly at: number;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly qty: string;
  readonly quote: string;
  readonly fee: string;
  readonly feeAsset: string;
  readonly maker: boolean;
  readonly role: 'entry' | 'exit';
  readonly label: string;
  readonly realised: string;
}

export interface AlertRow {
  readonly at: number;
  readonly symbol: string;
  readonly condition: string;
  readonly price: string | null;
  readonly message: string;
}

export interface EquityRow {
  readonly time: number;
  readonly equity: string;
  /** Percent below the highest equity so far. */
  readonly drawdown: string;
}

export interface Played {
  readonly table: CandleTable;
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
  readonly endedAt: number;
  readonly curve: EquityCurve | null;
  readonly slippage: Dec;
  readonly participation: Dec | null;
}

const DAY_MS = 86_400_000;
const YEAR_DAYS = 365n;
const PLACES = 8;

export function resultOf(session: BotSession, played: Played): BacktestResult {
  const { settings, hosts, market } = session;
  const { rules } = market;
  const budget = hosts[0]?.run.state.budget ?? ZERO;
  return {
    bot: { type: settings.type, exchange: settings.exchange, symbol: settings.symbol },
    candles: {
      frameMs: played.table.frameMs,
      from: played.start,
      to: played.end,
      count: played.to - played.from,
    },
    assumptions: assumptionsOf(rules, played.slippage, played.participation),
    filters:
      rules.symbol === ''
        ? null
        : {
            tickSize: str(rules.tick),
            stepSize: str(rules.step),
            minQty: str(rules.minQty),
            minNotional: str(rules.minNotional),
          },
    warnings: problemsText(session.warnings),
    runs: hosts.map(({ run }) => ({
      startedAt: run.state.startedAt,
      endedAt: run.state.endedAt,
      reason: run.state.reason,
      error: run.state.error,
      state: run.label(),
    })),
    figures: figuresOf(session, played, budget),
    trades: hosts.flatMap(({ recorder }) =>
      recorder.trades.map((trade) => ({
        at: trade.at,
        side: trade.side,
        price: str(trade.price),
        qty: str(trade.qty),
        quote: str(quoteOf(trade)),
        fee: str(trade.fee),
        feeAsset: trade.feeAsset,
        maker: trade.maker,
        role: trade.role,
        label: trade.label,
        realised: rate(trade.realised),
      })),
    ),
    alerts: hosts.flatMap(({ alerts }) =>
      alerts.map(({ at, symbol, condition, price, message }) => ({
        at,
        symbol,
        condition,
        price: price === null ? null : str(price),
        message,
      })),
    ),
    notices: session.notices,
    equity: equityRows(played.curve, budget),
  };
}

function figuresOf(session: BotSession, played: Played, budget: Dec): BacktestFigures {
  const { hosts, market } = session;
  const last = played.curve ? market.price : null;
  let [realised, unrealised, fees, volume, gains, losses] = [ZERO, ZERO, ZERO, ZERO, ZERO, ZERO];
  let [maxDrawdown, unfilled, position] = [ZERO, ZERO, ZERO];
  let [fills, cycles, winningCycles, skipped, heldMs] = [0, 0, 0, 0, 0];
  for (const { run, recorder } of hosts) {
    const stats = run.stats();
    realised += stats.realised;
    unrealised += last === null ? ZERO : run.lots.unrealised(last);
    fees += stats.fees;
    volume += stats.volume;
    gains += recorder.gains;
    losses += recorder.losses;
    if (stats.maxDrawdown > maxDrawdown) maxDrawdown = stats.maxDrawdown;
    unfilled += stats.unfilled;
    position += run.lots.total() + run.lots.state.dust;
    fills += stats.fills;
    cycles += stats.cycles;
    winningCycles += stats.winningCycles;
    skipped += stats.skipped;
    heldMs += recorder.heldMs(run.state.endedAt ?? played.endedAt);
  }
  const ageMs = played.endedAt - played.start;
  const roi = budget === ZERO ? null : div((realised + unrealised) * 100n, budget);
  const share = (part: number, whole: number) =>
    rate(whole > 0 ? div(BigInt(part) * 100n * ONE, BigInt(whole) * ONE) : ZERO);
  return {
    asset: market.rules.quote,
    budget: str(budget),
    realised: str(realised),
    unrealised: str(unrealised),
    fees: str(fees),
    volume: str(volume),
    fills,
    cycles,
    winningCycles,
    winRate: cycles === 0 ? null : share(winningCycles, cycles),
    profitFactor: losses === ZERO ? null : rate(div(gains, losses)),
    roi: roi === null ? null : rate(roi),
    annualised: roi === null || ageMs <= DAY_MS ? null : rate(annualised(roi, ageMs)),
    maxDrawdown: rate(maxDrawdown),
    timeInMarket: share(heldMs, ageMs),
    buyAndHold: buyAndHold(session, last),
    position: str(session.settings.short ? -position : position),
    unfilled: str(unfilled),
    skipped,
  };
}

function buyAndHold({ hosts }: BotSession, last: Dec | null): string | null {
  const first = hosts[0]?.run.state.firstPrice ?? null;
  return first === null || last === null ? null : rate(div((last - first) * 100n, first));
}

function equityRows(curve: EquityCurve | null, budget: Dec): EquityRow[] {
  if (!curve) return [];
  const below = drawdowns(curve.points, budget);
  return curve.points.map(({ time, earned }, i) => ({
    time,
    equity: rate(budget + earned),
    drawdown: rate(below[i] ?? ZERO),
  }));
}

function annualised(roi: Dec, ageMs: number): Dec {
  return div(mul(roi, YEAR_DAYS * BigInt(DAY_MS) * ONE), BigInt(ageMs) * ONE);
}

/** Rounds to eight decimal places, without trailing zeros. */
function rate(value: Dec): string {
  return withoutZeros(fixed(value, PLACES));
}
