/**
 * Checks what an exchange reports before the engine or the store gets it: amounts are plain decimals, times
 * and numbers are numbers, words come from their list. A report with a wrong field is left out as a whole,
 * and the field is named. Pure.
 */
import type { AccountIdentity } from '../../domain/account-identity.ts';
import { dec, str, ZERO } from '../../domain/decimal.ts';
import type {
  ExchangeBalance,
  ExchangeFill,
  ExchangeOrderState,
  ExchangeOrderStatus,
  ExchangeOrderTerms,
  FeeRates,
} from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { LEDGER_KINDS, type LedgerEntry } from '../../domain/ledger.ts';
import { isMarketName } from '../../domain/market-name.ts';
import type { Permissions } from '../../domain/permissions.ts';
import type { ExchangePosition, LeverageInfo } from '../../domain/position.ts';
import { REJECT_CODES } from '../../domain/reject-code.ts';
import {
  type MarginType,
  OrderType,
  type PositionSide,
  type Side,
  type WorkingType,
} from '../../schemas/order.ts';

/** One field that cannot be read. */
export interface Unreadable {
  /** The field, such as `fill.qty`; `value` is what the exchange sent. */
  readonly field: string;
  readonly value: unknown;
  /**
   * The report is of a symbol or asset whose name is not possible here, so of nothing that is traded from
   * here.
   */
  readonly alien?: true;
}

export type Decoded<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Unreadable);

/** An amount has at most this many digits; the largest amount of any token needs fewer. */
const MAX_LENGTH = 80;
/** Longest word or id that is accepted, in characters. */
const MAX_WORD = 256;
/** Most words in one list. */
const MAX_WORDS = 100;
const ACCOUNT_ID = /^[A-Za-z0-9_.:-]{1,64}$/;
const PLAIN = /^-?\d+(?:\.\d+)?$/;
const WITH_EXPONENT = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,2})$/;

/** Carries the field out of a decoder; never leaves this file. */
class NotReadable extends Error {
  readonly unreadable: Unreadable;

  constructor(field: string, value: unknown, alien = false) {
    super(field);
    this.unreadable = { field, value, ...(alien ? { alien } : {}) };
  }
}

function decoder<T>(what: string, decode: (raw: T) => T): (raw: T) => Decoded<T> {
  return (raw) => {
    if (typeof raw !== 'object' || raw === null) return { ok: false, field: what, value: raw };
    try {
      return { ok: true, value: decode(raw) };
    } catch (error) {
      if (error instanceof NotReadable) return { ok: false, ...error.unreadable };
      throw error;
    }
  };
}

/** Returns the plain text of an exact amount; null when it is not one. */
function plainOf(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const exponent = WITH_EXPONENT.exec(text);
  const plain = exponent ? withoutExponent(exponent) : text;
  if (plain.length > MAX_LENGTH || !PLAIN.test(plain)) return null;
  try {
    const value = dec(plain);
    return exponent ? str(value) : plain;
  } catch {
    // More decimal places than are stored.
    return null;
  }
}

function withoutExponent([, sign = '', whole = '', fraction = '', power = '0']: RegExpExecArray): string {
  const digits = whole + fraction;
  const dot = whole.length + Number(power);
  if (dot <= 0) return `${sign}0.${'0'.repeat(-dot)}${digits}`;
  if (dot >= digits.length) return `${sign}${digits}${'0'.repeat(dot - digits.length)}`;
  return `${sign}${digits.slice(0, dot)}.${digits.slice(dot)}`;
}

function isNone(value: unknown): boolean {
  return value === '' || value === 'null' || value === null || value === undefined;
}

function figure(field: string, value: unknown): string {
  const plain = typeof value === 'string' ? plainOf(value) : null;
  if (plain === null) throw new NotReadable(field, value);
  return plain;
}

/** Reads an amount; exchanges write "" and "null" for "none", which is zero. */
function figureOrZero(field: string, value: unknown): string {
  return isNone(value) ? '0' : figure(field, value);
}

function figureOrNull(field: string, value: unknown): string | null {
  return isNone(value) ? null : figure(field, value);
}

function word(field: string, value: unknown): string {
  if (typeof value !== 'string' || value.length > MAX_WORD) throw new NotReadable(field, value);
  return value;
}

