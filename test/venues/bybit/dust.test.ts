/**
 * Small balances of Bybit, converted: what is listed, what is sent, what came of it, and that nothing is
 * called done or refused that the exchange has not said.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { DustVenue } from '../../../src/venues/venue.ts';
import { bybitRig, type Rig } from './bybit-rig.ts';

const LIST = '/v5/asset/covert/small-balance-list';
const QUOTE = '/v5/asset/covert/get-quote';
const EXECUTE = '/v5/asset/covert/small-balance-execute';
const HISTORY = '/v5/asset/covert/small-balance-history';
const answer = (result: object) => ({ retCode: 0, retMsg: 'OK', result });
const part = (fromCoin: string, fromAmount: string, toAmount: string, more: object = {}) => ({
  ...{ fromCoin, fromAmount, toAmount, ...more },
});

let rig: Rig;
let dust: DustVenue;
beforeEach(async () => {
  rig = bybitRig();
  await rig.open();
  rig.forget();
  if (!rig.venue.conversion) throw new Error('it converts nothing');
  dust = rig.venue.conversion;
});

const record = (status: string, ...subRecords: readonly object[]) =>
  answer({ records: [{ status, toAmount: '99', subRecords }] });
/** A conversion that is taken, with these words about its result, one after the other. */
function taken(...histories: readonly unknown[]): void {
  rig.say(QUOTE, answer({ quoteId: 'q7' }));
  rig.say(EXECUTE, answer({ status: 'processing' }));
  for (const one of histories) rig.say(HISTORY, one);
}
const convert = (assets: readonly string[] = ['ADA', 'DOGE'], to?: string) =>
  rig.during(dust.convert(assets, to));

it('are listed with what each is worth, those alone that can be converted', async () => {
  const coin = (fromCoin: string, availableBalance: string, baseValue: string, supportConvert: number) => ({
    ...{ fromCoin, availableBalance, baseValue, supportConvert },
  });
  rig.say(
    LIST,
    answer({
      smallAssetCoins: [coin('ADA', '1.50', '0.70', 1), coin('X', '2', '3', 2), coin('DOGE', '4', '5', 1)],
    }),
  );
  expect(await rig.during(dust.list())).toEqual({
    assets: [
      { asset: 'ADA', free: '1.5', value: '0.7', toAsset: 'MNT', toAmount: '0' },
      { asset: 'DOGE', free: '4', value: '5', toAsset: 'MNT', toAmount: '0' },
    ],
  });
  expect(rig.asked(LIST)).toEqual([{ accountType: 'eb_convert_uta' }]);
  rig.refuse(LIST, 10_016);
  expect(await rig.during(dust.list())).toBeNull();
  expect(dust.waitMs()).toBe(0);
});

describe('a conversion', () => {
  it.each(['MNT', 'USDT', 'USDC'])('to %s is quoted, confirmed once, and asked about', async (toAsset) => {
    taken(record('success', part('ADA', '10.0', '4.20', { feeAmount: '0.10' }), part('DOGE', '20', '3')));
    expect(await convert(['ADA', 'DOGE'], toAsset)).toEqual({
      kind: 'done',
      dust: {
        ...{ toAsset, received: '7.2' },
        converted: [
          { asset: 'ADA', amount: '10', received: '4.2', fee: '0.1' },
          { asset: 'DOGE', amount: '20', received: '3', fee: '0' },
        ],
      },
    });
    expect(rig.asked(QUOTE)).toEqual([
      { accountType: 'eb_convert_uta', fromCoinList: ['ADA', 'DOGE'], toCoin: toAsset },
    ]);
    expect([rig.asked(EXECUTE), rig.asked(HISTORY)]).toEqual([[{ quoteId: 'q7' }], [{ quoteId: 'q7' }]]);
  });

  it('is to MNT where nothing else is asked for', async () => {
    taken(record('success', part('ADA', '1', '2')));
    expect(await convert(['ADA'])).toMatchObject({ dust: { toAsset: 'MNT' } });
    expect(rig.asked(QUOTE)).toMatchObject([{ toCoin: 'MNT', fromCoinList: ['ADA'] }]);
  });

  it('has the parts that were converted, and is refused where none was', async () => {
    const failed = part('ADA', '10', '4', { status: 'fail' });
    taken(record('partialFail', failed, part('DOGE', '20', '3', { status: 'success' })));
    expect(await convert()).toMatchObject({
      dust: { received: '3', converted: [{ asset: 'DOGE', received: '3' }] },
    });
    taken(record('failure', failed));
    expect(await convert()).toMatchObject({ kind: 'rejected', code: 'failure' });
  });

  it('is refused before anything is sent where Bybit has no form for it', async () => {
    const many = Array.from({ length: 21 }, (_, n) => `C${n}`);
    expect(await convert(many)).toMatchObject({ kind: 'rejected', code: 'FORM' });
    expect(await convert(['ADA'], 'BTC')).toMatchObject({ kind: 'rejected', code: 'FORM' });
    expect(rig.net.asked).toEqual([]);
    taken(record('success', part('C0', '1', '1')));
    expect(await convert(many.slice(0, 20))).toMatchObject({ kind: 'done' });
  });

  it('whose quote is refused or lost has not been made', async () => {
    rig.refuse(QUOTE, 700_003, 'too small');
    expect(await convert()).toMatchObject({
      ...{ kind: 'rejected', code: '700003', message: expect.stringContaining('too small') },
    });
    rig.net.loses = { what: 'request', paths: /get-quote/ };
    expect(await convert()).toMatchObject({ kind: 'rejected', code: 'UNSENT' });
    expect(rig.asked(EXECUTE)).toEqual([]);
  });

  it.each([
    [10_005, 'rejected'],
    [700_000, 'rejected'],
    [700_099, 'rejected'],
    [700_100, 'unknown'],
    [10_016, 'unknown'],
    [170_007, 'unknown'],
  ])('that is answered %i is %s, and not asked about', async (code, kind) => {
    rig.say(QUOTE, answer({ quoteId: 'q7' }));
    rig.refuse(EXECUTE, code, 'told');
    const outcome = await convert();
    expect(outcome.kind).toBe(kind);
    if (outcome.kind === 'rejected') expect(outcome).toMatchObject({ code: String(code) });
    expect(rig.asked(HISTORY)).toEqual([]);
  });

  it('whose confirmation is lost is not known, and sent no second time', async () => {
    rig.say(QUOTE, answer({ quoteId: 'q7' }));
    rig.net.loses = { what: 'answer', paths: /small-balance-execute/ };
    expect((await convert()).kind).toBe('unknown');
    expect(rig.asked(EXECUTE)).toHaveLength(1);
  });

  it('is asked about each second, five times, and is not known after that', async () => {
    const under = record('processing', part('ADA', '10', '0'));
    taken(
      record('init'),
      answer({ records: [] }),
      { retCode: 10_016, retMsg: 'x', result: {} },
      under,
      under,
    );
    const at = rig.clock.monotonic();
    const asked = dust.convert(['ADA']);
    await rig.clock.advance(999);
    expect(rig.asked(HISTORY)).toEqual([]);
    expect(await rig.during(asked)).toMatchObject({ kind: 'unknown' });
    expect(rig.asked(HISTORY)).toHaveLength(5);
    expect(Math.floor((rig.clock.monotonic() - at) / 1_000)).toBe(5);
    taken(under, under, under, under, record('success', part('ADA', '10', '1')));
    expect(await convert()).toMatchObject({ kind: 'done', dust: { received: '1' } });
  });
});
