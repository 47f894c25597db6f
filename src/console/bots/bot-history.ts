/** The other pages of a bot's details: its runs, its notices, its settings as JSON. Pure. */
import type { BotDetail, BotView, ClockView } from '../../desk/console/protocol.ts';
import { timeNote } from '../app/header.ts';
import { orderWords } from '../orders/order-words.ts';
import { dateTime, dayTime, exact, groupedWords, span as length, MISSING } from '../ui/format.ts';
import { cell, keyed, type Line, type Span, span, wrapWords } from '../ui/line.ts';
import { moneySpan } from './bot-columns.ts';
import { type BotDetailWorld, botNowLines } from './bot-detail.ts';
import { BOT_PAGES, type BotPage } from './bot-forms.ts';
import { printJson } from './bot-print.ts';

export function botPageLines(page: BotPage, mirrored: BotView, world: BotDetailWorld): readonly Line[] {
  const { detail, width } = world;
  const bot = wholeBot(mirrored, detail);
  if (page === 'settings' && bot.abridged) return [[span('  loading', 'muted')]];
  if (page === 'now') return botNowLines(bot, world);
  if (page === 'settings') return settingsLines(bot, width);
  if (!detail) return [[span('  loading', 'muted')]];
  return page === 'runs' ? runLines(detail, width) : logLines(detail, width);
}

/** Adds the full settings from the bot's detail, if the console mirrors only a part of them. */
function wholeBot(bot: BotView, detail: BotDetail | null): BotView {
  if (!bot.abridged || !detail) return bot;
  const { abridged: _, ...known } = bot;
  const { settings, options, metadata, symbol } = detail.bot;
  return {
    ...known,
    settings,
    symbol,
    ...(options ? { options } : {}),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** The names of the pages; the current one is inverse. */
export function pageTabs(page: BotPage, detail: BotDetail | null, clock: ClockView): Line {
  const counts: Record<BotPage, string> = {
    now: '',
    runs: detail ? ` ${detail.runs.length}` : '',
    log: detail ? ` ${logOf(detail).length}` : '',
    settings: '',
  };
  return [
    span('  '),
    ...BOT_PAGES.flatMap((name): Span[] => [
      span(` ${name}${counts[name]} `, name === page ? 'focus' : 'muted', { inverse: name === page }),
      span(' '),
    ]),
    keyed('bot.page', ' v'),
    span(' next', 'muted'),
    ...(page === 'runs' || page === 'log' ? timeNote(clock, 'market') : []),
  ];
}

function runLines({ runs }: BotDetail, width: number): readonly Line[] {
  if (runs.length === 0)
    return [[span('  never started · ', 'muted'), keyed('bot.start', 's'), span(' starts it', 'muted')]];
  const lines: Line[] = [
    [
      cell('  started', 20, 'left', 'muted'),
      cell('lasted', 8, 'left', 'muted'),
      cell('realised', 11, 'right', 'muted'),
      cell('cycles', 8, 'right', 'muted'),
      cell('fills', 7, 'right', 'muted'),
      cell('  ended by', 14, 'left', 'muted'),
      span(width > 90 ? '  run' : '', 'muted'),
    ],
  ];
  for (const run of runs) {
    const goesOn = run.endedAt === null;
    lines.push([
      cell(`  ${dateTime(run.startedAt)}`, 20, 'left'),
      cell(goesOn ? 'goes on' : length(run.endedAt - run.startedAt), 8, 'left', goesOn ? 'ok' : 'text'),
      { ...moneySpan(run.figures.realised, 11), text: moneySpan(run.figures.realised, 11).text.padStart(11) },
      cell(String(run.figures.cycles), 8, 'right'),
      cell(String(run.figures.fills), 7, 'right'),
      cell(`  ${run.reason ?? (goesOn ? MISSING : '')}`, 14, 'left', run.error === null ? 'text' : 'danger'),
      span(width > 90 ? `  ${run.runId}` : '', 'muted'),
    ]);
    for (const text of run.error === null ? [] : wrapWords(groupedWords(run.error), width - 6))
      lines.push([span(`    ${text}`, 'danger')]);
  }
  return lines;
}

const LEVEL_TONE = { 1: 'warn', 2: 'text', 3: 'muted' } as const;

interface LogEntry {
  readonly market: number;
  readonly level: keyof typeof LEVEL_TONE;
  readonly text: string;
}

/** The log: notices, and what is known without them (starts of runs, open orders, fills). Newest first. */
function logOf({ notices, runs, orders, fills = [] }: BotDetail): readonly LogEntry[] {
  const entries: LogEntry[] = [
    ...notices,
    ...runs.map(({ startedAt }): LogEntry => ({ market: startedAt, level: 2, text: 'run started' })),
    ...orders.map(
      (order): LogEntry => ({
        market: order.orderTime,
        level: 2,
        text: `order placed: ${orderWords(order)}, ${order.status}`,
      }),
    ),
  ];
  // A fill at the time of a notice is left out: the run's own notice says what the fill was for.
  const told = new Set(notices.map(({ market }) => market));
  for (const { time, side, qty, price } of fills)
    if (!told.has(time))
      entries.push({ market: time, level: 2, text: `${side} ${exact(qty)} at ${exact(price)}` });
  return entries.sort((a, b) => b.market - a.market);
}

function logLines(detail: BotDetail, width: number): readonly Line[] {
  const entries = logOf(detail);
  if (entries.length === 0) return [[span('  nothing has happened yet', 'muted')]];
  return entries.flatMap(({ market, level, text }): Line[] => {
    const parts = wrapWords(groupedWords(text), width - 20);
    return parts.map((part, index) => [
      span(index === 0 ? `  ${dayTime(market)}  ` : ' '.repeat(18), 'muted'),
      span(part, LEVEL_TONE[level]),
    ]);
  });
}

function settingsLines(bot: BotView, width: number): readonly Line[] {
  const { type, settings, options, tag, metadata } = bot;
  const whole = { type, settings, ...(options ? { options } : {}), ...(tag ? { tag } : {}), metadata };
  return printJson(JSON.parse(JSON.stringify(whole)), width - 4).map((text) => [span(`  ${text}`)]);
}
