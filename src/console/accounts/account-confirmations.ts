/** The texts of the confirmations of the Portfolio and Accounts screens. Pure. */
import type { DeskState } from '../../desk/console/protocol.ts';
import { str, ZERO } from '../../domain/decimal.ts';
import type { WideRight } from '../../domain/permissions.ts';
import { question } from '../dialogs/question.ts';
import type { ConfirmDialog, InfoRow } from '../state/ui.ts';
import { isRunning } from '../trading/bots.ts';
import { isOpen } from '../trading/orders.ts';
import { openPositions } from '../trading/positions.ts';
import { amount, counted, exact, read } from '../ui/format.ts';
import { type AccountAction, chosenDust, type DustForm, FAULT_WORDS, percentText } from './account-forms.ts';
import { guardRows } from './guard-form.ts';

function sum(texts: readonly string[]): string {
  return str(texts.reduce((total, text) => total + (read(text) ?? ZERO), ZERO));
}

export function confirmDust(state: DeskState, form: DustForm): ConfirmDialog {
  const assets = chosenDust(form);
  const into = assets[0]?.toAsset ?? '';
  const names = assets.map(({ asset }) => asset);
  return question(state, {
    title: 'Convert small balances',
    rows: [
      { name: 'account', value: form.exchange },
      { name: 'assets', value: names.join(' ') },
      { name: 'worth', value: `${exact(sum(assets.map(({ value }) => value)))} USDT` },
      {
        name: 'gives',
        value: `${exact(sum(assets.map(({ toAmount }) => toAmount)))} ${into}, fee taken off`,
      },
    ],
    next: `All that is free of them becomes ${into} at the price of that moment. The next conversion is possible 6 h later.`,
    verb: `convert ${counted(names.length, 'asset')}`,
    action: { type: 'dust', exchange: form.exchange, assets: names },
  });
}

/** The actions that a form of the Accounts screen asks for. */
export type Asked = Extract<
  AccountAction,
  { type: 'paper-settings' | 'paper-balance' | 'paper-fault' | 'paper-faults' | 'guards' | 'feed-speed' }
>;

/** Tells whether `confirmAccount` asks about the action; the others have questions of their own. */
export function isAsked(action: AccountAction): action is Asked {
  return ['paper-settings', 'paper-balance', 'paper-fault', 'paper-faults', 'guards', 'feed-speed'].includes(
    action.type,
  );
}

export function confirmAccount(state: DeskState, action: Asked): ConfirmDialog {
  switch (action.type) {
    case 'paper-settings':
      return question(state, {
        title: 'Settings of the paper exchange',
        rows: [{ name: 'account', value: action.exchange }, ...settingRows(state, action)],
        next: 'Fees count from the next fill on and stay after a restart; the rest holds until the desk stops.',
        verb: 'change the settings',
        action,
      });
    case 'paper-balance': {
      const now = state.portfolios[action.exchange]?.balances?.find(({ asset }) => asset === action.asset);
      return question(state, {
        title: 'Set a balance',
        rows: [
          { name: 'account', value: action.exchange },
          {
            name: `free ${action.asset}`,
            value: `${exact(now?.free ?? '0')} → ${exact(action.amount)}`,
            tone: 'warn',
          },
          { name: 'locked', value: `${exact(now?.locked ?? '0')} stays` },
        ],
        next: 'It is as if paid in or out: no profit of the day. Bots may find less than they count on.',
        verb: 'set this balance',
        action,
      });
    }
    case 'paper-fault':
      return question(state, {
        title: 'Fault of the paper exchange',
        rows: faultRows(action),
        next: 'Orders of yours may become unresolved: the desk asks until the truth is known.',
        verb: 'set this fault',
        action,
      });
    case 'paper-faults':
      return question(state, {
        title: action.heal ? 'All faults off' : 'Standing fault',
        rows: [{ name: 'account', value: action.exchange }, ...standingRows(action)],
        next: action.heal
          ? 'Every request and event passes again, but for latency and slippage.'
          : 'It stands until it is set to 0, all faults are set off, or the desk stops.',
        verb: action.heal ? 'end all faults' : 'set this fault',
        action,
      });
    case 'guards':
      return question(state, {
        title: 'Guards of the account',
        rows: [
          { name: 'account', value: action.exchange },
          ...guardRows(state, action.exchange, action.change),
        ],
        next: 'They count from the next order on and stay after a restart. Exits, stops, closes and cancels pass; entries of bots wait until they fit.',
        verb: 'change the guards',
        action,
      });
    case 'feed-speed':
      return question(state, {
        title: 'Speed of the feed',
        rows: [
          { name: 'feed', value: state.clock.feed },
          {
            name: 'speed',
            value: `${speedText(state.clock.speed)} → ${speedText(action.speed)}`,
            tone: 'warn',
          },
        ],
        next: 'Bots and orders live in market time: more happens to them in a minute. Until the desk stops.',
        verb: 'change the speed',
        action,
      });
  }
}

export function speedText(speed: number | 'max'): string {
  return speed === 'max' ? 'max' : `x${speed}`;
}

function settingRows(
  state: DeskState,
  { exchange, change }: Extract<AccountAction, { type: 'paper-settings' }>,
): InfoRow[] {
  const now = state.accounts.find(({ id }) => id === exchange)?.paper;
  const row = (name: string, before: string, after: string): InfoRow => ({
    name,
    value: `${before} → ${after}`,
    tone: 'warn',
  });
  const rows: InfoRow[] = [];
  for (const [id, name] of [['makerRate', 'maker fee'] as const, ['takerRate', 'taker fee'] as const]) {
    const value = change[id];
    if (value !== undefined && now)
      rows.push(row(name, `${percentText(now[id])} %`, `${percentText(value)} %`));
  }
  for (const [id, name, unit] of [
    ['latencyMs', 'latency', 'ms'] as const,
    ['jitterMs', 'jitter', 'ms'] as const,
    ['slippageBps', 'slippage', 'bp'] as const,
  ]) {
    const value = change[id];
    if (value !== undefined && now) rows.push(row(name, `${now[id]} ${unit}`, `${value} ${unit}`));
  }
  return rows;
}

