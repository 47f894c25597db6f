/** What an account has and what it is worth (engine.md "Valuation"; specification, "Balance"). */
import { describe, expect, it } from 'vitest';
import { dec, str, ZERO } from '../../src/domain/decimal.ts';
import { availability, portfolioOf, usdPrice, valuation } from '../../src/engine/balances.ts';
import { Engine } from '../../src/engine/engine.ts';
import { balanceNow } from '../../src/engine/margins.ts';
import { Bench } from './support/bench.ts';
import { ACCOUNT, BTC, CAPS, SPOT } from './support/market.ts';

function bench(
  balances: Record<string, [free: string, locked: string]>,
  prices: Record<string, string> = {},
): Bench {
  const list = Object.entries(balances).map(([asset, [free, locked]]) => ({ asset, free, locked }));
  const made = new Bench({ balances: list });
  for (const [symbol, price] of Object.entries(prices))
    made.event({ type: 'price', market: 'paper', symbol, price });
  return made;
}

function portfolio(of: Bench, options = { full: false, totalOnly: false }) {
  const { memory } = of.engine;
  return portfolioOf(memory.account(SPOT), options);
}

describe('the portfolio', () => {
  // proves: field portfolio total, field portfolio balances, field balance asset, field balance name
  // proves: field balance free, field balance wallet, field balance locked, field balance total
  // proves: field balance lockedByBot, field balance usd, S40
  it('values every asset in dollars and bitcoin', () => {
    const p = portfolio(bench({ USDT: ['1000', '500'], BTC: ['0.5', '0'] }));
    expect(p.total).toEqual({ usd: '31500.00', btc: '0.52500000' });
    expect(p.balances).toEqual([
      {
        asset: 'BTC',
        name: 'BTC',
        free: '0.5',
        wallet: '0.5',
        locked: '0',
        total: '0.5',
        lockedByBot: null,
        usd: '30000.00',
      },
      {
        asset: 'USDT',
        name: 'USDT',
        free: '1000',
        wallet: '1500',
        locked: '500',
        total: '1500',
        lockedByBot: null,
        usd: '1500.00',
      },
    ]);
    expect(p).not.toHaveProperty('partial');
  });

  it('never shows more as locked by bots than the wallet has', () => {
    const of = bench({ USDT: ['100', '20'] });
    const { reserved } = of.engine.memory.account(SPOT).wallet;
    const shown = () => portfolio(of).balances?.find(({ asset }) => asset === 'USDT')?.lockedByBot;
    reserved.set('USDT', { shown: dec('120'), excess: dec('100') });
    expect(shown()).toBe('120');
    reserved.set('USDT', { shown: dec('120.5'), excess: dec('100.5') });
    expect(shown()).toBe('120');
  });

  it.each(['BTC', 'BNB', 'ETH'])('goes over %s when there is no direct price', (bridge) => {
    const b = bench({ XRP: ['10', '0'] }, { [`XRP${bridge}`]: '0.001', [`${bridge}USDT`]: '2000' });
    expect(portfolio(b).total.usd).toBe('20.00');
  });

  it('prefers the direct price, and counts dollars as dollars', () => {
    const b = bench({}, { ETHUSDT: '3000', ETHBTC: '0.1' });
    expect(usdPrice(b.engine.memory.market('paper'), 'ETH')).toBe(3000n * 10n ** 30n);
    for (const dollar of ['USD', 'USDT', 'USDC', 'FDUSD', 'BUSD']) {
      expect(usdPrice(b.engine.memory.market('paper'), dollar)).toBe(10n ** 30n);
    }
  });

  // proves: field portfolio partial
  it('leaves out what has no path within two hops and says so', () => {
    const p = portfolio(bench({ USDT: ['100', '0'], XRP: ['10', '0'] }, { XRPDOGE: '5', DOGEBTC: '0.001' }));
    expect(p).toMatchObject({ total: { usd: '100.00' }, partial: true });
    expect(p.balances?.find((b) => b.asset === 'XRP')).not.toHaveProperty('usd');
  });

  it('is partial while something of the account was never read', () => {
    const made = bench({ USDT: ['100', '0'] });
    made.engine.memory.account(SPOT).unread.add('settings');
    expect(portfolio(made)).toMatchObject({ total: { usd: '100.00' }, partial: true });
  });

  it('is not partial for want of the price of nothing', () => {
    expect(portfolio(bench({ USDT: ['100', '0'], XRP: ['0', '0'] }))).not.toHaveProperty('partial');
  });

  // proves: field portfolio total
  it('has no bitcoin total without a bitcoin price', () => {
    const b = new Bench({ price: null, balances: [{ asset: 'USDT', free: '5', locked: '0' }] });
    expect(portfolio(b).total).toEqual({ usd: '5.00' });
  });

  // proves: param GET /portfolio full, param GET /portfolio totalOnly, field portfolio balances
  it('shows zero balances only in full, and no balances with totalOnly', () => {
    const b = bench({ USDT: ['100', '0'], BTC: ['0', '0'] });
    expect(portfolio(b).balances?.map((x) => x.asset)).toEqual(['USDT']);
    const full = portfolio(b, { full: true, totalOnly: false });
    expect(full.balances?.map((x) => x.asset)).toEqual(['BTC', 'ETH', 'USDT']);
    expect(portfolio(b, { full: false, totalOnly: true })).toEqual({
      total: { usd: '100.00', btc: '0.00166667' },
    });
  });

  it('shows what held orders keep as locked, never more than there is', () => {
    const b = bench({ USDT: ['0', '0'], BTC: ['2', '1'] });
    b.place({ type: 'STOP_MARKET', side: 'SELL', stopPrice: '55000', quantity: '1.5' });
    const btc = () => portfolio(b).balances?.find((x) => x.asset === 'BTC');
    expect(btc()).toMatchObject({ free: '0.5', locked: '2.5', wallet: '3' });
    b.event({ type: 'venue.balances', exchange: SPOT, changed: [{ asset: 'BTC', free: '1', locked: '0' }] });
    expect(btc()).toMatchObject({ free: '0', locked: '1', wallet: '1' });
  });

  it('counts all accounts in bitcoin at the first market that has its price', () => {
    const here = bench({ USDT: ['6000', '0'] }).engine.memory.account(SPOT);
    // Another market, which trades no bitcoin.
    const { memory } = new Engine();
    memory.addAccount({ id: 'x-spot', name: 'X', kind: 'spot', market: 'x' }, CAPS, [BTC]);
    const other = memory.account('x-spot');
    expect(str(valuation([here, other]).btc ?? ZERO)).toBe('0.1');
    expect(str(valuation([other, here]).btc ?? ZERO)).toBe('0.1');
  });

  it('adds accounts up', () => {
    const { memory } = bench({ USDT: ['100', '0'] }).engine;
    memory.addAccount({ ...ACCOUNT, id: 'other-spot' }, CAPS, [BTC]);
    const [account, other] = [memory.account(SPOT), memory.account('other-spot')];
    other.wallet.balances.set('USDT', { free: dec('100'), locked: dec('0') });
    expect(valuation([account, other]).usd).toBe(200n * 10n ** 30n);
  });
});

