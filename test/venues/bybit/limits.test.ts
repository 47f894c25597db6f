/**
 * What each request to Bybit uses, how much of it there is, where requests go in each environment, and the
 * words for what is wrong: figures and names that the documents of Bybit give.
 */
import { describe, expect, it } from 'vitest';
import { bybitDialect, isAddressBan, retOf } from '../../../src/venues/bybit/dialect.ts';
import { BYBIT_ABSENCE, BYBIT_LINEAR_CAPS, BYBIT_SPOT_CAPS } from '../../../src/venues/bybit/forms.ts';
import { bybitKind } from '../../../src/venues/bybit/kind.ts';
import { BYBIT_MARKET } from '../../../src/venues/bybit/market/requests.ts';
import { meaningOf } from '../../../src/venues/bybit/questions.ts';
import { BYBIT, LINEAR_REQUESTS, SPOT_REQUESTS } from '../../../src/venues/bybit/requests.ts';
import { troubleOf } from '../../../src/venues/bybit/trouble.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import { ClockOffset } from '../../../src/venues/kit/clock-offset.ts';
import type { RequestForm } from '../../../src/venues/kit/requests.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { HandNet } from '../kit/hand-net.ts';

const ADDRESS = {
  ...{ name: 'requests 5 s', scope: 'address', unit: 'requests', windowMs: 5_000, limit: 600 },
  ...{ resets: 'sliding', stops: 'address', atStart: 'empty', spare: 120 },
};

describe('the limits of requests', () => {
  it.each([
    ['place', 20, 10],
    ['amend', 10, 10],
    ['cancel', 20, 10],
    ['cancelAll', 20, 10],
    ['realtime', 50, 50],
    ['history', 50, 50],
    ['executions', 50, 50],
    ['wallet', 50, 50],
    ['ledger', 25, 25],
    ['account', 50, 50],
    ['fees', 5, 5],
    ['deadMan', 5, 5],
    ['key', 10, 10],
    ['positions', 50, 50],
    ['setLeverage', 10, 10],
    ['setHedgeMode', 10, 10],
    ['setMarginMode', 5, 5],
    ['dust', 10, 10],
    ['dustQuote', 5, 5],
    ['convertDust', 5, 5],
    ['dustHistory', 5, 5],
  ] as const)('%s may be sent %i times a second on spot, %i on contracts', (name, spot, linear) => {
    for (const [category, limit] of [
      ['spot', spot],
      ['linear', linear],
    ] as const) {
      expect(BYBIT[category][name].costs({}, 'mine')).toEqual([
        {
          ...{ of: 'mine', amount: 1 },
          row: {
            ...{ name: expect.any(String), scope: 'uid and endpoint', unit: 'requests', windowMs: 1_000 },
            ...{ limit, resets: 'sliding', stops: 'orders', atStart: 'empty' },
            spare: name === 'place' ? limit / 5 : 0,
          },
        },
        { of: '', amount: 1, row: ADDRESS },
      ]);
    }
  });

  it('are counted by name: no two requests share one, and those of trading are of their market', () => {
    const rows = [...SPOT_REQUESTS, ...LINEAR_REQUESTS]
      .flatMap((form) => form.costs({}, 'mine'))
      .map(({ row }) => row);
    const names = new Set(rows.map(({ name }) => name));
    expect(names.size).toBe(new Set(rows).size);
    // 17 of both markets, four of each, and that of the address.
    expect(names.size).toBe(17 + 2 * 4 + 1);
    for (const name of ['place', 'amend', 'cancel', 'cancelAll'] as const)
      expect(BYBIT.spot[name].costs({}, '')[0]?.row).not.toBe(BYBIT.linear[name].costs({}, '')[0]?.row);
  });

  it('of what is public are those of the address, and messages of sockets have none', () => {
    const { time, instruments, riskLimits, login, subscribe, ping } = BYBIT.linear;
    const open: readonly RequestForm[] = [time, instruments, riskLimits, ...Object.values(BYBIT_MARKET)];
    for (const form of open)
      expect([form.security, form.costs({}, 'mine')]).toEqual([
        'none',
        [{ of: '', amount: 1, row: ADDRESS }],
      ]);
    for (const form of [login, subscribe, ping] as readonly RequestForm[])
      expect([form.endpoint, form.method, form.costs({}, 'mine')]).toEqual(['private-stream', 'WS', []]);
    expect([login.security, subscribe.security, ping.security]).toEqual(['signed', 'none', 'none']);
  });

  it('are corrected by an answer alone that has both figures, and a breach of what is public stops nobody', () => {
    const clock = new VirtualClock(0);
    const way = new Addresses(clock).way('https://api.bybit.com');
    const hear = (
      form: (typeof SPOT_REQUESTS)[number],
      headers: Record<string, string>,
      text = '{"retCode":0}',
    ) =>
      bybitDialect().heard(
        { form, status: 200, headers, text, uid: 'mine', leftAt: 0, now: 0 },
        way,
        new ClockOffset(clock),
      );
    const { place, wallet } = BYBIT.spot;
    const time: RequestForm = BYBIT.spot.time;
    const row = place.costs({}, 'mine')[0]?.row;
    if (!row) throw new Error('it costs nothing');
    for (const headers of [
      ...[{}, { 'x-bapi-limit': '99' }, { 'x-bapi-limit-status': '3' }],
      { 'x-bapi-limit': '99', 'x-bapi-limit-status': '-1' },
    ]) {
      hear(place, headers as Record<string, string>);
      expect(way.budget.limitOf(row)).toBe(20);
    }
    hear(time, { 'x-bapi-limit': '1', 'x-bapi-limit-status': '0' });
    expect(time.costs({}, '').map((cost) => way.budget.limitOf(cost.row))).toEqual([600]);
    hear(time, {}, '{"retCode":10006,"retMsg":"Too many visits!"}');
    for (const form of [place, wallet])
      for (const cost of form.costs({}, 'mine')) expect(way.budget.stoppedMs(cost, 0)).toBe(0);
  });
});