/** Reads an account id of an exchange, a number or a word; it is stored, compared and shown. */
function accountId(field: string, value: unknown): string {
  const id = word(field, value);
  if (!ACCOUNT_ID.test(id)) throw new NotReadable(field, value);
  return id;
}

/** Reads the name of a symbol or asset. */
function marketName(field: string, value: unknown): string {
  const name = word(field, value);
  if (!isMarketName(name)) throw new NotReadable(field, value, name !== '');
  return name;
}

function words(field: string, value: unknown): string[] {
  if (!Array.isArray(value) || value.length > MAX_WORDS) throw new NotReadable(field, value);
  return value.map((one) => word(field, one));
}

function oneOf<T extends string>(field: string, value: unknown, list: readonly T[]): T {
  const found = list.find((one) => one === value);
  if (found === undefined) throw new NotReadable(field, value);
  return found;
}

function whole(field: string, value: unknown, least = 0): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least)
    throw new NotReadable(field, value);
  return value;
}

/** Reads the time of a report that may come without one. */
function timeOf(field: string, value: unknown): { time?: number } {
  return value === undefined ? {} : { time: whole(field, value) };
}

const SIDES: readonly Side[] = ['BUY', 'SELL'];
const POSITION_SIDES: readonly PositionSide[] = ['BOTH', 'LONG', 'SHORT'];
const MARGIN_TYPES: readonly MarginType[] = ['CROSSED', 'ISOLATED'];
const STATUSES: readonly ExchangeOrderStatus[] = ['PENDING', 'WORKING', 'FILLED', 'CANCELLED', 'REJECTED'];

const KINDS: readonly Instrument['kind'][] = ['spot', 'futures'];

const ORDER_TYPES = OrderType.anyOf.map((literal) => literal.const);
const WORKING_TYPES: readonly WorkingType[] = ['MARK_PRICE', 'CONTRACT_PRICE'];
const IN_FORCE: readonly ExchangeOrderTerms['timeInForce'][] = ['GTC', 'IOC', 'FOK'];

function termsOf(raw: ExchangeOrderTerms): ExchangeOrderTerms {
  if (typeof raw !== 'object' || raw === null) throw new NotReadable('order.terms', raw);
  const maybe = (name: 'price' | 'stopPrice' | 'icebergQty') =>
    isNone(raw[name]) ? {} : { [name]: figure(`order.terms.${name}`, raw[name]) };
  return {
    side: oneOf('order.terms.side', raw.side, SIDES),
    type: oneOf('order.terms.type', raw.type, ORDER_TYPES),
    ...maybe('price'),
    ...maybe('stopPrice'),
    ...maybe('icebergQty'),
    timeInForce: oneOf('order.terms.timeInForce', raw.timeInForce, IN_FORCE),
    reduceOnly: raw.reduceOnly === true,
    closePosition: raw.closePosition === true,
    positionSide: oneOf('order.terms.positionSide', raw.positionSide, POSITION_SIDES),
    workingType: oneOf('order.terms.workingType', raw.workingType, WORKING_TYPES),
  };
}

function wordsOf(field: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new NotReadable(field, value);
  return value.map((one) => word(field, one));
}

export const decodeState = decoder<ExchangeOrderState>('order', ({ text, reason, stuck, ...raw }) => ({
  ...raw,
  clientId: word('order.clientId', raw.clientId),
  symbol: marketName('order.symbol', raw.symbol),
  status: oneOf('order.status', raw.status, STATUSES),
  origQty: figureOrZero('order.origQty', raw.origQty),
  cumQty: figureOrZero('order.cumQty', raw.cumQty),
  ...(isNone(raw.quoteQty) ? {} : { quoteQty: figure('order.quoteQty', raw.quoteQty) }),
  seq: whole('order.seq', raw.seq),
  time: whole('order.time', raw.time),
  ...(typeof text === 'string' ? { text } : {}),
  ...(reason !== undefined && REJECT_CODES.includes(reason) ? { reason } : {}),
  ...(stuck === true ? { stuck } : {}),
  ...(raw.armedAt === undefined ? {} : { armedAt: whole('order.armedAt', raw.armedAt) }),
  ...(raw.venueIds === undefined ? {} : { venueIds: wordsOf('order.venueIds', raw.venueIds) }),
  ...(raw.terms === undefined ? {} : { terms: termsOf(raw.terms) }),
}));

