/** The rows of the Alerts screen: what fired, and the state of deliveries; filter, sort, selection. Pure. */
import type { DeskState } from '../../desk/console/protocol.ts';
import type { AlertDelivery, AlertRecord } from '../../domain/bot.ts';
import { selectedIndex } from '../lists/cursor.ts';
import { byText, type ListView, listed, memoizeLast, newList } from '../lists/rows.ts';
import type { Column } from '../lists/table.ts';
import type { NoticeLine } from '../state/ui.ts';
import { botName, shortId } from '../trading/bots.ts';
import { dayTime, exact, groupedWords, span as length } from '../ui/format.ts';
import { type Line, type Span, span } from '../ui/line.ts';
import { zoneLabel } from '../ui/zone.ts';

export const ALERT_SORTS = ['time', 'symbol', 'bot'] as const;
export type AlertSort = (typeof ALERT_SORTS)[number];

/** The view state of the Alerts screen of one terminal. */
export interface AlertsView extends ListView<AlertSort> {
  /** The bell of this terminal is off. */
  readonly muted: boolean;
}

export const FIRST_ALERTS: AlertsView = { ...newList<AlertSort>('time'), muted: false };

type World = Pick<DeskState, 'alerts' | 'bots'>;

const lastNewest = memoizeLast<readonly AlertRecord[]>();
const lastShown = memoizeLast<readonly AlertRecord[]>();

/** Returns the alerts newest first; the desk has them newest last. */
export function newestAlerts({ alerts }: Pick<DeskState, 'alerts'>): readonly AlertRecord[] {
  return lastNewest([alerts], () => [...alerts].reverse());
}

/** The rows of the screen. Sorted by time, the newest is first. */
export function shownAlerts({ alerts, bots }: World, view: AlertsView): readonly AlertRecord[] {
  const name = (alert: AlertRecord): string => nameOf(bots, alert);
  return lastShown([alerts, bots, view.filter, view.sort, view.reverse], () =>
    listed(newestAlerts({ alerts }), view, {
      text: (alert) => {
        const { symbol, message, seen } = alert;
        return `${name(alert)} ${symbol} ${message} ${groupedWords(message)} ${seen ? '' : 'new'}`;
      },
      compare: {
        time: null,
        symbol: (a, b) => byText(a.symbol, b.symbol),
        bot: (a, b) => byText(name(a).toLowerCase(), name(b).toLowerCase()),
      },
    }),
  );
}

export function selectedAlert(state: World, view: AlertsView): AlertRecord | null {
  const rows = shownAlerts(state, view);
  return rows[selectedIndex(rows, view.selection)] ?? null;
}

export function unseen(alerts: readonly AlertRecord[]): number {
  return alerts.filter(({ seen }) => !seen).length;
}

/** Returns the ids of new alerts that ask for the bell; none for the alerts of the first snapshot. */
export function ringing(
  before: readonly AlertRecord[] | null,
  now: readonly AlertRecord[],
): readonly string[] {
  if (before === null || before === now) return [];
  const known = new Set(before.map(({ id }) => id));
  return now
    .filter(
      ({ id, deliveries }) =>
        !known.has(id) && deliveries.some(({ target, state }) => target === 'bell' && state === 'done'),
    )
    .map(({ id }) => id);
}

function nameOf(bots: DeskState['bots'], { botId }: AlertRecord): string {
  const bot = bots[botId];
  return bot ? botName(bot) : shortId(botId);
}

const STATE_TONE = { done: 'ok', waiting: 'warn', failed: 'danger', muted: 'muted' } as const;
const STATE_SIGN = { done: '✓', waiting: '…', failed: '✗', muted: 'muted' } as const;

/** The state to show: a delivery that failed only because the operator has muted its target is `muted`. */
function stateOf({ state, error }: AlertDelivery): keyof typeof STATE_TONE {
  return state === 'failed' && error === 'muted' ? 'muted' : state;
}