describe('a change of balances', () => {
  it('is told for the assets that changed', () => {
    const b = bench({});
    b.event({ type: 'venue.balances', exchange: SPOT, changed: [{ asset: 'BTC', free: '1', locked: '0' }] });
    expect(b.effects).toEqual([{ kind: 'balance-event', user: 'owner', exchange: SPOT, assets: ['BTC'] }]);
  });
});

describe('what an order may use', () => {
  it('is what is free less what other orders, bots and runs that have not heard of it have of it; never less than none', () => {
    const b = bench({ USDT: ['1000', '70'] });
    const account = b.engine.memory.account(SPOT);
    const of = (unheard = '0') => {
      const { available, reserved } = availability(account, 'USDT', dec(unheard));
      return [str(available), str(reserved)];
    };
    expect(of()).toEqual(['1000', '0']);
    account.wallet.reserved.set('USDT', { shown: dec('900'), excess: dec('300') });
    expect(of()).toEqual(['700', '300']);
    b.place({ type: 'STOP_MARKET', side: 'BUY', stopPrice: '61000', quantity: '0.01' });
    expect(of()).toEqual(['90', '300']);
    expect(of('50')).toEqual(['40', '300']);
    expect(of('90')).toEqual(['0', '300']);
    expect(of('91')).toEqual(['0', '300']);
  });

  it.each([
    ['5', '2', 'USDT', '1003'],
    ['-5', '2', 'USDT', '993'],
    ['5', '2', 'BNB', '1005'],
    [null, '2', 'USDT', '998'],
  ])(
    'on futures moves with an execution: what it realises (%s) less its fee (%s %s)',
    (rPnl, comm, commAsset, wallet) => {
      const b = new Bench({ futures: true, balances: [{ asset: 'USDT', free: '1000', locked: '0' }] });
      const order = b.resting({ quantity: '0.01' });
      b.fill(b.trade(order, '0.004', { rPnl, comm, commAsset }));
      const { free, locked } = balanceNow(b.engine.memory.account(b.exchange), 'USDT');
      expect(str(free + locked)).toBe(wallet);
    },
  );
});