export const decodeFill = decoder<ExchangeFill>('fill', (raw) => ({
  ...raw,
  tradeId: word('fill.tradeId', raw.tradeId),
  clientId: word('fill.clientId', raw.clientId),
  ...(raw.venueId === undefined ? {} : { venueId: word('fill.venueId', raw.venueId) }),
  symbol: marketName('fill.symbol', raw.symbol),
  side: oneOf('fill.side', raw.side, SIDES),
  price: figure('fill.price', raw.price),
  qty: figure('fill.qty', raw.qty),
  comm: figureOrZero('fill.comm', raw.comm),
  // Any name is accepted: an execution is not lost because of the name of its fee's asset.
  commAsset: isNone(raw.commAsset) ? '' : word('fill.commAsset', raw.commAsset),
  maker: raw.maker === true,
  rPnl: figureOrNull('fill.rPnl', raw.rPnl),
  posSide: oneOf('fill.posSide', raw.posSide, POSITION_SIDES),
  time: whole('fill.time', raw.time),
  ...(isNone(raw.liquidation) ? {} : { liquidation: raw.liquidation === true }),
}));

export const decodeBalance = decoder<ExchangeBalance>('balance', (raw) => ({
  ...raw,
  asset: marketName('balance.asset', raw.asset),
  free: figureOrZero(`balance.free of ${clipped(raw.asset)}`, raw.free),
  locked: figureOrZero(`balance.locked of ${clipped(raw.asset)}`, raw.locked),
  ...timeOf(`balance.time of ${clipped(raw.asset)}`, raw.time),
}));

/** Largest fee as a part of the traded amount, of either sign. */
const FEE_MAX = dec('0.1');

function rate(field: string, value: unknown): string {
  const plain = figure(field, value);
  const part = dec(plain);
  if (part > FEE_MAX || part < -FEE_MAX) throw new NotReadable(field, value);
  return plain;
}

export const decodeFees = decoder<FeeRates>('feeRates', (raw) => ({
  maker: rate('feeRates.maker', raw.maker),
  taker: rate('feeRates.taker', raw.taker),
}));

function yesOrNo(field: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new NotReadable(field, value);
  return value;
}

export const decodeIdentity = decoder<AccountIdentity>('identity', (raw) => ({
  id: accountId('identity.id', raw.id),
  ...(isNone(raw.mainId) ? {} : { mainId: accountId('identity.mainId', raw.mainId) }),
}));

export const decodePermissions = decoder<Permissions>('permissions', (raw) => ({
  trade: yesOrNo('permissions.trade', raw.trade),
  withdraw: yesOrNo('permissions.withdraw', raw.withdraw),
  transfer: yesOrNo('permissions.transfer', raw.transfer),
  addresses: words('permissions.addresses', raw.addresses),
  expiresAt: isNone(raw.expiresAt) ? null : whole('permissions.expiresAt', raw.expiresAt),
}));

/** Decodes an entry of the ledger; an unknown kind of change becomes `other`. */
export const decodeEntry = decoder<LedgerEntry>('ledger', (raw) => ({
  id: word('ledger.id', raw.id),
  time: whole('ledger.time', raw.time),
  asset: marketName('ledger.asset', raw.asset),
  amount: figure('ledger.amount', raw.amount),
  kind: LEDGER_KINDS.find((kind) => kind === raw.kind) ?? 'other',
  ...(isNone(raw.symbol) ? {} : { symbol: word('ledger.symbol', raw.symbol) }),
}));

export const decodePosition = decoder<ExchangePosition>('position', (raw) => {
  const zero = (name: keyof ExchangePosition) => figureOrZero(`position.${name}`, raw[name]);
  return {
    ...raw,
    symbol: marketName('position.symbol', raw.symbol),
    side: oneOf('position.side', raw.side, POSITION_SIDES),
    amount: zero('amount'),
    entryPrice: zero('entryPrice'),
    breakEvenPrice: zero('breakEvenPrice'),
    markPrice: zero('markPrice'),
    unrealizedProfit: zero('unrealizedProfit'),
    marginType: oneOf('position.marginType', raw.marginType, MARGIN_TYPES),
    leverage: whole('position.leverage', raw.leverage, 1),
    isolatedWallet: zero('isolatedWallet'),
    liquidationPrice: figureOrNull('position.liquidationPrice', raw.liquidationPrice),
    maintenanceMarginRate: zero('maintenanceMarginRate'),
    maintenanceMargin: zero('maintenanceMargin'),
    realizedPnl: zero('realizedPnl'),
    updateTime: whole('position.updateTime', raw.updateTime),
  };
});

