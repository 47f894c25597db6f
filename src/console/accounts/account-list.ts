/** The rows and lines of the Accounts screen: accounts, the details of one of them, the feed. Pure. */
import type { AccountView, DeskState } from '../../desk/console/protocol.ts';
import { CONDITIONALS } from '../../domain/dead-man.ts';
import { MODE_TONES } from '../dialogs/mode.ts';
import {
  byText,
  falling,
  type ListView,
  listed,
  memoizeLast,
  newList,
  type PaneView,
} from '../lists/rows.ts';
import type { Column } from '../lists/table.ts';
import { isRunning } from '../trading/bots.ts';
import { isOpen } from '../trading/orders.ts';
import { openPositions } from '../trading/positions.ts';
import { walletsOf } from '../trading/wallets.ts';
import { amount, counted, span as length, MISSING, moment } from '../ui/format.ts';
import { type Line, lineWidth, type Span, span } from '../ui/line.ts';
import { speedText, standingFaultText } from './account-confirmations.ts';
import { FAULT_WORDS, percentText } from './account-forms.ts';
import { guardLines } from './guard-form.ts';
import { identityParts, SHUT_SHORT } from './identity-lines.ts';

export type AccountSort = 'name' | 'kind' | 'state' | 'worth';
export const ACCOUNT_SORTS: readonly AccountSort[] = ['name', 'kind', 'state', 'worth'];

/** The view state of the Accounts screen of one terminal. */
export interface AccountsView extends ListView<AccountSort>, Omit<PaneView, 'detailOpen'> {
  /** The account whose reconciliation is under way. */
  readonly comparing: string | null;
}

export const FIRST_ACCOUNTS: AccountsView = {
  ...newList<AccountSort>('name'),
  pane: 'list',
  detailOffset: 0,
  comparing: null,
};

type World = Pick<DeskState, 'accounts' | 'portfolios'>;

const last = memoizeLast<readonly AccountView[]>();

/** The rows of the screen. Sorted by name, they have the desk's order: the default account first. */
export function shownAccounts({ accounts, portfolios }: World, view: AccountsView): readonly AccountView[] {
  return last([accounts, portfolios, view.filter, view.sort, view.reverse], () => {
    const worth = ({ id }: AccountView) => Number(portfolios[id]?.total.usd ?? 0);
    return listed(accounts, view, {
      text: ({ id, name, kind, link }) => `${id} ${name} ${kind} ${link === 'up' ? 'connected' : 'stale'}`,
      compare: {
        name: null,
        kind: (a, b) => byText(b.kind, a.kind),
        state: (a, b) => Number(a.link === 'up') - Number(b.link === 'up'),
        worth: (a, b) => falling(worth(a), worth(b)),
      },
    });
  });
}

/** The columns of the accounts table. `now`: the desk's wall clock. */
export function accountColumns(
  { portfolios }: Pick<World, 'portfolios'>,
  now: number,
): readonly Column<AccountView>[] {
  return [
    { title: 'account', width: 15, priority: 1, cell: ({ id }) => span(id, 'text', { bold: true }) },
    { title: 'kind', width: 7, priority: 6, cell: ({ kind }) => span(kind, 'muted') },
    { title: 'state', width: 15, priority: 2, cell: (account) => stateSpan(account, now) },
    {
      title: 'since',
      width: 8,
      priority: 7,
      cell: ({ since }) => span(ageText(since, now) ?? 'just now', 'muted'),
    },
    {
      title: 'worth USD',
      width: 13,
      align: 'right',
      priority: 3,
      cell: ({ id, link }) =>
        span(amount(portfolios[id]?.total.usd, 2), link === 'down' ? 'muted' : undefined),
    },
    {
      title: 'latency',
      width: 8,
      align: 'right',
      priority: 5,
      cell: ({ latencyMs }) => span(latencyMs === null ? MISSING : `${latencyMs} ms`),
    },
    {
      title: 'clock',
      width: 8,
      align: 'right',
      priority: 8,
      cell: ({ clockOffsetMs }) => span(offsetText(clockOffsetMs), 'muted'),
    },
    { title: 'compared', width: 17, priority: 4, cell: (account) => comparedSpan(account, now) },
    { title: 'budgets', width: 16, grow: 1, priority: 9, cell: (account) => budgetSpan(account) },
    { title: 'name', width: 14, priority: 10, cell: ({ name }) => span(name, 'muted') },
    {
      title: 'share',
      width: 7,
      align: 'right',
      priority: 11,
      cell: ({ id }) => span(shareOf(id, portfolios), 'muted'),
    },
  ];
}