function faultRows({ request }: Extract<AccountAction, { type: 'paper-fault' }>): InfoRow[] {
  const account = { name: 'account', value: request.exchange ?? '' };
  if (request.fault === 'down')
    return [
      account,
      { name: 'fault', value: `the connection breaks for ${request.ms / 1_000} s`, tone: 'warn' },
    ];
  const { fault, times = 1, on } = request;
  const words = FAULT_WORDS[fault === 'reject' ? 'rejectNth' : fault];
  return [
    account,
    { name: 'fault', value: words, tone: 'warn' },
    { name: 'hits', value: `the next ${times}${on ? ` (${on})` : ''}` },
  ];
}

function standingRows({ change, heal }: Extract<AccountAction, { type: 'paper-faults' }>): InfoRow[] {
  if (heal) return [{ name: 'faults', value: 'none stands, none is to come' }];
  return Object.entries(change).map(([name, value]) => ({
    name: 'fault',
    value: `${FAULT_WORDS[name as keyof typeof FAULT_WORDS]}: ${standingFaultText(name, value)}`,
    tone: 'warn' as const,
  }));
}

/** Writes a standing fault as `10 %`, `one of 3 orders` or `off`. */
export function standingFaultText(name: string, value: number): string {
  if (value === 0) return 'off';
  if (name === 'rejectNth') return value === 1 ? 'every order' : `one of ${value} orders`;
  return `${Number((value * 100).toFixed(4))} %`;
}

/** The question before an irreversible reset: the person types the account's name. */
export function confirmReset(state: DeskState, exchange: string): ConfirmDialog {
  const orders = Object.values(state.orders).filter((order) => order.exchange === exchange && isOpen(order));
  const positions = openPositions(state).filter((row) => row.exchange === exchange);
  const running = Object.values(state.bots).filter((bot) => bot.exchange === exchange && isRunning(bot));
  const rows: InfoRow[] = [
    { name: 'account', value: exchange },
    { name: 'worth now', value: `${exact(state.portfolios[exchange]?.total.usd)} USD` },
    {
      name: 'orders',
      value: `${orders.length} open: cancelled`,
      tone: orders.length > 0 ? 'warn' : undefined,
    },
    {
      name: 'positions',
      value: `${positions.length}: gone, without a fill`,
      tone: positions.length > 0 ? 'warn' : undefined,
    },
  ];
  if (running.length > 0)
    rows.push({
      name: 'bots',
      value: `${running.length} running: stop them first, or it is refused`,
      tone: 'danger',
    });
  return question(state, {
    title: 'Reset the paper account',
    rows,
    next: 'The account gets the balances of a new one. Fees, past orders and trades stay. It cannot be undone.',
    keep: 'Keep it',
    verb: 'reset this account',
    word: exchange,
    action: { type: 'paper-reset', exchange },
  });
}

const RIGHT_WORDS: Readonly<Record<WideRight, string>> = {
  withdraw: 'take money out of the account',
  transfer: 'move money to other accounts',
};

/** The question about wide rights of a key, which can take the money: the account's name is typed. */
export function confirmRights(
  state: DeskState,
  exchange: string,
  rights: readonly WideRight[],
): ConfirmDialog {
  const addresses = state.accounts.find(({ id }) => id === exchange)?.permissions?.addresses ?? [];
  return question(state, {
    title: 'Rights of the key',
    rows: [
      { name: 'account', value: exchange },
      ...rights.map((right): InfoRow => ({ name: right, value: RIGHT_WORDS[right], tone: 'danger' })),
      addresses.length === 0
        ? { name: 'usable from', value: 'any address', tone: 'danger' }
        : { name: 'usable from', value: addresses.join(' ') },
    ],
    next: 'Outcry needs neither: take them from the key at the exchange, and it is asked again. Confirmed, the account takes entries.',
    keep: 'Keep it closed',
    verb: 'accept these rights',
    word: exchange,
    action: { type: 'key-rights', exchange, rights },
  });
}

/** The question before a loss limit is lifted: as much may be lost again. The account's name is typed. */
export function confirmLift(state: DeskState, exchange: string): ConfirmDialog {
  const loss = state.accounts.find(({ id }) => id === exchange)?.guards?.meters?.loss;
  const rows: InfoRow[] = [{ name: 'account', value: exchange }];
  if (loss?.known === true)
    rows.push(
      { name: 'lost today', value: `${amount(loss.lost, 2)} USDT`, tone: 'danger' },
      { name: 'from now on', value: `up to ${amount(loss.limit, 2)} USDT more may be lost`, tone: 'warn' },
    );
  else if (loss) rows.push({ name: 'lost today', value: `not known: ${loss.why}`, tone: 'danger' });
  const paused = Object.values(state.bots).filter((bot) => bot.exchange === exchange && isRunning(bot));
  rows.push({ name: 'bots', value: `${counted(paused.length, 'run')} that wait for it` });
  return question(state, {
    title: 'Lift the loss limit',
    rows,
    next: 'Entries go on at once, those of bots too. It holds until as much is lost again, or until 00:00.',
    keep: 'Keep it closed',
    verb: 'lift this limit',
    word: exchange,
    action: { type: 'loss-lift', exchange },
  });
}
