/**
 * What an account of Bybit is asked about beside its orders: its fees, its dead-man switch, the rights of its
 * key, its mode, and small balances; each of the right market, and nothing where the question has failed.
 */
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/domain/connection.ts';
import { bybitKind } from '../../../src/venues/bybit/kind.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import { accountsOf, addressesOf } from '../../../src/venues/venue-kind.ts';
import { TEST_KEY } from '../../emulators/bybit/keys.ts';
import { bybitRig, orderOf, type Rig, type RigOptions } from './bybit-rig.ts';

async function opened(options: RigOptions = {}): Promise<Rig> {
  const rig = bybitRig(options);
  await rig.open();
  rig.forget();
  return rig;
}

const found = <T>(rig: Rig, asked: Promise<T> | undefined): Promise<T> =>
  rig.during(asked ?? Promise.reject(new Error('it is not offered')));
const answer = (result: object) => ({ retCode: 0, retMsg: 'OK', result });

describe('fees', () => {
  const FEES = '/v5/account/fee-rate';
  const row = (symbol: string, makerFeeRate: string, takerFeeRate: string) => ({
    ...{ symbol, makerFeeRate, takerFeeRate },
  });

  it.each([
    ['spot', 'spot'],
    ['futures', 'linear'],
  ] as const)('on %s are those of BTCUSDT, whatever else is told', async (kind, category) => {
    const rig = await opened({ kind });
    rig.list(FEES, [row('ETHUSDT', '0.5', '0.6'), row('BTCUSDT', '-0.00010', '0.0020')]);
    expect(await found(rig, rig.venue.feeRates?.())).toEqual({ maker: '-0.0001', taker: '0.002' });
    expect(rig.asked(FEES)).toEqual([{ category, symbol: 'BTCUSDT' }]);
    rig.list(FEES, [row('ETHUSDT', '0.5', '0.6')]);
    expect(await found(rig, rig.venue.feeRates?.())).toBeNull();
    rig.refuse(FEES, 10_016);
    expect(await found(rig, rig.venue.feeRates?.())).toBeNull();
  });

  it('are those of the first pair in USDT where there is no BTCUSDT, and not known where there is none', async () => {
    const { spotSymbols } = bybitRig().emulator.settings;
    const of = (names: readonly string[]) =>
      opened({
        settings: {
          spotSymbols: names.flatMap((name) => spotSymbols.find((one) => one.symbol === name) ?? []),
        },
      });
    const rig = await of(['BTCUSDC', 'SOLUSDT', 'ETHUSDT']);
    expect(rig.venue.instruments().map(({ symbol }) => symbol)).toEqual(['BTCUSDC', 'SOLUSDT', 'ETHUSDT']);
    expect(await found(rig, rig.venue.feeRates?.())).toMatchObject({ maker: '0.001' });
    expect(rig.asked(FEES)).toEqual([{ category: 'spot', symbol: 'SOLUSDT' }]);
    const none = await of(['BTCUSDC']);
    expect(await found(none, none.venue.feeRates?.())).toBeNull();
    expect(none.asked(FEES)).toEqual([]);
  });
});

describe('the dead-man switch', () => {
  const path = '/v5/account/query-dcp-info';
  const spot = { product: 'SPOT', dcpStatus: 'ON', timeWindow: '40' };
  const contracts = { product: 'DERIVATIVES', dcpStatus: 'OFF', timeWindow: '10' };
  const options = { product: 'OPTIONS', dcpStatus: 'ON', timeWindow: '7' };

  it.each([
    ['spot', [options, contracts, spot], { on: true, seconds: 40 }],
    ['futures', [options, spot, contracts], { on: false, seconds: 10 }],
    ['spot', [options, contracts], { on: false, seconds: null }],
    ['spot', [{ ...spot, timeWindow: '0' }], { on: true, seconds: null }],
    ['spot', [{ ...spot, timeWindow: 'x' }], { on: true, seconds: null }],
    ['futures', null, { on: false, seconds: null }],
  ] as const)('of %s is that of its own product', async (kind, dcpInfos, offer) => {
    const rig = await opened({ kind });
    rig.say(path, answer({ dcpInfos }));
    expect(await found(rig, rig.venue.deadMan?.offered?.())).toEqual(offer);
    rig.refuse(path, 10_005);
    expect(await found(rig, rig.venue.deadMan?.offered?.())).toBeNull();
  });
});

