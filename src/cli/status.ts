/**
 * `outcry status`: whether a desk runs on the data folder, and its state, in a few lines or as one JSON
 * object. Exit code 0 if one runs, else 1. The fields of the object keep their names and meanings; new ones
 * may be added (docs/shell.md).
 */

import { isRunning } from '../console/trading/bots.ts';
import { isOpen } from '../console/trading/orders.ts';
import { openPositions } from '../console/trading/positions.ts';
import { counted, dateTime, money, span } from '../console/ui/format.ts';
import type { AccountView, DeskState } from '../desk/console/protocol.ts';
import { resolveDataFolder } from '../store/data-folder.ts';
import { introduction, type LookSettings, stateOf, whenUnlocked } from './desk-state.ts';
import { jsonLine } from './json-line.ts';
import { processShell, type Shell } from './light-desk.ts';
import { shownInLine } from './shown.ts';
import { EXIT_FAILURE, EXIT_OK } from './usage-error.ts';

export interface StatusSettings extends LookSettings {
  readonly json?: boolean;
}

/** What `--json` prints for a running desk. Times are Unix ms, amounts decimal strings. */
export interface StatusReport {
  readonly running: true;
  readonly dataDir: string;
  readonly version: string;
  readonly startedAt: number;
  readonly apiUrl: string;
  readonly wsUrl: string;
  /** Why the API responds with 503; null: it serves. */
  readonly maintenance: string | null;
  readonly role: string;
  readonly clock: Pick<DeskState['clock'], 'wall' | 'market' | 'feed' | 'live' | 'speed' | 'held' | 'ended'>;
  readonly vault: 'none' | 'locked' | 'open';
  readonly equity: { readonly usd: string; readonly partial: boolean };
  readonly accounts: readonly StatusAccount[];
  readonly bots: { readonly all: number; readonly running: number; readonly failed: number };
  readonly orders: { readonly open: number; readonly unresolved: number; readonly heldHere: number };
  readonly positions: { readonly open: number };
  readonly alerts: { readonly unseen: number };
}

export interface StatusAccount {
  readonly exchange: string;
  readonly kind: 'spot' | 'futures';
  readonly place: string;
  readonly link: 'up' | 'down';
  readonly openOrders: number;
  /** What keeps the account from trading; null: nothing. */
  readonly problem: string | null;
}

export async function status(settings: StatusSettings, shell: Shell = processShell()): Promise<number> {
  const dataDir = resolveDataFolder({ dataDir: settings.dataDir });
  const desk = await shell.connect(dataDir, introduction(settings, true));
  if (!desk) {
    if (settings.json) shell.out(`${jsonLine({ running: false, dataDir })}\n`);
    else shell.out(`no desk runs on ${shownInLine(dataDir)}: outcry serve starts one\n`);
    return EXIT_FAILURE;
  }
  try {
    const report = reportOf(whenUnlocked(await stateOf(desk)));
    shell.out(settings.json ? `${jsonLine(report)}\n` : textOf(report));
    return EXIT_OK;
  } finally {
    desk.close();
  }
}

/** Builds the report that `--json` prints. */
export function reportOf(state: DeskState): StatusReport {
  const { desk, clock, vault, equity, maintenance, me } = state;
  const { wall, market, feed, live, speed, held, ended } = clock;
  const orders = Object.values(state.orders).filter(isOpen);
  const bots = Object.values(state.bots);
  return {
    running: true,
    dataDir: desk.dataDir,
    version: desk.version,
    startedAt: desk.startedAt,
    apiUrl: desk.apiUrl,
    wsUrl: desk.wsUrl,
    maintenance,
    role: me?.role ?? 'owner',
    clock: { wall, market, feed, live, speed, held, ended },
    vault: vault.state,
    equity: { usd: equity.usd, partial: equity.partial },
    accounts: state.accounts.map((account) => ({
      exchange: account.id,
      kind: account.kind,
      place: placeOf(account),
      link: account.link,
      openOrders: orders.filter(({ exchange }) => exchange === account.id).length,
      problem: accountProblem(account),
    })),
    bots: {
      all: bots.length,
      running: bots.filter(isRunning).length,
      failed: bots.filter((bot) => bot.status === 'ERROR').length,
    },
    orders: {
      open: orders.length,
      unresolved: orders.filter(({ unresolved }) => unresolved !== undefined).length,
      heldHere: orders.filter(({ held: here }) => here === true).length,
    },
    positions: { open: openPositions(state).length },
    alerts: { unseen: state.alerts.filter(({ seen }) => !seen).length },
  };
}

/** Returns what keeps an account from trading, the most serious reason first; null: nothing does. */
export function accountProblem(account: AccountView): string | null {
  const { connection, away, closed, shut, link, gap } = account;
  if (connection?.state === 'locked') return 'the vault is locked';
  if (connection?.state === 'held') return 'its addresses have changed: an owner has to confirm them';
  if (shut) return SHUT[shut.kind];
  if (closed !== undefined) return closed;
  if (away !== undefined) return away;
  if (connection?.state === 'closed') return 'it is closed';
  if (connection?.state === 'opening') return 'it is being opened';
  if (link === 'down') return 'no connection to its exchange';
  return gap ? 'it is being compared with its exchange' : null;
}

const SHUT = {
  another: 'its keys are those of another account than before',
  held: 'the data folder was moved or copied: take it over first',
  others: 'another desk has orders there',
  paused: 'orders of another desk have come: it takes no entries',
} as const;

function placeOf({ paper, connection }: AccountView): string {
  return connection?.place ?? (paper ? 'PAPER' : 'LOCAL');
}

function textOf(report: StatusReport): string {
  const { clock, orders, bots, vault, accounts } = report;
  const lines: [string, string][] = [
    ['desk', `Outcry ${report.version}, up ${span(clock.wall - report.startedAt)}, ${report.dataDir}`],
    ['api', `${report.apiUrl}, ${report.maintenance === null ? 'serves' : `503: ${report.maintenance}`}`],
    ['market', `${clock.feed}, ${marketWords(clock)}`],
    ['equity', `${money(report.equity.usd)} USD${report.equity.partial ? ', not all of it known' : ''}`],
    ['bots', `${bots.running} of ${bots.all} running${bots.failed === 0 ? '' : `, ${bots.failed} failed`}`],
    ['orders', ordersWords(orders)],
    ['positions', `${report.positions.open} open`],
    ['alerts', `${report.alerts.unseen} not seen`],
    ...(vault === 'none' ? [] : [['vault', vault] satisfies [string, string]]),
    ...accounts.map(({ exchange, place, link, problem, openOrders }): [string, string] => [
      exchange,
      `${place}, ${problem === null ? link : `NOT TRADING: ${problem}`}, ${counted(openOrders, 'order')}`,
    ]),
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, text]) => `${shownInLine(name).padEnd(width)}  ${shownInLine(text)}\n`).join('');
}

function ordersWords({ open, unresolved, heldHere }: StatusReport['orders']): string {
  const more = [
    ...(unresolved > 0 ? [`${unresolved} of unknown outcome`] : []),
    ...(heldHere > 0 ? [`${heldHere} held by this desk, which do nothing while it is stopped`] : []),
  ];
  return [`${open} open`, ...more].join(', ');
}

function marketWords({ held, ended, live, speed, market }: StatusReport['clock']): string {
  if (ended) return `the replay has ended at ${dateTime(market)}Z`;
  const now = `${dateTime(market)}Z`;
  if (held) return `paused at ${now}`;
  return live ? `live, ${now}` : `${speed}x, ${now}`;
}
