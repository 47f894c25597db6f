/** The bots on the Overview: running ones and those in error, one line each. Pure. */
import type { BotView, DeskState } from '../../desk/console/protocol.ts';
import { type Modes, modeBefore } from '../dialogs/mode.ts';
import { botName, isRunning, marketNow, orderCounts, profitOf, symbolOf } from '../trading/bots.ts';
import { MISSING, signed } from '../ui/format.ts';
import { cell, keyed, type Line, span } from '../ui/line.ts';
import { gainTone } from '../ui/tones.ts';
import { botSums, runningProfit, runTime, statusSpan } from './bot-columns.ts';

/** Bots in error first, then by age. */
export function overviewBots(bots: DeskState['bots']): readonly BotView[] {
  return Object.values(bots)
    .filter((bot) => isRunning(bot) || bot.status === 'ERROR')
    .sort((a, b) => Number(b.status === 'ERROR') - Number(a.status === 'ERROR') || a.createdAt - b.createdAt);
}

/** Writes the counts and the profit as `2 running · 3 in all   +12.30`. */
export function overviewSums(bots: DeskState['bots']): Line {
  const all = Object.values(bots);
  const profit = runningProfit(all);
  return [...botSums(all), ...(profit ? [span(` · PnL `, 'muted'), span(profit.text, profit.tone)] : [])];
}

/** The lines of the Overview. `wall`: the desk's wall clock. */
export function overviewLines(
  state: Pick<DeskState, 'bots' | 'orders' | 'clock'>,
  wall: number,
  width: number,
  rows: number,
  modes: Modes = null,
): readonly Line[] {
  const shown = overviewBots(state.bots);
  const now = marketNow(state, wall);
  const counts = orderCounts(state.orders);
  const lines = shown.slice(0, rows).map((bot): Line => {
    const profit = profitOf(bot);
    return [
      span('  '),
      ...modeBefore(modes, bot.exchange),
      cell(botName(bot), 14, 'left'),
      cell(` ${bot.type}`, 10, 'left', 'muted'),
      cell(symbolOf(bot), 10, 'left'),
      { ...statusSpan(bot), ...cell(statusSpan(bot).text, 8, 'left', statusSpan(bot).tone) },
      cell(isRunning(bot) ? (bot.state ?? '') : '', 14, 'left', 'muted'),
      ...(profit === null
        ? [cell(MISSING, 11, 'right', 'muted')]
        : [cell(signed(profit, 2), 11, 'right', gainTone(profit))]),
      cell(isRunning(bot) ? runTime(bot, now) : '', 8, 'right', 'muted'),
      span(width < 90 ? '' : `   ${counts.get(bot.id) ?? 0} orders open`, 'muted'),
    ];
  });
  const more = shown.length - lines.length;
  if (more <= 0 || lines.length === 0) return lines;
  return [
    ...lines.slice(0, -1),
    [span(`  ${more + 1} more · `, 'muted'), keyed('screen.bots', '3'), span(' shows them', 'muted')],
  ];
}