describe('the key', () => {
  const path = '/v5/user/query-api';
  const KEY = { readOnly: 0, permissions: {}, ips: ['*'], expiredAt: '', userID: 7, parentUid: '0' };
  const permissionsOf = async (kind: 'spot' | 'futures', more: object) => {
    const rig = await opened({ kind });
    rig.say(path, answer({ ...KEY, ...more }));
    return found(rig, rig.venue.permissions?.());
  };

  it.each([
    ['spot', { Spot: ['SpotTrade'] }, 0, true],
    ['spot', { ContractTrade: ['Order', 'Position'], Derivatives: ['DerivativesTrade'] }, 0, false],
    ['spot', { Spot: [] }, 0, false],
    ['spot', { Spot: ['SpotTrade'] }, 1, false],
    ['futures', { ContractTrade: ['Order', 'Position'] }, 0, true],
    ['futures', { Derivatives: ['DerivativesTrade'], ContractTrade: [] }, 0, true],
    ['futures', { Derivatives: null, ContractTrade: ['Position'] }, 0, false],
    ['futures', { Spot: ['SpotTrade'] }, 0, false],
    ['futures', { ContractTrade: ['Order'] }, 1, false],
  ] as const)('on %s with %o, read-only %i, may trade: %s', async (kind, permissions, readOnly, trade) => {
    const told = await permissionsOf(kind, { permissions, readOnly });
    expect(told).toEqual({ trade, withdraw: false, transfer: false, addresses: [], expiresAt: null });
  });

  it.each([
    [['Withdraw'], true, false],
    [['AccountTransfer'], false, true],
    [['SubMemberTransfer'], false, true],
    [['SubMemberTransferList'], false, true],
    [['Odd'], false, false],
    [null, false, false],
  ] as const)('with %o may withdraw: %s, transfer: %s', async (Wallet, withdraw, transfer) => {
    expect(await permissionsOf('spot', { permissions: { Wallet } })).toMatchObject({ withdraw, transfer });
  });

  it.each([
    [['*'], '2026-12-24T10:00:00Z', [], Date.UTC(2026, 11, 24, 10)],
    [['', '*'], '2026-12-24T10:00:00Z', [], Date.UTC(2026, 11, 24, 10)],
    [null, '2018-01-01T00:00:01Z', [], Date.UTC(2018, 0, 1, 0, 0, 1)],
    [null, '2018-01-01T00:00:00Z', [], null],
    [null, '1970-01-01T00:00:00Z', [], null],
    [null, 'never', [], null],
    [null, null, [], null],
    // Bound to addresses it does not expire.
    [['1.2.3.4', '5.6.7.8'], '2026-12-24T10:00:00Z', ['1.2.3.4', '5.6.7.8'], null],
  ] as const)('bound to %o, until %s', async (ips, expiredAt, addresses, expiresAt) => {
    expect(await permissionsOf('spot', { ips, expiredAt })).toMatchObject({ addresses, expiresAt });
  });

  it.each([
    [7, '0', { id: '7' }],
    ['8', '', { id: '8' }],
    [9, undefined, { id: '9' }],
    [9, 0, { id: '9' }],
    [9, 12, { id: '9', mainId: '12' }],
    [9, '13', { id: '9', mainId: '13' }],
  ])('of %s under %s', async (userID, parentUid, identity) => {
    const rig = await opened();
    rig.say(path, answer({ ...KEY, userID, parentUid }));
    expect(await found(rig, rig.venue.identity?.())).toEqual(identity);
    rig.refuse(path, 10_016);
    expect(await found(rig, rig.venue.identity?.())).toBeNull();
    rig.refuse(path, 10_016);
    expect(await found(rig, rig.venue.permissions?.())).toBeNull();
  });
});

