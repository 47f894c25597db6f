/** A run judges a refusal by its code (strategies.md 2, run rule 3); the text beside it is for people. */
import { expect, it } from 'vitest';
import { changeOf, whyRefused } from '../../../src/bots/runtime/bot-orders.ts';
import type { ServiceError } from '../../../src/domain/errors.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { REJECT_CODES, type RejectCode } from '../../../src/domain/reject-code.ts';

/** Texts that exchanges use for refusals other than the tested one. */
const WORDS = [
  'paper-spot refused: Account has insufficient balance for requested action. (-2010)',
  'paper-futures refused: Order would immediately trigger. (-2021)',
  'paper-spot refused: no more of this (SYMBOL_HALTED)',
  'reworded in the next release',
  undefined,
];

const MEANING: Partial<Record<RejectCode, string>> = {
  BALANCE: 'balance',
  STOP_PASSED: 'passed',
  BUDGET: 'later',
  RATE_LIMITED: 'later',
  SYMBOL_HALTED: 'final',
  SYMBOL_UNKNOWN: 'final',
  BAD_CREDENTIALS: 'later',
  ACCOUNT_RESTRICTED: 'final',
  GUARD_MAX_ORDER_VALUE: 'guard',
  GUARD_MAX_POSITION_VALUE: 'guard',
  GUARD_MAX_OPEN_ORDERS: 'guard',
  GUARD_MAX_ORDERS_PER_MINUTE: 'guard',
  GUARD_PRICE_BAND: 'guard',
  GUARD_DAILY_LOSS_LIMIT: 'guard',
  GUARD_SYMBOLS: 'guard',
  GUARD_DEAD_MAN: 'guard',
};

function whyOf(rejectCode: RejectCode | undefined, text: string | undefined): string | null {
  const order = { status: 'ERROR', ...(rejectCode && { rejectCode }), ...(text && { text }) } as OrderRecord;
  const change = changeOf('1', order);
  return change?.kind === 'rejected' ? change.why : null;
}

it.each(REJECT_CODES)('a run decides alike about %s however the exchange words it', (code) => {
  for (const text of WORDS) expect(whyOf(code, text)).toBe(MEANING[code] ?? 'other');
});

it.each(REJECT_CODES)('%s is one for later where the symbol is not traded any more', (code) => {
  const order = { status: 'ERROR', rejectCode: code } as OrderRecord;
  expect(changeOf('1', order, true)).toMatchObject({ kind: 'rejected', why: 'later' });
});

it('an order of an older store has no code: its words decide nothing', () => {
  for (const text of WORDS) expect(whyOf(undefined, text)).toBe('other');
});

it.each([
  [{ code: 'SERVICE_UNAVAILABLE' }, 'later'],
  [{ code: 'SERVICE_UNAVAILABLE', reason: 'BALANCE' }, 'later'],
  [{ code: 'INVALID_REQUEST', reason: 'BALANCE' }, 'balance'],
  [{ code: 'INVALID_REQUEST', reason: 'RESERVED' }, 'balance'],
  [{ code: 'INVALID_REQUEST', reason: 'STOP_SIDE' }, 'passed'],
  [{ code: 'INVALID_REQUEST', reason: 'SYMBOL' }, 'later'],
  [{ code: 'INVALID_REQUEST', reason: 'GUARD_SYMBOLS' }, 'guard'],
  [{ code: 'INVALID_REQUEST', reason: 'FIELD' }, 'other'],
  [{ code: 'INVALID_REQUEST' }, 'other'],
])('what the engine itself refuses with %j means %s to a run', (error, why) => {
  expect(whyRefused({ message: '', ...error } as ServiceError)).toBe(why);
});