export const decodeLeverage = decoder<LeverageInfo>('leverage', (raw) => ({
  ...raw,
  symbol: marketName('leverage.symbol', raw.symbol),
  side: oneOf('leverage.side', raw.side, POSITION_SIDES),
  leverage: whole('leverage.leverage', raw.leverage, 1),
  marginType: oneOf('leverage.marginType', raw.marginType, MARGIN_TYPES),
  realizedPnl: figureOrZero('leverage.realizedPnl', raw.realizedPnl),
  ...timeOf('leverage.time', raw.time),
}));

const HALTS = ['halted', 'in a break', 'cancel-only'] as const;

/** Decodes an instrument. Fields that an exchange adds are dropped: they are neither compared nor stored. */
export const decodeInstrument = decoder<Instrument>('instrument', (raw) => {
  const of = clipped(raw.symbol);
  const read = (name: keyof Instrument) => figureOrZero(`instrument.${name} of ${of}`, raw[name]);
  const positive = (name: keyof Instrument) => {
    const text = figure(`instrument.${name} of ${of}`, raw[name]);
    if (dec(text) <= ZERO) throw new NotReadable(`instrument.${name} of ${of}`, raw[name]);
    return text;
  };
  const count = (name: keyof Instrument) => whole(`instrument.${name} of ${of}`, raw[name]);
  return {
    exchange: word('instrument.exchange', raw.exchange),
    symbol: marketName('instrument.symbol', raw.symbol),
    base: marketName(`instrument.base of ${of}`, raw.base),
    quote: marketName(`instrument.quote of ${of}`, raw.quote),
    kind: oneOf(`instrument.kind of ${of}`, raw.kind, KINDS),
    tickSize: positive('tickSize'),
    stepSize: positive('stepSize'),
    minPrice: read('minPrice'),
    maxPrice: read('maxPrice'),
    minQty: read('minQty'),
    maxQty: read('maxQty'),
    marketMaxQty: read('marketMaxQty'),
    minNotional: read('minNotional'),
    maxNotional: read('maxNotional'),
    percentDown: read('percentDown'),
    percentUp: read('percentUp'),
    trailingMinBps: count('trailingMinBps'),
    trailingMaxBps: count('trailingMaxBps'),
    maxOrders: count('maxOrders'),
    maxIcebergParts: count('maxIcebergParts'),
    ...(isNone(raw.multiplier) ? {} : { multiplier: positive('multiplier') }),
    ...(isNone(raw.halt) ? {} : { halt: oneOf(`instrument.halt of ${of}`, raw.halt, HALTS) }),
    ...(isNone(raw.endsAt) ? {} : { endsAt: count('endsAt') }),
    ...(isNone(raw.orderTypes)
      ? {}
      : { orderTypes: words(`instrument.orderTypes of ${of}`, raw.orderTypes) }),
  };
});

/** Decodes an instrument that was stored for a later start; its symbol may have been delisted. */
export const decodeKeptInstrument = decoder<Instrument>('instrument', (raw) => {
  const decoded = decodeInstrument(raw);
  if (!decoded.ok) throw new NotReadable(decoded.field, decoded.value);
  return raw.delisted === true ? { ...decoded.value, delisted: true } : decoded.value;
});

/**
 * Returns what is readable in a list, the first unreadable entry, and the first entry of something that is
 * not traded here.
 */
export function decodeAll<T>(
  list: readonly T[],
  decode: (raw: T) => Decoded<T>,
): { readonly good: T[]; readonly bad: Unreadable | null; readonly alien: Unreadable | null } {
  const good: T[] = [];
  let bad: Unreadable | null = null;
  let alien: Unreadable | null = null;
  for (const raw of list) {
    const decoded = decode(raw);
    if (decoded.ok) good.push(decoded.value);
    else if (decoded.alien) alien ??= { field: decoded.field, value: decoded.value, alien: true };
    else bad ??= { field: decoded.field, value: decoded.value };
  }
  return { good, bad, alien };
}

/** Returns a value as short text for one line of the log. */
export function clipped(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : String(value).slice(0, 60);
  return typeof value === 'string' && value.length > 60 ? `${text}…` : text;
}
