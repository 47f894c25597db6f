/**
 * A wallet that changes though nothing was executed: its ledger is read at once, and once in a while where
 * executions explain what has changed, at exchanges that name no cause.
 */
import { describe, expect, it } from 'vitest';
import { AccountFacts } from '../../src/venues/bybit/account-facts.ts';
import { OrderNamesKept as BybitNames } from '../../src/venues/bybit/order-names.ts';
import { UserEvents as BybitEvents } from '../../src/venues/bybit/user-events.ts';
import { Complaints } from '../../src/venues/kit/complaints.ts';
import { Listed, readInstruments } from '../../src/venues/okx/instruments.ts';
import { OrderNamesKept as OkxNames } from '../../src/venues/okx/order-names.ts';
import { UserEvents as OkxEvents } from '../../src/venues/okx/user-events.ts';
import type { VenueSink } from '../../src/venues/venue.ts';
import { INSTRUMENTS, instrumentRow } from '../emulators/okx/instruments.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

interface Told {
  ledgers: number;
  readonly fills: { readonly rPnl: string | null }[];
  readonly positions: { readonly realizedPnl: string }[];
  readonly stream: string[];
}

/** An account with one asset, as its events tell it. */
interface Account {
  readonly clock: VirtualClock;
  readonly told: Told;
  wallet(amount: string, asset?: string): void;
  execute(): void;
  close(): void;
}

function sinkOf(told: Told): VenueSink {
  return {
    order: () => {},
    fill: (fill) => told.fills.push(fill),
    balances: () => {},
    positions: (all) => told.positions.push(...all),
    ledger: () => {
      told.ledgers += 1;
    },
    stream: (state) => told.stream.push(state),
  };
}

function bybit() {
  const clock = new VirtualClock();
  const told: Told = { ledgers: 0, fills: [], positions: [], stream: [] };
  const reports: string[] = [];
  const events = new BybitEvents({
    category: 'linear',
    names: new BybitNames(),
    stepOf: () => 0n as never,
    instrumentOf: () => undefined,
    isHedged: () => false,
    clock,
    facts: new AccountFacts(),
    complaints: new Complaints({ clock, report: (text) => reports.push(text) }),
    heard: () => {},
    held: () => {},
  });
  events.listen(sinkOf(told));
  let executions = 0;
  const say = (topic: string, row: object) =>
    events.message(topic, JSON.stringify({ topic, creationTime: 1, data: [row] }));
  const execution = (more: object = {}) => {
    executions += 1;
    say('execution.linear', {
      ...{ category: 'linear', symbol: 'BTCUSDT', orderId: '1', side: 'Sell', execId: `e${executions}` },
      ...{ execType: 'Trade', execPrice: '1', execQty: '1', execTime: '1' },
      ...more,
    });
  };
  const account: Account = {
    clock,
    told,
    wallet: (walletBalance, coin = 'USDT') =>
      say('wallet', { coin: [{ coin, walletBalance, locked: '0', spotBorrow: '0' }] }),
    execute: () => execution(),
    close: () => events.listen(null),
  };
  return { ...account, say, execution, reports };
}

function okx(): Account {
  const clock = new VirtualClock();
  const told: Told = { ledgers: 0, fills: [], positions: [], stream: [] };
  const listed = new Listed();
  const read = readInstruments(
    JSON.stringify({ code: '0', data: INSTRUMENTS.map(instrumentRow) }),
    'mine',
    'spot',
  );
  if (!read.ok) throw new Error(read.problem);
  listed.replace(read.value);
  const events = new OkxEvents({
    kind: 'spot',
    clock,
    names: new OkxNames(),
    listed,
    facts: null,
    complaints: new Complaints({ clock, report: () => {} }),
    balanceOf: ({ ccy }) => ({ asset: ccy, free: '0', locked: '0' }),
    askFills: () => {},
    firesLate: () => {},
    unlisted: () => {},
  });
  events.listen(sinkOf(told));
  let orders = 0;
  return {
    clock,
    told,
    wallet: (cashBal, ccy = 'USDT') =>
      events.event(
        'account',
        JSON.stringify({ arg: { channel: 'account' }, data: [{ details: [{ ccy, cashBal, uTime: '1' }] }] }),
      ),
    execute: () => {
      orders += 1;
      const order = {
        ...{ instId: 'BTC-USDT', instType: 'SPOT', ordId: String(orders), clOrdId: 'a', side: 'buy' },
        ...{ ordType: 'limit', state: 'filled', px: '1', sz: '1', accFillSz: '1', category: 'normal' },
        ...{ tradeId: String(orders), fillSz: '1', fillPx: '1', uTime: '1', cTime: '1' },
      };
      events.event('orders', JSON.stringify({ arg: { channel: 'orders' }, data: [order] }));
    },
    close: () => events.listen(null),
  };
}

