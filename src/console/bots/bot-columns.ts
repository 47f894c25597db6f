/** Columns of the Bots table, the last of which are dropped first in narrow tables, and the sums. Pure. */

import type { BotView, DeskState } from '../../desk/console/protocol.ts';
import { fixed, ZERO } from '../../domain/decimal.ts';
import type { Column } from '../lists/table.ts';
import {
  botName,
  depositOf,
  isRunning,
  marketNow,
  orderCounts,
  profitOf,
  shortId,
  symbolOf,
  trades,
} from '../trading/bots.ts';
import { exact, span as length, MISSING, percent, read, signed } from '../ui/format.ts';
import { type Line, type Span, span } from '../ui/line.ts';
import { gainTone } from '../ui/tones.ts';

const STATUS_TONE = { NEW: 'text', STARTED: 'ok', STOPPED: 'muted', ERROR: 'danger' } as const;

export function statusSpan({ status }: Pick<BotView, 'status'>): Span {
  return span(status, STATUS_TONE[status], { bold: status === 'ERROR' });
}

/** Writes signed money with two places; without any if the column is too narrow. */
export function moneySpan(text: string | null | undefined, width = 20): Span {
  const value = read(text);
  if (value === null) return span(MISSING, 'muted');
  const whole = signed(value, 2);
  return span(whole.length <= width ? whole : signed(value, 0), gainTone(value));
}

/** Returns the figures of a bot that trades; those of other bots have no meaning. */
function figuresOf(bot: BotView): BotView['stats'] {
  return trades(bot) ? bot.stats : undefined;
}

/** How long the current run has lasted. */
export function runTime(bot: Pick<BotView, 'startedAt'>, now: number): string {
  return bot.startedAt === null ? MISSING : length(now - bot.startedAt);
}

/** The columns of the table. `wall`: the desk's wall clock. */
export function botColumns(
  state: Pick<DeskState, 'orders' | 'clock'>,
  wall: number,
): readonly Column<BotView>[] {
  const open = orderCounts(state.orders);
  const now = marketNow(state, wall);
  return [
    { title: 'id', width: 7, priority: 9, cell: ({ id }) => span(shortId(id), 'muted') },
    { title: 'bot', width: 9, grow: 3, priority: 2, cell: (bot) => span(botName(bot)) },
    { title: 'type', width: 8, priority: 1, cell: ({ type }) => span(type) },
    { title: 'symbol', width: 8, grow: 1, priority: 1, cell: (bot) => span(symbolOf(bot) || MISSING) },
    { title: 'status', width: 8, priority: 1, cell: statusSpan },
    {
      title: 'state',
      width: 9,
      grow: 1,
      priority: 4,
      cell: (bot) => span(isRunning(bot) ? (bot.state ?? '') : '', 'muted'),
    },
    { title: 'runs', width: 6, align: 'right', priority: 6, cell: (bot) => span(runTime(bot, now)) },
    {
      title: 'realised',
      width: 10,
      grow: 1,
      align: 'right',
      priority: 3,
      cell: (bot, width) => moneySpan(figuresOf(bot)?.realised, width),
    },
    {
      title: 'open PnL',
      width: 9,
      grow: 1,
      align: 'right',
      priority: 3,
      cell: (bot, width) => moneySpan(figuresOf(bot)?.unrealised, width),
    },
    {
      title: 'ROI',
      width: 8,
      align: 'right',
      priority: 11,
      cell: (bot) => {
        const value = read(figuresOf(bot)?.roi);
        return span(percent(value), gainTone(value));
      },
    },
    {
      title: 'cycles',
      width: 6,
      align: 'right',
      priority: 7,
      cell: (bot) => span(String(figuresOf(bot)?.cycles ?? MISSING)),
    },
    {
      title: 'deposit',
      width: 11,
      grow: 1,
      align: 'right',
      priority: 8,
      cell: (bot) => span(depositOf(bot) ?? MISSING),
    },
    {
      title: 'orders',
      width: 6,
      align: 'right',
      priority: 5,
      cell: ({ id }) => span(String(open.get(id) ?? 0)),
    },
    { title: 'exchange', width: 13, priority: 10, cell: ({ exchange }) => span(exchange, 'muted') },
    {
      title: 'fees',
      width: 9,
      align: 'right',
      priority: 13,
      cell: (bot) => span(exact(shortMoney(figuresOf(bot)?.fees ?? MISSING)), 'muted'),
    },
    {
      title: 'drawdown',
      width: 8,
      align: 'right',
      priority: 12,
      cell: (bot) => {
        const most = figuresOf(bot)?.maxDrawdown;
        return span(most === undefined ? MISSING : `${shortMoney(most)} %`, 'muted');
      },
    },
  ];
}

/** Writes money with two places; `<0.01` for a value that rounds to zero but is not zero. */
export function shortMoney(text: string): string {
  const value = read(text);
  if (value === null) return text;
  const short = fixed(value, 2);
  if (value === ZERO || /[1-9]/.test(short)) return short;
  return value < ZERO ? '-<0.01' : '<0.01';
}

/** Writes the counts as `3 running · 1 in error · 8 in all`. */
export function botSums(bots: readonly BotView[]): Line {
  const running = bots.filter(isRunning).length;
  const broken = bots.filter(({ status }) => status === 'ERROR').length;
  return [
    span(`${running} running`, running > 0 ? 'ok' : 'muted'),
    ...(broken > 0 ? [span(` · ${broken} in error`, 'danger')] : []),
    span(` · ${bots.length} in all`, 'muted'),
  ];
}

/** The PnL of all current runs; null if the bots have several quote assets, which are not added up. */
export function runningProfit(
  bots: readonly BotView[],
): { text: string; tone: 'up' | 'down' | 'muted' } | null {
  const running = bots.filter((bot) => isRunning(bot) && figuresOf(bot));
  const assets = new Set(running.map((bot) => depositOf(bot)?.split(' ').at(-1) ?? ''));
  if (running.length === 0 || assets.size > 1) return null;
  const sum = running.reduce((total, bot) => total + (profitOf(bot) ?? 0n), 0n);
  return { text: signed(sum, 2), tone: gainTone(sum) };
}
