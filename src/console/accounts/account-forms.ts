/** The forms of Portfolio and Accounts: their fields, problems of the values, and the effects. Pure. */
import type {
  DeskShut,
  DeskState,
  PaperFaultRequest,
  PaperSettings,
  StandingFaults,
  VenueKindView,
} from '../../desk/console/protocol.ts';
import type { Connection } from '../../domain/connection.ts';
import { dec, decOfInt, div, mul, str } from '../../domain/decimal.ts';
import type { Guards } from '../../domain/guards.ts';
import { byCodePoint, inCapitals } from '../../domain/market-name.ts';
import type { WideRight } from '../../domain/permissions.ts';
import type { Dust } from '../../schemas/futures.ts';
import { read } from '../ui/format.ts';
import { type ConnectAction, connectFields, readConnect, valuesOf } from './connect-form.ts';
import { GUARD_FIELDS, guardValues, readGuards } from './guard-form.ts';

/** What a confirmed dialog of these screens does. */
export type AccountAction =
  | { readonly type: 'dust'; readonly exchange: string; readonly assets: readonly string[] }
  | {
      readonly type: 'paper-settings';
      readonly exchange: string;
      readonly change: Partial<PaperSettings>;
    }
  | {
      readonly type: 'paper-balance';
      readonly exchange: string;
      readonly asset: string;
      readonly amount: string;
    }
  | ConnectAction
  | { readonly type: 'guards'; readonly exchange: string; readonly change: Partial<Guards> }
  | { readonly type: 'loss-lift'; readonly exchange: string }
  | { readonly type: 'paper-reset'; readonly exchange: string }
  | { readonly type: 'key-rights'; readonly exchange: string; readonly rights: readonly WideRight[] }
  | {
      readonly type: 'take-over';
      readonly exchange: string;
      readonly of: Exclude<DeskShut['kind'], 'another'>;
    }
  | { readonly type: 'paper-fault'; readonly request: PaperFaultRequest }
  | {
      readonly type: 'paper-faults';
      readonly exchange: string;
      readonly change: Partial<StandingFaults>;
      readonly heal: boolean;
    }
  | { readonly type: 'feed-speed'; readonly speed: number | 'max' };

/** The actions that a form of the Accounts screen asks for. */
export type FormAction = Exclude<
  AccountAction,
  { type: 'dust' | 'paper-reset' | 'key-rights' | 'loss-lift' | 'take-over' }
>;

/** The form that chooses which small balances are converted. */
export interface DustForm {
  readonly kind: 'dust-form';
  readonly exchange: string;
  /** The convertible balances; null until the exchange has named them. */
  readonly offer: Dust['assets'] | null;
  /** Wall time from which a conversion is allowed; 0: now. */
  readonly nextAt: number;
  /** Why the exchange named no balances. */
  readonly failed: string | null;
  /** Assets that are not converted. */
  readonly left: readonly string[];
  readonly focus: string;
  /** The refusal of the last attempt. */
  readonly refusal: string | null;
}

export type AccountAsk = 'connect' | 'settings' | 'balance' | 'faults' | 'guards' | 'speed';

export interface AccountForm {
  readonly kind: 'account-form';
  readonly what: AccountAsk;
  readonly exchange: string;
  /** The venues that can be connected; only in the connect form. */
  readonly kinds?: readonly VenueKindView[];
  /** Addresses of the configuration by connection name, in place of built-in ones; in the connect form. */
  readonly endpoints?: Readonly<Record<string, Connection['endpoints']>>;
  /** The values by field; a missing value is empty. */
  readonly values: Readonly<Record<string, string>>;
  readonly focus: string;
  /** The refusal of the last attempt. */
  readonly refusal: string | null;
}

export type AccountDialog = DustForm | AccountForm;

export interface AccountField {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  /** The choices of a field that is chosen, not typed. */
  readonly choices?: readonly string[];
  /** The value is drawn as stars. */
  readonly hidden?: true;
  /** What is shown for a choice, where that is not the choice itself. */
  readonly words?: Readonly<Record<string, string>>;
}