export function stateSpan({ link, since, gap, away, shut }: AccountView, now: number): Span {
  if (shut) return span(`○ ${SHUT_SHORT[shut.kind]}`, 'danger', { bold: true });
  if (away !== undefined) return span(`○ NOT OPEN ${length(now - since)}`, 'danger', { bold: true });
  if (link === 'up' && gap) return span('● comparing', 'warn');
  if (link === 'up') return span('● connected', 'ok');
  return span(`○ STALE ${length(now - since)}`, 'danger', { bold: true });
}

/** Writes an age in whole minutes: the screen is redrawn once a minute. Null: less than one minute. */
function ageText(at: number, now: number): string | null {
  const past = now - at;
  return past < 60_000 ? null : length(Math.floor(past / 60_000) * 60_000).replace(/^60 s$/, '1 min');
}

function offsetText(offset: number | null): string {
  return offset === null ? MISSING : `${offset > 0 ? '+' : ''}${offset} ms`;
}

function comparedSpan({ reconciled }: AccountView, now: number): Span {
  if (reconciled === null) return span('never', 'warn');
  const age = ageText(reconciled.at, now);
  const when = age === null ? 'just now' : `${age} ago`;
  return reconciled.whole ? span(when) : span(`${when}, partly`, 'warn');
}

function budgetSpan({ budgets }: AccountView): Span {
  if (budgets.length === 0) return span('no limits', 'muted');
  const fullest = [...budgets].sort((a, b) => b.used / b.limit - a.used / a.limit)[0];
  if (!fullest) return span('no limits', 'muted');
  const share = fullest.used / fullest.limit;
  return span(`${fullest.name} ${fullest.used}/${fullest.limit}`, share >= 0.8 ? 'warn' : undefined);
}

function shareOf(id: string, portfolios: World['portfolios']): string {
  const sum = walletsOf(portfolios).reduce((total, [, { total: worth }]) => total + Number(worth.usd), 0);
  const own = Number(portfolios[id]?.total.usd ?? 0);
  return sum > 0 ? `${(Math.floor((own / sum) * 1_000) / 10).toFixed(1)} %` : MISSING;
}

const NAME = 11;

function named(name: string, ...value: Span[]): Line {
  return [span(`  ${name.padEnd(NAME)} `, 'muted'), ...value];
}

function two(width: number, left: [string, Span], right: [string, Span]): Line[] {
  const half = Math.floor(width / 2);
  const room = half - NAME - 5;
  const used = lineWidth([left[1]]);
  if (used > room) return [named(left[0], left[1]), named(right[0], right[1])];
  return [
    [
      ...named(left[0], left[1]),
      span(' '.repeat(half - NAME - 3 - used)),
      span(`${right[0].padEnd(NAME)} `, 'muted'),
      right[1],
    ],
  ];
}

/** Width of a line's name and its gaps. */
const WHY_INDENT = 16;