it('a request is good for 5 s after its signature, leaves within half of one, and is seen after 5 s', () => {
  const both = {
    ...{ validityWindowMs: 5_000, sendWithinMs: 500, settleMs: 5_000 },
    amends: { types: ['LIMIT', 'LIMIT_MAKER'], fields: ['price', 'quantity'], keepsPlace: 'never' },
  };
  expect(BYBIT_SPOT_CAPS).toMatchObject({
    ...{ ...both, idPrefix: 'ys', highestFees: { maker: '0.001', taker: '0.001' } },
    closeBelowMinimum: 'no',
  });
  expect(BYBIT_SPOT_CAPS.leverageUntold).toBeUndefined();
  expect(BYBIT_LINEAR_CAPS).toMatchObject({
    ...{ ...both, idPrefix: 'yf', highestFees: { maker: '0.0002', taker: '0.00055' } },
    ...{ closeBelowMinimum: 'flag', leverageUntold: true },
  });
  expect(BYBIT_ABSENCE).toMatchObject({
    ...{ settleMs: 5_000, keptMs: 86_400_000 },
    lists: ['/v5/order/realtime', '/v5/order/history', '/v5/execution/list'],
  });
});

it('goes to the addresses of its environment, prices of demo to those of live', () => {
  const { endpoints, environments, markets, sharedWallet } = bybitKind(new HandNet());
  const of = (name: string) => endpoints.find((one) => one.name === name);
  const [live, testnet, demo] = ['stream', 'stream-testnet', 'stream-demo'].map(
    (host) => `wss://${host}.bybit.com`,
  );
  expect(of('rest')?.addresses).toEqual({
    ...{ live: 'https://api.bybit.com', testnet: 'https://api-testnet.bybit.com' },
    demo: 'https://api-demo.bybit.com',
  });
  expect(of('private-stream')?.addresses).toEqual({
    ...{ live: `${live}/v5/private`, testnet: `${testnet}/v5/private`, demo: `${demo}/v5/private` },
  });
  for (const [name, path, market] of [
    ['spot-stream', 'public/spot', 'spot'],
    ['linear-stream', 'public/linear', 'futures'],
  ] as const)
    expect(of(name)).toMatchObject({
      markets: [market],
      addresses: { live: `${live}/v5/${path}`, testnet: `${testnet}/v5/${path}`, demo: `${live}/v5/${path}` },
    });
  expect([markets, sharedWallet]).toEqual([['spot', 'futures'], true]);
  for (const name of ['live', 'testnet', 'demo'] as const)
    expect(environments[name]).toEqual([['spot', 'futures']]);
});