/** What each fault does, in the words of the form. */
export const FAULT_WORDS: Readonly<Record<keyof StandingFaults | 'down' | 'off', string>> = {
  rejectNth: 'the exchange refuses it',
  loseRequest: 'the request never arrives',
  lateArrival: 'the request arrives late, unheard of',
  loseAnswer: 'it is done, but the answer is lost',
  serverErrorAfterAccept: 'it is done, but answered with an error',
  delay: 'the request is held up',
  dropEvent: 'an event is not told',
  duplicateEvent: 'an event is told twice',
  reorderEvent: 'an event is told too late',
  queryFails: 'a question fails',
  down: 'the connection breaks',
  off: 'all faults off, those to come too',
};
type FaultChoice = keyof typeof FAULT_WORDS;
const FAULTS = Object.keys(FAULT_WORDS) as FaultChoice[];
const OF_REQUESTS: ReadonlySet<string> = new Set([
  'loseRequest',
  'lateArrival',
  'loseAnswer',
  'serverErrorAfterAccept',
  'delay',
]);

/** Builds a form with its first values. */
export function newAccountForm(what: AccountAsk, exchange: string, state: DeskState): AccountForm {
  const values = firstValues(what, exchange, state);
  const form = { kind: 'account-form', what, exchange, values, focus: '', refusal: null } as const;
  return { ...form, focus: accountFields(form)[0]?.id ?? 'review' };
}

function firstValues(what: AccountAsk, exchange: string, state: DeskState): Record<string, string> {
  const paper = state.accounts.find(({ id }) => id === exchange)?.paper;
  switch (what) {
    case 'settings':
      if (!paper) return {};
      return {
        makerRate: percentText(paper.makerRate),
        takerRate: percentText(paper.takerRate),
        latencyMs: String(paper.latencyMs),
        jitterMs: String(paper.jitterMs),
        slippageBps: String(paper.slippageBps),
      };
    case 'guards':
      return guardValues(state, exchange);
    case 'faults':
      return { fault: 'rejectNth', how: 'the next', value: '1', on: 'submit' };
    case 'speed':
      return { speed: String(state.clock.speed) };
    default:
      return {};
  }
}

/** Writes a rate as percent: `0.001` -> `0.1`. */
export function percentText(rate: string): string {
  const value = read(rate);
  return value === null ? rate : str(mul(value, decOfInt(100)));
}

export function accountFields({
  what,
  values,
  kinds,
}: Pick<AccountForm, 'what' | 'values' | 'kinds'>): readonly AccountField[] {
  switch (what) {
    case 'connect':
      return connectFields({ values, ...(kinds ? { kinds } : {}) });
    case 'settings':
      return [
        { id: 'makerRate', label: 'maker fee %', hint: 'of an order that rested; stays after a restart' },
        {
          id: 'takerRate',
          label: 'taker fee %',
          hint: 'of an order that fills at once; stays after a restart',
        },
        {
          id: 'latencyMs',
          label: 'latency ms',
          hint: 'until a request reaches the exchange; until the desk stops',
        },
        {
          id: 'jitterMs',
          label: 'jitter ms',
          hint: 'up to so much is added to the latency; until the desk stops',
        },
        {
          id: 'slippageBps',
          label: 'slippage bp',
          hint: 'how much worse market orders fill, 100 = 1 %; until the desk stops',
        },
      ];
    case 'balance':
      return [
        { id: 'asset', label: 'asset', hint: 'such as BTC' },
        {
          id: 'amount',
          label: 'free amount',
          hint: 'what is free afterwards; what orders have locked stays',
        },
      ];
    case 'speed':
      return [{ id: 'speed', label: 'speed', hint: 'how much faster than the clock, such as 600, or max' }];
    case 'guards':
      return GUARD_FIELDS;
    case 'faults':
      return faultFields(values);
  }
}