/** The details of one account. */
export function accountLines(
  account: AccountView,
  state: DeskState,
  now: number,
  width: number,
): readonly Line[] {
  const { id, since, away, latencyMs, clockOffsetMs, reconciled, paper } = account;
  const portfolio = state.portfolios[id];
  const orders = Object.values(state.orders).filter((order) => order.exchange === id && isOpen(order)).length;
  const bots = Object.values(state.bots).filter((bot) => bot.exchange === id && isRunning(bot)).length;
  const positions = openPositions(state).filter(({ exchange }) => exchange === id).length;
  const worth = span(`${amount(portfolio?.total.usd, 2)} USD`);
  const lines: Line[] = [
    ...two(width, ['state', stateSpan(account, now)], ['since', span(moment(since))]),
    ...connectionLines(account),
    ...identityParts(account).map(([name, value]) => named(name, ...value)),
    ...(away === undefined || account.shut
      ? []
      : [named('why', span(away.slice(0, Math.max(0, width - WHY_INDENT)), 'danger'))]),
    ...two(
      width,
      ['latency', span(latencyMs === null ? 'no call yet' : `${latencyMs} ms`)],
      [
        'clock',
        span(clockOffsetMs === null ? 'not measured' : `${offsetText(clockOffsetMs)} off the desk's`),
      ],
    ),
    ...two(
      width,
      ['compared', comparedSpan(account, now)],
      ['at', span(reconciled === null ? MISSING : moment(reconciled.at))],
    ),
    ...budgetLines(account),
    ...(account.guards
      ? [
          named('worth', worth),
          ...guardLines(account.guards, Math.max(20, width - NAME - 4)).map((line, index) =>
            named(index === 0 ? 'guards' : '', ...line),
          ),
        ]
      : two(width, ['worth', worth], ['guards', span('off', 'muted')])),
    ...deadManLines(account),
    named(
      'open',
      span(`${many(orders, 'order')} · ${many(positions, 'position')} · ${many(bots, 'running bot')}`),
    ),
  ];
  const { sharedWith = [] } = portfolio ?? {};
  if (sharedWith.length > 0)
    lines.push(named('wallet', span('shared with ', 'muted'), span(sharedWith.join(', '))));
  if (portfolio?.partial === true) lines.push(named('partial', span('some assets have no price', 'warn')));
  lines.push(...keyLines(account, now));
  if (account.unexplained !== undefined)
    lines.push(
      named(
        'ledger',
        span(`${many(account.unexplained, 'change')} that nothing explains: see the log`, 'danger'),
      ),
    );
  if (reconciled?.whole === false)
    lines.push(named('', span('a question failed: something may differ; r compares again', 'warn')));
  return paper ? [...lines, ...paperLines(paper, width)] : lines;
}

/** The account's dead-man switch: after how long without the desk the exchange cancels which open orders. */
function deadManLines({ deadMan }: AccountView): Line[] {
  if (!deadMan) return [];
  const { form, seconds, symbols, running, failing, offer } = deadMan;
  const note = named('', span(CONDITIONALS, 'muted'));
  if (form === 'exchange') {
    const after = offer?.seconds == null ? '' : `, after ${offer.seconds} s`;
    const words = offer === undefined ? 'not known' : offer.on ? `on${after}` : 'off';
    const line = named(
      'dead-man',
      span(words),
      span(' · switched on and watched by its exchange alone', 'muted'),
    );
    return offer?.on ? [line, note] : [line];
  }
  if (seconds === null && !running) return [named('dead-man', span('off', 'muted'))];
  const of = form === 'account' ? 'all open orders' : `open orders of ${symbols.join(' ')}`;
  const what = running ? `runs: ${of}` : 'waits for an entry';
  const state = failing ? [span(' · NOT RENEWED', 'danger', { bold: true })] : [];
  return [
    named('dead-man', span(`${seconds ?? 'off, still'} ${seconds === null ? '' : 's, '}${what}`), ...state),
    note,
  ];
}

/** The account's connection and its environment: whether orders there are real. */
function connectionLines({ connection }: AccountView): Line[] {
  if (!connection) return [];
  const { name, venue, place, state } = connection;
  const line = named(
    'connection',
    span(` ${place} `, MODE_TONES[place], { inverse: true, bold: true }),
    span(` ${name}`),
    span(` at ${venue}`, 'muted'),
    ...(state === 'ready' ? [] : [span(`, ${state}`, 'danger')]),
  );
  return state === 'closed' ? [line, named('', span('a asks what has to be confirmed', 'warn'))] : [line];
}

