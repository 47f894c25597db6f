/**
 * The ticket: which fields an order type has on a kind of account, and the order that a draft describes
 * (specification, "Create order"). Pure; whether the order would be accepted is for the engine to say
 * (`orders.check`).
 */
import type { DeskState } from '../../../desk/console/protocol.ts';
import type { CreateOrder, OrderType } from '../../../schemas/order.ts';
import { readLocal } from '../../ui/zone.ts';

export type TicketFieldId =
  | 'exchange'
  | 'symbol'
  | 'side'
  | 'type'
  | 'sizeIn'
  | 'quantity'
  | 'quoteOrderQty'
  | 'price'
  | 'stopPrice'
  | 'timeInForce'
  | 'goodTillDate'
  | 'icebergQty'
  | 'trailingDelta'
  | 'activationPrice'
  | 'percentPrice'
  | 'workingType'
  | 'positionSide'
  | 'reduceOnly'
  | 'closePosition'
  | 'marginType'
  | 'takeProfit'
  | 'stopLoss';

export type TicketDraft = Readonly<Record<TicketFieldId, string>>;

export interface TicketField {
  readonly id: TicketFieldId;
  readonly label: string;
  /** Values to choose from; left out: the field is typed. */
  readonly choices?: readonly string[];
  readonly hint: string;
}

export const ORDER_TYPES: readonly OrderType[] = [
  'LIMIT',
  'MARKET',
  'LIMIT_MAKER',
  'STOP_MARKET',
  'STOP_LIMIT',
  'TAKE_PROFIT_MARKET',
  'TAKE_PROFIT_LIMIT',
];

export function emptyDraft(exchange: string, symbol: string): TicketDraft {
  return {
    exchange,
    symbol,
    side: 'BUY',
    type: 'LIMIT',
    sizeIn: 'base',
    quantity: '',
    quoteOrderQty: '',
    price: '',
    stopPrice: '',
    timeInForce: 'GTC',
    goodTillDate: '',
    icebergQty: '',
    trailingDelta: '',
    activationPrice: '',
    percentPrice: '',
    workingType: 'MARK_PRICE',
    positionSide: 'BOTH',
    reduceOnly: 'no',
    closePosition: 'no',
    marginType: 'as set',
    takeProfit: '',
    stopLoss: '',
  };
}

const priced = (type: string): boolean => /LIMIT/.test(type);
const conditional = (type: string): boolean => /^(STOP|TAKE_PROFIT)_/.test(type);

/** Facts of an account that the ticket needs. */
export interface TicketAccount {
  readonly id: string;
  readonly kind: 'spot' | 'futures';
  readonly hedge?: boolean;
}

export function ticketAccounts(
  state: Pick<DeskState, 'accounts' | 'futures'> | null,
): readonly TicketAccount[] {
  return (state?.accounts ?? []).map(({ id, kind }) => ({
    id,
    kind,
    hedge: state?.futures[id]?.hedgeMode === true,
  }));
}

