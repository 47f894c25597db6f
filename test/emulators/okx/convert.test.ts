/** Conversion of small balances into one currency. Source: OKX v5 Trade "Easy convert". */
import { expect, it } from 'vitest';
import { testEmulator } from './support.ts';

it('lists what is worth less than ten dollars, converts it, running first and filled a moment later', async () => {
  const { get, post, clock, row } = testEmulator({
    balances: { USDT: '1000', ADA: '10', DOGE: '20', BTC: '1' },
    limitFactor: 10,
  });
  expect(row(get('/api/v5/trade/easy-convert-currency-list'))).toEqual({
    fromData: [
      { fromCcy: 'ADA', fromAmt: '10' },
      { fromCcy: 'DOGE', fromAmt: '20' },
    ],
    toCcy: ['USDT', 'BTC', 'ETH', 'OKB'],
  });
  const convert = (fromCcy: unknown, toCcy = 'USDT') =>
    post('/api/v5/trade/easy-convert', { fromCcy, toCcy }).body;
  expect(convert(['BTC']).code).toBe('59125');
  expect(convert(['ADA'], 'SOL').code).toBe('51000');
  expect(convert('ADA').code).toBe('50014');
  expect(convert(['ADA', 'DOGE']).data).toMatchObject([
    { fromCcy: 'ADA', fillFromSz: '10', fillToSz: '4', status: 'running' },
    { fromCcy: 'DOGE', fillToSz: '2', status: 'running' },
  ]);
  expect(convert(['ADA']).code).toBe('59121');
  await clock.advance(1000);
  expect(
    get('/api/v5/trade/easy-convert-history').body.data.map(({ status }: { status: string }) => status),
  ).toEqual(['filled', 'filled']);
  expect(get('/api/v5/account/balance', { ccy: 'USDT,ADA' }).body.data[0].details).toMatchObject([
    { ccy: 'USDT', cashBal: '1006' },
  ]);
  expect(get('/api/v5/account/bills', { type: '28' }).body.data).toHaveLength(4);
});