/** What the account's key may do, and why the account therefore takes no entries. */
function keyLines({ permissions, closed, unconfirmed }: AccountView, now: number): Line[] {
  const lines: Line[] = [];
  if (permissions) {
    const { trade, withdraw, transfer, addresses, expiresAt } = permissions;
    const may = Object.entries({ trade, withdraw, transfer }).flatMap(([right, on]) => (on ? [right] : []));
    const from = addresses.length === 0 ? 'any address' : addresses.join(' ');
    lines.push(
      named(
        'key',
        span(`may ${may.join(', ') || 'only read'}`, withdraw || transfer ? 'warn' : undefined),
        span(' from ', 'muted'),
        span(from, addresses.length === 0 ? 'warn' : undefined),
      ),
    );
    if (expiresAt !== null) {
      const soon = expiresAt - now < EXPIRES_SOON_MS;
      lines.push(named('', span(`until ${moment(expiresAt)}`, soon ? 'warn' : undefined)));
    }
  }
  if (closed === undefined) return lines;
  const cure = unconfirmed ? '; a accepts that' : '';
  return [...lines, named('closed', span(`takes no entries: it ${closed}${cure}`, 'danger'))];
}

/** A key that expires sooner than this is shown as a warning. */
const EXPIRES_SOON_MS = 14 * 24 * 3_600_000;

function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function budgetLines({ budgets }: AccountView): Line[] {
  if (budgets.length === 0)
    return [named('budgets', span('the exchange sets no limit to requests', 'muted'))];
  return budgets.map(({ name, used, limit, windowMs }, index) =>
    named(
      index === 0 ? 'budgets' : '',
      span(`${used} of ${limit} ${name}`, used / limit >= 0.8 ? 'warn' : undefined),
      span(` in ${length(windowMs)}`, 'muted'),
    ),
  );
}

function paperLines(paper: NonNullable<AccountView['paper']>, width: number): Line[] {
  const { makerRate, takerRate, latencyMs, jitterMs, slippageBps, faults, faultsToCome } = paper;
  const jitter = jitterMs === 0 ? '' : ` + 0 to ${jitterMs}`;
  const standing = Object.entries(faults);
  return [
    ...two(
      width,
      ['fees', span(`maker ${percentText(makerRate)} %, taker ${percentText(takerRate)} %`)],
      [
        'slippage',
        span(slippageBps === 0 ? 'none' : `${slippageBps} bp`, slippageBps === 0 ? 'muted' : 'warn'),
      ],
    ),
    ...two(
      width,
      [
        'delay',
        span(
          latencyMs + jitterMs === 0 ? 'none' : `${latencyMs}${jitter} ms`,
          latencyMs + jitterMs === 0 ? 'muted' : 'warn',
        ),
      ],
      [
        'to come',
        span(
          faultsToCome === 0 ? 'no single faults' : counted(faultsToCome, 'single fault'),
          faultsToCome === 0 ? 'muted' : 'warn',
        ),
      ],
    ),
    ...(standing.length === 0
      ? [named('faults', span('none', 'muted'))]
      : standing.map(([name, value], index) =>
          named(
            index === 0 ? 'faults' : '',
            span(
              `${FAULT_WORDS[name as keyof typeof FAULT_WORDS]}: ${standingFaultText(name, value)}`,
              'warn',
            ),
          ),
        )),
  ];
}

/** The feed, its state, its market time and its speed. */
export function feedLines({ clock }: Pick<DeskState, 'clock'>, width: number): readonly Line[] {
  const { feed, held, ended, live, speed, market } = clock;
  const doing = ended ? span('ended', 'warn') : held ? span('held', 'warn') : span('plays', 'ok');
  return [
    ...two(width, ['feed', span(feed === 'synthetic' ? 'generated prices' : feed)], ['state', doing]),
    ...two(
      width,
      ['market time', span(moment(market))],
      ['speed', span(live ? 'that of the clock' : speedText(speed))],
    ),
  ];
}

declare module '../state/ui.ts' {
  interface Screens {
    readonly accounts: true;
  }
  interface Lists {
    readonly accounts: AccountsView;
  }
}