function faultFields(values: AccountForm['values']): readonly AccountField[] {
  const fault = values.fault as FaultChoice;
  const fields: AccountField[] = [
    { id: 'fault', label: 'what', hint: 'what goes wrong', choices: FAULTS, words: FAULT_WORDS },
  ];
  if (fault === 'off') return fields;
  if (fault === 'down') {
    return [
      ...fields,
      { id: 'value', label: 'seconds', hint: 'then it is up again, and compared with the desk' },
    ];
  }
  fields.push({
    id: 'how',
    label: 'when',
    hint: 'the next ones only, or as long as it stands',
    choices: ['the next', 'always'],
  });
  if (values.how === 'the next') {
    fields.push({ id: 'value', label: 'how many', hint: 'requests or events that it hits' });
    if (OF_REQUESTS.has(fault))
      fields.push({ id: 'on', label: 'of', hint: 'which requests', choices: ['submit', 'cancel'] });
    return fields;
  }
  const every = fault === 'rejectNth';
  fields.push({
    id: 'value',
    label: every ? 'every' : 'chance %',
    hint: every ? 'so many orders, one is refused; 0 is off' : 'of each one; 0 is off',
  });
  return fields;
}

/** Sets one value of a form, and resets the values whose meaning depends on it. */
export function withAccountValue(form: AccountForm, id: string, value: string): AccountForm {
  const values = {
    ...form.values,
    [id]:
      (form.what === 'balance' && id === 'asset') ||
      (form.what === 'guards' && id === 'symbols' && value !== 'off')
        ? inCapitals(value)
        : value,
  };
  if (form.what === 'faults' && (id === 'fault' || id === 'how')) {
    values.value =
      values.fault === 'down' ? '10' : values.how === 'the next' || values.fault === 'rejectNth' ? '1' : '10';
  }
  const whole = form.what === 'connect' ? valuesOf(form.kinds ?? [], values) : values;
  return { ...form, values: whole, refusal: null };
}

export interface AccountProblem {
  readonly field: string;
  readonly message: string;
}

/** Returns the action that a form asks for, or the first problem of its values. */
export function readAccountForm(
  form: AccountForm,
  state: DeskState,
): { readonly action: FormAction } | { readonly problem: AccountProblem } {
  switch (form.what) {
    case 'connect':
      return readConnect(form);
    case 'settings':
      return readSettings(form, state);
    case 'balance':
      return readBalance(form, state);
    case 'faults':
      return readFault(form);
    case 'guards':
      return readGuards(form, state);
    case 'speed':
      return readSpeed(form, state);
  }
}

function wrong(field: string, message: string): { problem: AccountProblem } {
  return { problem: { field, message } };
}

function readSettings({ exchange, values }: AccountForm, state: DeskState) {
  const now = state.accounts.find(({ id }) => id === exchange)?.paper;
  if (!now) return wrong('makerRate', `${exchange} has no such settings`);
  const change: { -readonly [K in keyof PaperSettings]?: PaperSettings[K] } = {};
  for (const id of ['makerRate', 'takerRate'] as const) {
    const text = (values[id] ?? '').trim();
    if (!/^\d{1,2}(\.\d{1,6})?$/.test(text))
      return wrong(id, 'a percentage from 0 to below 100, such as 0.1');
    const rate = str(div(dec(text), decOfInt(100)));
    if (rate !== now[id]) change[id] = rate;
  }
  for (const id of ['latencyMs', 'jitterMs'] as const) {
    const value = whole(values[id]);
    if (value === null || value > 60_000) return wrong(id, 'a whole number from 0 to 60000');
    if (value !== now[id]) change[id] = value;
  }
  const slippage = (values.slippageBps ?? '').trim();
  if (!/^\d{1,4}(\.\d{1,2})?$/.test(slippage) || Number(slippage) > 5_000)
    return wrong('slippageBps', 'from 0 to 5000 basis points, at most two places');
  if (Number(slippage) !== now.slippageBps) change.slippageBps = Number(slippage);
  if (Object.keys(change).length === 0) return wrong('makerRate', 'nothing is changed');
  return { action: { type: 'paper-settings', exchange, change } as const };
}