describe.each<[string, () => Account]>([
  ['Bybit', bybit],
  ['OKX', okx],
])('the wallet of %s', (_, make) => {
  /** An account whose first balance is known. */
  const known = async () => {
    const account = make();
    account.wallet('100');
    await account.clock.advance(60_000);
    account.told.ledgers = 0;
    return account;
  };
  const within = async (account: Account, ms: number) => {
    const before = account.told.ledgers;
    await account.clock.advance(ms);
    return account.told.ledgers > before;
  };

  it('that moves by itself has its ledger read within two seconds, each time', async () => {
    const account = await known();
    for (const amount of ['105', '110', '100']) {
      const before = account.told.ledgers;
      account.wallet(amount);
      await account.clock.advance(2_000);
      expect([amount, account.told.ledgers > before]).toEqual([amount, true]);
      await account.clock.advance(60_000);
    }
  });

  it('that has a new asset has moved', async () => {
    const account = await known();
    account.wallet('5', 'BTC');
    expect(await within(account, 2_000)).toBe(true);
  });

  it('that is told again as it was has not', async () => {
    const account = await known();
    account.wallet('100');
    account.wallet('100');
    expect(await within(account, 120_000)).toBe(false);
  });

  it('that an execution explains, told before it or after it, is no reason to read its ledger now', async () => {
    for (const [before, after] of [
      [true, false],
      [false, true],
    ]) {
      const account = await known();
      if (before) account.execute();
      await account.clock.advance(300);
      account.wallet('90');
      const early = account.told.ledgers;
      await account.clock.advance(300);
      if (after) account.execute();
      await account.clock.advance(2_000);
      // Where its execution has not come yet, one look too many may be made.
      expect(account.told.ledgers).toBe(early);
      expect(account.told.fills).toHaveLength(1);
    }
  });

  it('that moves long after an execution is not explained by it', async () => {
    const account = await known();
    account.execute();
    await account.clock.advance(3_000);
    account.wallet('90');
    expect(await within(account, 2_000)).toBe(true);
  });

  it('of an account that is closed leads to nothing any more', async () => {
    const account = await known();
    account.wallet('90');
    const { ledgers } = account.told;
    account.close();
    await account.clock.advance(120_000);
    expect(account.told.ledgers).toBe(ledgers);
  });
});

describe('of Bybit', () => {
  it('what executions explain is looked at after half a minute all the same, once for all of it, and again later', async () => {
    const account = bybit();
    account.wallet('100');
    await account.clock.advance(60_000);
    account.told.ledgers = 0;
    for (let round = 1; round <= 3; round++) {
      for (let n = 0; n < 5; n++) {
        account.execute();
        account.wallet(String(100 * round + n));
        await account.clock.advance(1_000);
      }
      expect(account.told.ledgers).toBe(round - 1);
      await account.clock.advance(30_000);
      expect(account.told.ledgers).toBe(round);
    }
  });

  it('funding is read from the ledger at once, is no execution, and explains no other change', async () => {
    const account = bybit();
    account.wallet('100');
    await account.clock.advance(60_000);
    account.told.ledgers = 0;
    account.execution({ execType: 'Funding', execQty: '1' });
    expect([account.told.ledgers, account.told.fills]).toEqual([1, []]);
    account.wallet('99');
    await account.clock.advance(600);
    expect(account.told.ledgers).toBe(2);
  });

  it('an execution on the other market explains the wallet, which is one, and is told by the other account', async () => {
    const account = bybit();
    account.wallet('100');
    await account.clock.advance(60_000);
    account.told.ledgers = 0;
    account.execution({ category: 'spot' });
    account.wallet('99');
    await account.clock.advance(2_000);
    expect([account.told.ledgers, account.told.fills]).toEqual([0, []]);
  });

  it('what executions have realised goes on in the next word of their position, also a loss, until it is closed', () => {
    const account = bybit();
    const position = (size: string) =>
      account.say('position.linear', {
        ...{ symbol: 'BTCUSDT', positionIdx: 0, side: size === '0' ? '' : 'Buy', size, entryPrice: '1' },
        updatedTime: String(account.told.positions.length + 1),
      });
    position('3');
    account.execution({ execPnl: '5', closedSize: '1' });
    position('2');
    account.execution({ execPnl: '-7', closedSize: '1' });
    position('1');
    position('0');
    position('1');
    expect(account.told.positions.map(({ realizedPnl }) => realizedPnl)).toEqual(['0', '5', '-2', '0', '0']);
    expect(account.told.fills.map(({ rPnl }) => rPnl)).toEqual(['5', '-7']);
  });
});
