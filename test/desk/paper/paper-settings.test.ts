/**
 * Settings of the embedded exchanges: separate for each account, fees kept over restarts, and nothing kept
 * of a change that was not stored.
 */
import { expect, it } from 'vitest';
import { feeRatesOf } from '../../../src/desk/paper/paper-accounts.ts';
import { AllPaperSettings, changeWords, settingsRows } from '../../../src/desk/paper/paper-settings.ts';
import type { ExchangeAccount } from '../../../src/domain/exchange.ts';
import { ACCOUNT, FUTURES, FUTURES_ACCOUNT, SPOT } from '../../engine/support/market.ts';

const NEW = { latencyMs: 0, jitterMs: 0, slippageBps: 0 };

it('a new account has the fees of its kind; what is no embedded one has none', () => {
  const all = new AllPaperSettings(new Map());
  expect(all.of(SPOT)).toEqual({ makerRate: '0.001', takerRate: '0.001', ...NEW });
  expect(all.of(FUTURES)).toEqual({ makerRate: '0.0002', takerRate: '0.0005', ...NEW });
  expect(feeRatesOf(undefined)).toEqual({ maker: '0.001', taker: '0.001' });
  expect(feeRatesOf('other')).toEqual({ maker: '0', taker: '0' });
  expect(feeRatesOf('toString')).toEqual({ maker: '0', taker: '0' });
});

it('fees are stored by account and come back; how requests travel does not', () => {
  const first = new AllPaperSettings(new Map());
  const next = { makerRate: '0.0001', takerRate: '0.0007', latencyMs: 250, jitterMs: 10, slippageBps: 3 };
  first.set(FUTURES, next);
  first.stored(FUTURES);
  const rows = settingsRows(FUTURES, first.of(FUTURES));
  expect(rows).toEqual([
    { kind: 'meta', name: `paper-fees ${FUTURES}`, value: { makerRate: '0.0001', takerRate: '0.0007' } },
  ]);
  const [row] = rows;
  const meta = new Map(row?.kind === 'meta' ? [[row.name, row.value]] : []);
  const again = new AllPaperSettings(meta);
  expect(again.of(FUTURES)).toEqual({ makerRate: '0.0001', takerRate: '0.0007', ...NEW });
  expect(again.of(SPOT)).toMatchObject({ makerRate: '0.001', takerRate: '0.001' });
  expect(again.fees(FUTURES)).toEqual({ maker: '0.0001', taker: '0.0007' });
  expect(again.fees(undefined)).toEqual({ maker: '0.001', taker: '0.001' });
});

it('changes that were not stored are all taken back, of that account alone; those that were are the new ground', () => {
  const all = new AllPaperSettings(new Map());
  const start = all.of(SPOT);
  const change = (exchange: string, latencyMs: number) =>
    all.set(exchange, { ...all.of(exchange), latencyMs });
  change(SPOT, 1);
  change(FUTURES, 7);
  change(SPOT, 2);
  all.undo(SPOT);
  expect([all.of(SPOT), all.of(FUTURES).latencyMs]).toEqual([start, 7]);
  change(SPOT, 3);
  all.stored(SPOT);
  change(SPOT, 4);
  all.undo(SPOT);
  expect(all.of(SPOT).latencyMs).toBe(3);
  // No change is under way.
  all.undo(SPOT);
  all.undo(FUTURES);
  expect([all.of(SPOT).latencyMs, all.of(FUTURES).latencyMs]).toEqual([3, 0]);
});

it('a change is of what it names; rates are from 0 to below 1, of eight places', () => {
  const all = new AllPaperSettings(new Map());
  const changed = (change: object, account: ExchangeAccount = ACCOUNT) => all.changed(account, change);
  expect(changed({ takerRate: '0.002', slippageBps: 4 }, FUTURES_ACCOUNT)).toEqual({
    ok: true,
    data: { makerRate: '0.0002', takerRate: '0.002', ...NEW, slippageBps: 4 },
  });
  for (const rate of ['0', '0.99999999', '0.00000001'])
    for (const name of ['makerRate', 'takerRate'])
      expect(changed({ [name]: rate })).toMatchObject({ ok: true, data: { [name]: rate } });
  for (const rate of ['1', '1.0', '-0.1', '0.000000001', '.1', '1e-3', '', 0.001, null])
    expect(changed({ makerRate: rate })).toMatchObject({
      ok: false,
      error: { message: 'maker fee: at least 0 and below 1, such as 0.001 for 0.1 %' },
    });
  for (const name of ['latencyMs', 'jitterMs', 'slippageBps'])
    for (const value of ['5', -1, Number.NaN]) expect(changed({ [name]: value }).ok).toBe(false);
  // A read changes nothing.
  expect(all.of(SPOT)).toEqual({ makerRate: '0.001', takerRate: '0.001', ...NEW });
});

it('a change is told with what was and what is', () => {
  const before = { makerRate: '0.001', takerRate: '0.001', ...NEW };
  const after = { makerRate: '0.0005', takerRate: '0.001', latencyMs: 250, jitterMs: 5, slippageBps: 2 };
  expect(changeWords(before, after)).toBe(
    'maker fee 0.001 to 0.0005, latency 0 to 250, jitter 0 to 5, slippage 0 to 2',
  );
  expect(changeWords(before, { ...before, takerRate: '0.002' })).toBe('taker fee 0.001 to 0.002');
  expect(changeWords(before, { ...before })).toBe('');
});