/** Writes the deliveries as `bell ✓ ops …`; the worst of them decides the tone. */
export function deliveriesSpan(deliveries: readonly AlertDelivery[]): Span {
  if (deliveries.length === 0) return span('console', 'muted');
  const text = deliveries.map((one) => `${one.target} ${STATE_SIGN[stateOf(one)]}`).join(' ');
  const worst = (['failed', 'waiting', 'done', 'muted'] as const).find((name) =>
    deliveries.some((one) => stateOf(one) === name),
  );
  return span(text, STATE_TONE[worst ?? 'done']);
}

export function alertColumns(bots: DeskState['bots']): readonly Column<AlertRecord>[] {
  return [
    {
      title: '',
      width: 3,
      priority: 1,
      cell: ({ seen }) => (seen ? span('') : span('new', 'warn', { bold: true })),
    },
    { title: 'time', width: 14, priority: 1, cell: ({ at }) => span(dayTime(at), 'muted') },
    { title: 'bot', width: 10, grow: 1, priority: 5, cell: (alert) => span(nameOf(bots, alert)) },
    { title: 'symbol', width: 9, priority: 2, cell: ({ symbol }) => span(symbol) },
    { title: 'condition', width: 9, grow: 1, priority: 7, cell: ({ condition }) => span(condition, 'muted') },
    { title: 'price', width: 11, align: 'right', priority: 6, cell: ({ price }) => span(exact(price)) },
    { title: 'message', width: 32, grow: 6, priority: 3, cell: ({ message }) => span(groupedWords(message)) },
    { title: 'told', width: 8, grow: 1, priority: 4, cell: ({ deliveries }) => deliveriesSpan(deliveries) },
  ];
}

/** All details of one alert. `wall`: the desk's clock, for the next attempt of a delivery. */
export function alertLines(alert: AlertRecord, bots: DeskState['bots'], wall: number): readonly NoticeLine[] {
  const { at, market, symbol, condition, price, message, deliveries, botId } = alert;
  return [
    {
      text: `${dayTime(at)} ${zoneLabel(at)}${market === at ? '' : ` wall time, market time ${dayTime(market)}`}`,
      tone: 'muted',
    },
    { text: groupedWords(message), words: true, tone: 'title' },
    { text: '' },
    { text: `symbol     ${symbol}` },
    { text: `price      ${exact(price)}` },
    { text: `condition  ${condition}` },
    ...(botId === ''
      ? []
      : [{ text: `bot        ${nameOf(bots, alert)} (${botId})${bots[botId] ? '' : ', deleted'}` }]),
    { text: '' },
    { text: 'Deliveries', tone: 'title' },
    ...(deliveries.length === 0 ? [{ text: 'console only', tone: 'muted' as const }] : []),
    ...deliveries.map(
      (delivery): NoticeLine => ({
        text: deliveryWords(delivery, wall),
        tone: STATE_TONE[stateOf(delivery)],
        words: true,
      }),
    ),
  ];
}

function deliveryWords(delivery: AlertDelivery, wall: number): string {
  const { target, state, tries, nextAt, error } = delivery;
  if (stateOf(delivery) === 'muted') return `${target}: muted`;
  const next = nextAt === null ? '' : `, next try ${nextAt > wall ? `in ${length(nextAt - wall)}` : 'now'}`;
  const tried = tries > 1 ? ` after ${tries} tries` : '';
  return `${target}: ${state}${tried}${state === 'waiting' ? next : ''}${error === null ? '' : `: ${error}`}`;
}

/** The latest alerts for the Overview, newest first. */
export function lastAlertLines(state: World, count: number): readonly Line[] {
  return newestAlerts(state)
    .slice(0, count)
    .map((alert) => [
      span(alert.seen ? '   ' : ' ! ', 'warn', { bold: true }),
      span(`${dayTime(alert.at)}  `, 'muted'),
      span(`${nameOf(state.bots, alert)}  `, 'muted'),
      span(`${alert.symbol}  `),
      span(groupedWords(alert.message), alert.seen ? 'muted' : 'text'),
    ]);
}

declare module '../state/ui.ts' {
  interface Screens {
    readonly alerts: true;
  }
  interface Lists {
    readonly alerts: AlertsView;
  }
}