/** The fields that apply, in order. */
export function ticketFields(draft: TicketDraft, accounts: readonly TicketAccount[]): readonly TicketField[] {
  const account = accounts.find(({ id }) => id === draft.exchange);
  const futures = account?.kind === 'futures';
  const closable = futures && /(^|_)MARKET$/.test(draft.type);
  const closes = closable && draft.closePosition === 'yes';
  const { type } = draft;
  const yesNo = ['no', 'yes'];
  const fields: (TicketField | false)[] = [
    { id: 'exchange', label: 'account', choices: accounts.map((account) => account.id), hint: '' },
    { id: 'symbol', label: 'symbol', hint: 'BTCUSDT' },
    { id: 'side', label: 'side', choices: ['BUY', 'SELL'], hint: '' },
    { id: 'type', label: 'type', choices: ORDER_TYPES, hint: '' },
    closable && {
      id: 'closePosition',
      label: 'close position',
      choices: yesNo,
      hint: 'the whole position',
    },
    type === 'MARKET' && !closes && { id: 'sizeIn', label: 'size in', choices: ['base', 'quote'], hint: '' },
    !closes && sizeField(draft, type === 'MARKET'),
    conditional(type) && ({ id: 'stopPrice', label: 'stop price', hint: 'triggers here' } as const),
    priced(type) && ({ id: 'price', label: 'price', hint: 'number, last, -1%, +5t; ↑ ↓ a tick' } as const),
    priced(type) &&
      type !== 'LIMIT_MAKER' && {
        id: 'timeInForce',
        label: 'in force',
        choices: ['GTC', 'IOC', 'FOK', 'GTD'],
        hint: '',
      },
    priced(type) &&
      type !== 'LIMIT_MAKER' &&
      draft.timeInForce === 'GTD' && {
        id: 'goodTillDate',
        label: 'good till',
        hint: '+2h, +3d or 2025-02-03 14:00',
      },
    !futures &&
      type === 'LIMIT' &&
      draft.timeInForce === 'GTC' && { id: 'icebergQty', label: 'iceberg', hint: 'shown part' },
    type === 'STOP_MARKET' && { id: 'trailingDelta', label: 'trailing', hint: 'basis points, 100 = 1 %' },
    type === 'STOP_MARKET' &&
      draft.trailingDelta !== '' && { id: 'activationPrice', label: 'arms at', hint: 'price' },
    type === 'STOP_MARKET' &&
      draft.trailingDelta !== '' &&
      draft.activationPrice === '' && { id: 'percentPrice', label: 'arms after', hint: '% from here' },
    futures &&
      conditional(type) && {
        id: 'workingType',
        label: 'trigger by',
        choices: ['MARK_PRICE', 'CONTRACT_PRICE'],
        hint: '',
      },
    futures &&
      account.hedge === true && {
        id: 'positionSide',
        label: 'position',
        choices: ['LONG', 'SHORT'],
        hint: 'hedge mode: which of the two',
      },
    futures && !closes && { id: 'reduceOnly', label: 'reduce only', choices: yesNo, hint: '' },
    futures && { id: 'marginType', label: 'margin', choices: ['as set', 'CROSSED', 'ISOLATED'], hint: '' },
    !closes && { id: 'takeProfit', label: 'take-profit', hint: 'with a stop: one cancels the other' },
    !closes && { id: 'stopLoss', label: 'stop', hint: '1r sizes by it' },
  ];
  return fields.filter((field): field is TicketField => field !== false);
}

function sizeField(draft: TicketDraft, market: boolean): TicketField {
  return market && draft.sizeIn === 'quote'
    ? { id: 'quoteOrderQty', label: 'spend', hint: 'quote amount' }
    : { id: 'quantity', label: 'quantity', hint: '0.1 5000usdt 25% 1r; l m p s t type' };
}

/**
 * Reads a time, Unix ms: `+90m`, `+2h`, `+3d` from `now`, or a date and time as shown. Null when it is
 * neither.
 */
export function parseGoodTill(text: string, now: number): number | null {
  const relative = /^\+(\d{1,5})\s*(m|h|d)$/i.exec(text.trim());
  if (relative) {
    const unit = { m: 60_000, h: 3_600_000, d: 86_400_000 }[(relative[2] ?? 'm').toLowerCase()] ?? 60_000;
    return Math.floor(now) + Number(relative[1]) * unit;
  }
  return readLocal(text.trim());
}

/**
 * The order that a draft describes; empty fields are left out. `problem` names a field that cannot be read at
 * all.
 */
export function draftOrder(
  draft: TicketDraft,
  fields: readonly TicketField[],
  now: number,
): { order: Partial<CreateOrder>; problem: { field: TicketFieldId; message: string } | null } {
  const order: Record<string, unknown> = {};
  let problem: { field: TicketFieldId; message: string } | null = null;
  for (const { id } of fields) {
    const value = draft[id].trim();
    if (value === '' || id === 'sizeIn' || id === 'takeProfit' || id === 'stopLoss') continue;
    if (id === 'goodTillDate') {
      const at = parseGoodTill(value, now);
      if (at === null) problem = { field: id, message: 'write +2h, +3d or 2025-02-03 14:00' };
      else order[id] = at;
    } else if (id === 'trailingDelta') {
      if (/^\d+(\.\d+)?$/.test(value)) order[id] = Number(value);
      else problem = { field: id, message: 'a number of basis points' };
    } else if (id === 'reduceOnly' || id === 'closePosition') {
      if (value === 'yes') order[id] = true;
    } else if (id === 'positionSide') {
      if (value !== 'BOTH') order[id] = value;
    } else if (id === 'marginType') {
      if (value !== 'as set') order[id] = value;
    } else if (id === 'timeInForce') {
      if (value !== 'GTC') order[id] = value;
    } else {
      order[id] = value;
    }
  }
  return { order: order as Partial<CreateOrder>, problem };
}
