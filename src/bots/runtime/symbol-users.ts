/**
 * Runs that share a futures symbol of one account (strategies.md, R13): what a run would trade there, why it
 * may not start beside the present runs and positions, and why the account's settings stay as they are while
 * it goes on. Pure reads.
 */
import { ZERO } from '../../domain/decimal.ts';
import type { ExchangePosition, Setting } from '../../domain/position.ts';
import type { EngineMemory, FuturesMemory } from '../../engine/memory.ts';
import { signedAmount } from '../../engine/positions.ts';
import type { MarginType, PositionSide } from '../../schemas/order.ts';
import type { CompiledSettings, MarketRules } from '../settings/compiled.ts';
import { wordsOf } from '../types/index.ts';
import { kindOf } from '../types/kinds.ts';
import type { BotBook } from './bot-book.ts';
import { sideOf } from './bot-orders.ts';
import type { LiveRun } from './live-run.ts';

/** Maximum length of a bot's own name in a refusal: a refusal is read on one line. */
const NAME_MAX = 40;

/** How a run uses its symbol. */
export interface SymbolUse {
  readonly runId: string;
  readonly exchange: string;
  readonly settings: CompiledSettings;
  readonly rules: MarketRules;
}

/** An obstacle for a run: a running run or a position. */
interface Holder {
  readonly direction: 'LONG' | 'SHORT';
  readonly leverage: number;
  readonly marginType: MarginType;
  /** A run, not a position: a twap may go against a position to close it. */
  readonly isRun: boolean;
  readonly by: string;
}

/** True when the run places orders on a futures symbol. */
export function tradesFutures({ settings, rules }: Pick<SymbolUse, 'settings' | 'rules'>): boolean {
  return rules.kind === 'futures' && wordsOf(settings.type).trades;
}

/** The side of the positions that the run trades. */
export function positionSideOf(settings: CompiledSettings, futures: FuturesMemory): PositionSide {
  return futures.hedge ? sideOf(settings) : 'BOTH';
}

/** Direction in which the run opens; for a twap, the direction of its orders. */
export function directionOf(settings: CompiledSettings): 'LONG' | 'SHORT' {
  const side = kindOf(settings.type).sideOf?.(settings) ?? null;
  return (side === null ? settings.short : side === 'SELL') ? 'SHORT' : 'LONG';
}

/** Returns why a run may not start beside what is on its symbol; null: it may. */
export function startConflict(memory: EngineMemory, book: BotBook, use: SymbolUse): string | null {
  const { futures } = memory.account(use.exchange);
  if (!futures || !tradesFutures(use)) return null;
  const { settings, rules } = use;
  const where = `${rules.symbol} on ${use.exchange}`;
  const leverage = settings.deposit?.leverage ?? null;
  for (const holder of holders(memory, book, futures, use)) {
    const { direction, by, isRun } = holder;
    const opposed = !futures.hedge && direction !== directionOf(settings) && (isRun || !isOneWay(settings));
    if (opposed)
      return `${where} is ${direction} at ${holder.leverage}x by ${by}; use hedge mode or another account`;
    if (leverage !== null && leverage !== holder.leverage)
      return `${where} is ${direction} at ${holder.leverage}x by ${by}; use ${holder.leverage}x or another account`;
    if (settings.marginType !== null && settings.marginType !== holder.marginType) {
      const { marginType } = holder;
      return `${where} is ${direction} with ${marginType} margin by ${by}; use ${marginType} or another account`;
    }
  }
  return null;
}

/** Returns why an account's setting may not be changed: a run relies on it; null: none does. */
export function settingConflict(
  memory: EngineMemory,
  book: BotBook,
  exchange: string,
  setting: Setting,
): string | null {
  const futures = memory.accounts.get(exchange)?.futures;
  if (!futures || !changes(futures, setting)) return null;
  const symbol = 'symbol' in setting ? setting.symbol : null;
  for (const live of book.runs.values()) {
    const { settings, rules } = live.run;
    if (!live.going || live.parts.exchange !== exchange || !tradesFutures({ settings, rules })) continue;
    if (symbol !== null && rules.symbol !== symbol) continue;
    const what = { leverage: 'leverage', marginType: 'margin type', hedgeMode: 'position mode' } as const;
    const name = what[setting.kind as keyof typeof what];
    const of = symbol === null ? exchange : `${symbol} on ${exchange}`;
    return `the ${name} of ${of} stays as it is while ${nameOf(live)} trades ${rules.symbol} there; stop the bot first`;
  }
  return null;
}

/** True when the setting would change something that runs rely on. */
function changes(futures: FuturesMemory, setting: Setting): boolean {
  switch (setting.kind) {
    case 'hedgeMode':
      return futures.hedge !== setting.on;
    case 'leverage':
    case 'marginType': {
      const side = 'side' in setting ? setting.side : undefined;
      const { marginType } = setting;
      // Without a side it applies to all sides that the exchange keeps apart.
      const known = futures.leverage.sidesOf(setting.symbol);
      const concerned = known.filter((info) => side === undefined || info.side === side);
      return (
        concerned.length === 0 ||
        concerned.some(
          (info) =>
            ('leverage' in setting && setting.leverage !== info.leverage) ||
            (marginType !== undefined && marginType !== info.marginType),
        )
      );
    }
    default:
      return false;
  }
}

function* holders(
  memory: EngineMemory,
  book: BotBook,
  futures: FuturesMemory,
  { runId, exchange, rules }: SymbolUse,
): Generator<Holder> {
  for (const live of book.runs.values()) {
    const { settings } = live.run;
    if (live.id === runId || !live.going || live.parts.exchange !== exchange) continue;
    if (live.run.rules.symbol !== rules.symbol || !tradesFutures(live.run)) continue;
    const direction = directionOf(settings);
    const set = futures.leverage.of(rules.symbol, futures.hedge ? direction : 'BOTH');
    yield {
      direction,
      // The leverage that the run requests may still be on its way to the exchange.
      leverage: settings.deposit?.leverage ?? set?.leverage ?? 1,
      marginType: settings.marginType ?? set?.marginType ?? 'CROSSED',
      isRun: true,
      by: nameOf(live),
    };
  }
  for (const position of positionsOn(memory, exchange, rules.symbol)) {
    yield {
      direction: signedAmount(position) > ZERO ? 'LONG' : 'SHORT',
      leverage: position.leverage,
      marginType: position.marginType,
      isRun: false,
      by: 'a position held by hand',
    };
  }
}

function positionsOn(memory: EngineMemory, exchange: string, symbol: string): ExchangePosition[] {
  const { futures } = memory.account(exchange);
  return [...(futures?.positions.values() ?? [])].filter(
    (position) => position.symbol === symbol && signedAmount(position) !== ZERO,
  );
}

/** Names a run by its bot's id and the name in its settings. */
function nameOf({ parts, run }: LiveRun): string {
  const { name } = run.settings;
  return name === '' ? `bot ${parts.botId}` : `bot ${parts.botId} ${JSON.stringify(name.slice(0, NAME_MAX))}`;
}

/** True for a run whose direction is only that of its orders, and whose lots are no position (twap). */
export function isOneWay(settings: CompiledSettings): boolean {
  return kindOf(settings.type).sideOf?.(settings) != null;
}