describe('what is wrong', () => {
  const answer = (status: number, text: string) => ({ kind: 'answer', status, text }) as const;

  it.each([
    [-2015, 'the API key has expired'],
    [33004, 'the API key has expired'],
    [10002, 'the clocks differ'],
    [10003, 'the API key is not known there'],
    [10004, 'the secret does not belong'],
    [10005, 'the key may not do this'],
    [10007, 'the API key is wrong'],
    [10008, 'the account is banned'],
    [10009, 'Bybit does not serve this region'],
    [10010, 'the key is bound to other addresses'],
    [10024, 'Bybit asks for something first'],
    [10027, 'Bybit has suspended trading'],
    [10028, 'the account is a classic one'],
    [100028, 'the account is a classic one'],
  ])('with code %i begins with what to do, and ends with the words of Bybit', (retCode, words) => {
    const said = troubleOf(answer(200, JSON.stringify({ retCode, retMsg: `why${'!'.repeat(300)}` })));
    expect(said).toMatch(new RegExp(`^${words}.*: why!{147} \\(${retCode}\\)$`));
  });

  it.each([
    [200, '{"retCode":123456,"retMsg":"why"}', 'why (123456)'],
    [200, '{"retCode":123456}', 'refused (123456)'],
    [200, '{"retCode":123456,"retMsg":""}', 'refused (123456)'],
    [429, '', 'the exchange is too busy (HTTP 429): try again in a moment'],
    [451, '', 'it is not served to this address (HTTP 451)'],
    [403, 'no', 'it is not served to this address (HTTP 403)'],
    [401, '<html>', 'the API key was not taken (HTTP 401)'],
    [200, ' \n<html>', 'a page of HTML came instead of an answer (HTTP 200)'],
    [500, 'oops', 'the answer cannot be read (HTTP 500)'],
    [
      403,
      `${' '.repeat(580)}too  Frequent`,
      'the exchange takes no requests from this address for ten minutes',
    ],
    [403, `${' '.repeat(600)}too frequent`, 'it is not served to this address (HTTP 403)'],
  ])('with HTTP %i and "%s" is said: %s', (status, text, words) => {
    expect(troubleOf(answer(status, text)).slice(0, words.length)).toBe(words);
  });

  it('is nothing that the exchange has said where there is no answer', () => {
    expect(troubleOf({ kind: 'lost', cause: 'gone' })).toBe('gone');
    expect(isAddressBan(429, 'too frequent')).toBe(false);
  });

  it('of a request that only asks proves nothing, whatever is answered instead', () => {
    expect(meaningOf('query', answer(401, '')).kind).toBe('unknown');
    expect(meaningOf('submit', answer(401, ''))).toMatchObject({
      kind: 'rejected',
      reason: 'BAD_CREDENTIALS',
    });
    const long = meaningOf('submit', answer(502, 'x'.repeat(500)));
    expect(long).toEqual({ kind: 'unknown', cause: `HTTP 502 and no answer of the API: ${'x'.repeat(80)}` });
  });
});

describe('the code of an answer', () => {
  it.each<[string, ReturnType<typeof retOf>]>([
    [' {"retCode": 0 , "retMsg":"OK"}', { code: 0, message: 'OK' }],
    ['{"retCode":10001}', { code: 10_001, message: '' }],
    ['{"retCode":10001,"retMsg":5}', { code: 10_001, message: '' }],
    ['{"retCode":10001,"retMsg":"\\x"}', { code: 10_001, message: '' }],
    ['"retCode":0', null],
    ['<!-- "retCode":0 -->', null],
    ['{"retCode":"0"}', null],
    ['{"retCode":1234567890}', null],
  ])('%s', (text, ret) => {
    expect(retOf(text)).toEqual(ret);
  });

  it('is found behind much else, in the first 65,536 characters of a text that has no more', () => {
    const text = (length: number) => `{"result":"${'x'.repeat(length - 25)}","retCode":7}`;
    expect([700, 65_536, 65_537].map((length) => retOf(text(length))?.code)).toEqual([7, 7, undefined]);
  });
});