it('small balances are converted on live spot alone, and rights and fees told everywhere but on demo', () => {
  for (const environment of ['live', 'testnet', 'demo'] as const)
    for (const kind of ['spot', 'futures'] as const) {
      const { venue } = bybitRig({ environment, kind });
      const isLive = environment === 'live' && kind === 'spot';
      expect([environment, kind, venue.conversion !== undefined]).toEqual([environment, kind, isLive]);
      for (const offered of [venue.permissions, venue.identity, venue.feeRates])
        expect(offered !== undefined).toBe(environment !== 'demo');
    }
});

it.each([
  ['spot', 'PORTFOLIO_MARGIN', null],
  ['spot', 'ODD_MARGIN', null],
  ['futures', 'REGULAR_MARGIN', null],
  ['futures', 'ISOLATED_MARGIN', null],
  ['futures', 'PORTFOLIO_MARGIN', 'portfolio margin: leverage is not used'],
  ['futures', 'ODD_MARGIN', 'the margin mode ODD_MARGIN is not known'],
] as const)('an account of %s in %s says: %s', async (kind, marginMode, words) => {
  const rig = bybitRig({ kind });
  rig.say('/v5/account/info', answer({ unifiedMarginStatus: 6, marginMode }));
  await rig.open();
  expect(rig.told.reports).toEqual(words === null ? [] : [expect.stringContaining(words)]);
  for (const text of rig.told.reports) expect(text).toMatch(/^mine-futures: /);
});

describe('the limits of a user', () => {
  it('are one for both accounts of a wallet, so that no question of theirs is one too many', async () => {
    const rig = bybitRig({ markets: ['spot', 'futures'] });
    for (const venue of rig.venues) await rig.during(venue.open(rig.sink));
    await rig.clock.advance(5_000);
    // Bybit answers fifty such questions a second.
    const asked = rig.venues.flatMap((venue) => Array.from({ length: 40 }, () => venue.balances()));
    const answers = await rig.during(Promise.all(asked));
    expect(answers.every((one) => one !== null)).toBe(true);
  });

  it('are others for each wallet of an address', async () => {
    const rig = await opened();
    const kind = bybitKind(rig.net);
    const ways = new Addresses(rig.clock);
    const [one, two] = ['one', 'two'].map((name) => {
      const connection: Connection = {
        ...{ name, venue: 'bybit', markets: ['spot'], environment: 'live', endpoints: {} },
      };
      const found = addressesOf(kind, connection);
      if ('problem' in found) throw new Error(found.problem);
      const secrets = {
        get: (field: string) => Buffer.from(field === 'apiKey' ? TEST_KEY.apiKey : TEST_KEY.secret),
      };
      const { clock } = rig;
      const random = { id: () => '', next: () => 0 };
      const accounts = accountsOf(kind, connection);
      return kind.open({ connection, addresses: found.addresses, accounts, secrets, clock, random, ways })[0];
    });
    if (!one || !two) throw new Error('there are no two');
    for (let n = 0; n < 100; n++) void one.submit(orderOf({ price: '50000', quantity: '0.001' }));
    await rig.clock.advance(0);
    expect(one.canSend?.('entry', 'BTCUSDT')).not.toBeNull();
    expect(two.canSend?.('entry', 'BTCUSDT')).toBeNull();
  });

  it.each([
    ['spot', 16, 20],
    ['futures', 8, 10],
  ] as const)('of orders on %s leave a fifth to those that close', async (kind, entries, all) => {
    const rig = await opened({ kind });
    await rig.clock.advance(5_000);
    const { venue } = rig;
    const isFree = (lane: 'entry' | 'exit') => venue.canSend?.(lane, 'BTCUSDT') === null;
    expect([isFree('entry'), isFree('exit')]).toEqual([true, true]);
    const places = Array.from({ length: all + 5 }, () =>
      venue.submit(orderOf({ price: '50000', quantity: '0.001' }, kind)),
    );
    await rig.clock.advance(0);
    expect(rig.asked('/v5/order/create')).toHaveLength(entries);
    await rig.during(Promise.all(places));
    expect(rig.asked('/v5/order/create')).toHaveLength(all + 5);
  });
});