function readBalance({ exchange, values }: AccountForm, state: DeskState) {
  const asset = (values.asset ?? '').trim();
  const amount = (values.amount ?? '').trim();
  const assets = assetsOf(state, exchange);
  const examples = assets.slice(0, 3).join(', ');
  if (asset === '') return wrong('asset', `write an asset of ${exchange}, such as ${examples}`);
  if (!assets.includes(asset))
    return wrong('asset', `${asset} is not held on ${exchange}; for example ${examples}`);
  if (!/^\d{1,15}(\.\d{1,18})?$/.test(amount))
    return wrong('amount', 'a number of at least 0, such as 2500.5');
  return { action: { type: 'paper-balance', exchange, asset, amount } as const };
}

/** Returns the assets that an account can hold; on futures only the margin asset. */
export function assetsOf({ instruments, accounts }: DeskState, exchange: string): readonly string[] {
  const futures = accounts.find(({ id }) => id === exchange)?.kind === 'futures';
  const found = new Set<string>();
  for (const entry of instruments) {
    if (entry.exchange !== exchange) continue;
    found.add(entry.quote);
    if (!futures) found.add(entry.base);
  }
  return [...found].sort(byCodePoint);
}

function readFault({ exchange, values }: AccountForm) {
  const fault = values.fault as FaultChoice;
  if (fault === 'off') return { action: { type: 'paper-faults', exchange, change: {}, heal: true } as const };
  const number = whole(values.value);
  if (fault === 'down') {
    if (number === null || number < 1 || number > 3_600)
      return wrong('value', 'whole seconds from 1 to 3600');
    const request = { fault: 'down', exchange, ms: number * 1_000 } as const;
    return { action: { type: 'paper-fault', request } as const };
  }
  if (values.how === 'the next') {
    if (number === null || number < 1 || number > 1_000)
      return wrong('value', 'a whole number from 1 to 1000');
    const on = OF_REQUESTS.has(fault)
      ? { on: values.on === 'cancel' ? ('cancel' as const) : ('submit' as const) }
      : {};
    const name = fault === 'rejectNth' ? 'reject' : fault;
    return {
      action: { type: 'paper-fault', request: { fault: name, exchange, times: number, ...on } } as const,
    };
  }
  if (fault === 'rejectNth') {
    if (number === null || number > 1_000_000) return wrong('value', 'a whole number from 0 to 1000000');
    return {
      action: { type: 'paper-faults', exchange, change: { rejectNth: number }, heal: false } as const,
    };
  }
  const text = (values.value ?? '').trim();
  if (!/^\d{1,3}(\.\d{1,4})?$/.test(text) || Number(text) > 100)
    return wrong('value', 'a chance from 0 to 100 %');
  return {
    action: { type: 'paper-faults', exchange, change: { [fault]: Number(text) / 100 }, heal: false } as const,
  };
}

function readSpeed({ values }: AccountForm, { clock }: DeskState) {
  const text = (values.speed ?? '').trim();
  if (text === 'max') {
    return clock.speed === 'max'
      ? wrong('speed', 'it is so already')
      : { action: { type: 'feed-speed', speed: 'max' } as const };
  }
  const speed = Number(text);
  if (!/^\d{1,7}(\.\d{1,3})?$/.test(text) || speed <= 0 || speed > 1_000_000)
    return wrong('speed', 'above 0 and at most 1000000, or max');
  return speed === clock.speed
    ? wrong('speed', 'it is so already')
    : { action: { type: 'feed-speed', speed } as const };
}

function whole(text: string | undefined): number | null {
  const value = (text ?? '').trim();
  return /^\d{1,9}$/.test(value) ? Number(value) : null;
}

/** The fields of a dust form in their order: one per asset, then the button. */
export function dustFields({ offer }: DustForm): readonly string[] {
  return [...(offer ?? []).map(({ asset }) => asset), 'review'];
}

/** Returns the balances that would be converted. */
export function chosenDust({ offer, left }: DustForm): Dust['assets'] {
  return (offer ?? []).filter(({ asset }) => !left.includes(asset));
}

declare module '../state/ui.ts' {
  interface Dialogs {
    readonly accounts: AccountDialog;
  }
  interface Actions {
    readonly accounts: AccountAction;
  }
}
