/**
 * What the API's subscribers receive of the engine's effects: orders, balances, positions; nothing
 * unsubscribed, nothing twice.
 */
import { describe, expect, it } from 'vitest';
import { ApiEvents } from '../../src/desk/api/api-events.ts';
import type { ApiEvent, ApiEventListener } from '../../src/desk/api/api-port.ts';
import { dec } from '../../src/domain/decimal.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { Effect, EngineEvent } from '../../src/engine/step.ts';
import { Bench } from '../engine/support/bench.ts';
import { ACCOUNT, BTC, CAPS, SPOT, START } from '../engine/support/market.ts';

type Channel = ApiEvent['channel'];
const ALL: readonly Channel[] = ['orders', 'balance', 'positions', 'botStatus'];

/** Records the events of one user. */
class Recorder implements ApiEventListener {
  readonly told: ApiEvent[] = [];
  wanted: readonly Channel[] = ALL;
  user = 'owner';

  wants(user: string, channel: Channel): boolean {
    return user === this.user && this.wanted.includes(channel);
  }

  event(event: ApiEvent): void {
    this.told.push(event);
  }

  /** Returns the events of one channel since the last call. */
  take<C extends Channel>(channel: C): Extract<ApiEvent, { channel: C }>[] {
    const taken = this.told.filter((event) => event.channel === channel);
    this.told.splice(0, this.told.length, ...this.told.filter((event) => event.channel !== channel));
    return taken as Extract<ApiEvent, { channel: C }>[];
  }
}

function telling(memory: () => Engine['memory']) {
  const failures: unknown[] = [];
  const events = new ApiEvents({ memory, wall: () => START, failed: (error) => failures.push(error) });
  const recorder = new Recorder();
  events.listen(recorder);
  const release = (effects: readonly Effect[]) => {
    for (const effect of effects) events.released(effect);
  };
  return { events, recorder, release, failures };
}

function spot() {
  const bench = new Bench();
  return { bench, ...telling(() => bench.engine.memory) };
}

describe('an order', () => {
  // proves: rule ws-order-create, rule ws-order-update
  it('is told as created once, then with every change, as it was at each', () => {
    const { bench, recorder, release } = spot();
    const { order } = bench.place({ price: '50000', quantity: '1' });
    release(bench.effects);
    release(bench.accepted(order));
    const effects = bench.fill(bench.trade(order, '0.4'));
    // Later changes must not show in events sent earlier.
    bench.fill(bench.trade(order, '0.6'));
    release(effects);
    release(bench.effects);
    const told = recorder.take('orders');
    expect(told.map(({ event, order }) => [event, order.status, order.executedQty])).toEqual([
      ['ORDER_CREATE', 'NEW', '0'],
      ['ORDER_UPDATE', 'OPENED', '0'],
      ['ORDER_UPDATE', 'OPENED', '0.4'],
      ['ORDER_UPDATE', 'CLOSED', '1'],
    ]);
    expect(told.every(({ user, order }) => user === 'owner' && order.exchange === SPOT)).toBe(true);
    expect(told[2]?.order).toMatchObject({ fillPrice: '50000', creator: 'API', isWorking: true });
  });

  it('is not even rendered while nobody wants it', () => {
    const { bench, recorder, release, failures } = spot();
    recorder.wanted = [];
    bench.place({ price: '50000', quantity: '1' });
    const untouchable = new Proxy(bench.order([...bench.engine.memory.orders.keys()][0] ?? ''), {
      get(order, name) {
        if (name === 'executedQty') throw new Error('rendered');
        return Reflect.get(order, name);
      },
    });
    release([{ kind: 'order-event', user: 'owner', event: 'ORDER_CREATE', order: untouchable }]);
    expect([recorder.told, failures]).toEqual([[], []]);
    recorder.wanted = ['orders'];
    release([{ kind: 'order-event', user: 'owner', event: 'ORDER_CREATE', order: untouchable }]);
    expect(failures).toHaveLength(1);
  });
});

describe('a balance', () => {
  it('that was never read is told of no order; not as none', () => {
    const { bench, recorder, release } = spot();
    const account = bench.engine.memory.account(SPOT);
    account.unread.add('balances');
    account.wallet.balances.delete('BTC');
    bench.place({ side: 'SELL', price: '70000', quantity: '1' });
    release(bench.effects);
    const [told] = recorder.take('orders');
    expect(told?.event).toBe('ORDER_CREATE');
    expect(recorder.take('balance').flatMap(({ changes }) => Object.keys(changes))).not.toContain('BTC');
  });

  const change = (free: string, locked: string) =>
    ({ type: 'venue.balances', exchange: SPOT, changed: [{ asset: 'USDT', free, locked }] }) as const;

  // proves: rule ws-balance-changes, rule ws-balance-market
  it('is told as the exchange has it, with its worth and the kind of market', () => {
    const { bench, recorder, release } = spot();
    release(bench.event({ ...change('900', '100'), changed: [{ asset: 'BTC', free: '2', locked: '0.5' }] }));
    expect(recorder.told).toEqual([
      {
        channel: 'balance',
        user: 'owner',
        event: 'BALANCE_UPDATE',
        exchange: SPOT,
        marketType: 'spot',
        changes: { BTC: { free: '2', wallet: '2.5', locked: '0.5', usd: '150000.00' } },
      },
    ]);
  });

  it('is told again when bots keep more or less of it', () => {
    const { bench, recorder, release } = spot();
    release(bench.event(change('900', '100')));
    recorder.take('balance');
    const { reserved } = bench.engine.memory.account(SPOT).wallet;
    const again = () => {
      release([{ kind: 'balance-event', user: 'owner', exchange: SPOT, assets: ['USDT'] }]);
      return recorder.take('balance').map(({ changes }) => changes.USDT?.lockedByBot);
    };
    expect(again()).toEqual([]);
    reserved.set('USDT', { shown: dec('50'), excess: dec('0') });
    expect([again(), again()]).toEqual([['50'], []]);
    reserved.delete('USDT');
    expect([again(), again()]).toEqual([[undefined], []]);
  });

  it('is told again only when it has changed', () => {
    const { bench, recorder, release } = spot();
    release(bench.event(change('900', '100')));
    release(bench.event(change('900', '100')));
    release(bench.event(change('800', '200')));
    const told = recorder.take('balance');
    expect(told.map(({ changes }) => [changes.USDT?.free, changes.USDT?.locked])).toEqual([
      ['900', '100'],
      ['800', '200'],
    ]);
  });

  it('shows what the engine has set aside for an order of its own, and when it lets it go', () => {
    const { bench, recorder, release } = spot();
    release(bench.event(change('100000', '0')));
    const stop = { type: 'STOP_MARKET', side: 'BUY', stopPrice: '70000', quantity: '0.01' } as const;
    const { order } = bench.place(stop);
    release(bench.effects);
    const held = recorder.take('balance').at(-1)?.changes.USDT;
    expect(Number(held?.locked)).toBeGreaterThan(0);
    expect(Number(held?.free) + Number(held?.locked)).toBe(100_000);
    bench.cancel(order.id);
    release(bench.effects);
    const told = recorder.take('balance');
    expect(told.at(-1)?.changes).toEqual({
      USDT: { free: '100000', wallet: '100000', locked: '0', usd: '100000.00' },
    });
  });

  it('is told anew to whoever comes back, though it is what it was before', () => {
    const { bench, recorder, release } = spot();
    release(bench.event(change('900', '100')));
    recorder.wanted = [];
    release(bench.event(change('500', '500')));
    recorder.wanted = ['balance'];
    release(bench.event(change('900', '100')));
    expect(recorder.take('balance').map(({ changes }) => changes.USDT?.free)).toEqual(['900', '900']);
  });

  it('is told anew after memory was loaded again', () => {
    const { bench, events, recorder, release } = spot();
    release(bench.event(change('900', '100')));
    events.reloaded();
    release(bench.event(change('900', '100')));
    expect(recorder.take('balance')).toHaveLength(2);
  });
});

const FUTURES = 'paper-futures';

function futures() {
  const engine = new Engine();
  const instrument = { ...BTC, exchange: FUTURES, kind: 'futures' as const };
  const account = { ...ACCOUNT, id: FUTURES, kind: 'futures' as const };
  engine.memory.addAccount(account, CAPS, [instrument, { ...instrument, symbol: 'ETHUSDT', base: 'ETH' }]);
  const { recorder, ...rest } = telling(() => engine.memory);
  const step = (event: EngineEvent) => {
    for (const effect of engine.step(event, { wall: START, market: START, mono: 0 }).effects)
      rest.events.released(effect);
    return recorder;
  };
  const positions = (changed: readonly ExchangePosition[], all = false) =>
    step({ type: 'venue.positions', exchange: FUTURES, changed, all })
      .take('positions')
      .map(({ changes }) => changes);
  const mark = (price: string) => step({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price });
  return { engine, recorder, step, positions, mark, ...rest };
}

function position(change: Partial<ExchangePosition> = {}): ExchangePosition {
  return {
    symbol: 'BTCUSDT',
    side: 'BOTH',
    amount: '0.5',
    entryPrice: '60000',
    breakEvenPrice: '60030',
    markPrice: '60000',
    unrealizedProfit: '0',
    marginType: 'CROSSED',
    leverage: 20,
    isolatedWallet: '0',
    liquidationPrice: '57000',
    maintenanceMarginRate: '0.004',
    maintenanceMargin: '120',
    realizedPnl: '0',
    updateTime: START,
    ...change,
  };
}

const WHOLE = {
  symbol: 'BTCUSDT',
  quote: 'USDT',
  marketType: 'futures',
  amount: '0.5',
  entryPrice: '60000',
  unrealizedProfit: '0',
  type: 'CROSSED',
  leverage: '20',
  side: 'BOTH',
  isolatedWallet: '0',
  liquidationPrice: '57000',
  bepPrice: '60030',
  mmr: '120',
  updateTime: START,
};

describe('a position', () => {
  // proves: rule ws-position-changes
  it('is told whole first, then by what has changed', () => {
    const { positions, mark } = futures();
    expect(positions([position()])).toEqual([{ BTCUSDT: WHOLE }]);
    mark('61000');
    const bigger = position({ amount: '0.7', updateTime: START + 1 });
    expect(positions([bigger])).toEqual([
      {
        BTCUSDT: {
          symbol: 'BTCUSDT',
          side: 'BOTH',
          amount: '0.7',
          unrealizedProfit: '700',
          updateTime: START + 1,
        },
      },
    ]);
  });

  it('is not told for its profit alone', () => {
    const { positions, mark } = futures();
    positions([position()]);
    mark('61000');
    expect(positions([position()])).toEqual([]);
  });

  it('is told as 0 once it is closed, and whole when it opens again', () => {
    const { positions } = futures();
    positions([position()]);
    const flat = {
      symbol: 'BTCUSDT',
      side: 'BOTH',
      amount: '0',
      entryPrice: '0',
      unrealizedProfit: '0',
      liquidationPrice: null,
      bepPrice: '0',
      mmr: '0',
    };
    expect(positions([position({ amount: '0' })])).toEqual([{ BTCUSDT: flat }]);
    expect(positions([position({ amount: '0' })])).toEqual([]);
    expect(positions([position()])).toEqual([{ BTCUSDT: WHOLE }]);
    expect(positions([], true)).toEqual([{ BTCUSDT: flat }]);
  });

  it('of each side of a symbol in hedge mode comes in an event of its own', () => {
    const { positions } = futures();
    const both = [position({ side: 'LONG' }), position({ side: 'SHORT', amount: '0.2' })];
    const told = positions([...both, position({ symbol: 'ETHUSDT', side: 'SHORT' })]);
    expect(told.map((changes) => Object.values(changes).map((p) => [p.symbol, p.side, p.amount]))).toEqual([
      [
        ['BTCUSDT', 'LONG', '0.5'],
        ['ETHUSDT', 'SHORT', '0.5'],
      ],
      [['BTCUSDT', 'SHORT', '0.2']],
    ]);
  });

  it('is told whole to whoever comes after a time without listeners', () => {
    const { positions, recorder } = futures();
    positions([position()]);
    recorder.wanted = [];
    positions([position({ amount: '0.9' })]);
    recorder.wanted = ['positions'];
    expect(positions([position()])).toEqual([{ BTCUSDT: WHOLE }]);
  });

  it('is told whole after memory was loaded again, its end too', () => {
    const { positions, events } = futures();
    positions([position(), position({ symbol: 'ETHUSDT' })]);
    events.reloaded();
    const told = positions([position()], true);
    expect(told).toEqual([
      {
        ETHUSDT: expect.objectContaining({ symbol: 'ETHUSDT', side: 'BOTH', amount: '0', entryPrice: '0' }),
        BTCUSDT: WHOLE,
      },
    ]);
    expect(positions([position()], true)).toEqual([]);
  });
});

describe('a futures balance', () => {
  // proves: rule ws-balance-total
  it('comes with the totals of the account', () => {
    const { step, positions, mark } = futures();
    positions([
      position(),
      position({
        symbol: 'ETHUSDT',
        marginType: 'ISOLATED',
        isolatedWallet: '1500',
        amount: '-1',
        leverage: 10,
        markPrice: '59000',
        unrealizedProfit: '1000',
      }),
    ]);
    mark('61000');
    const changed = [{ asset: 'USDT', free: '8000', locked: '2000' }];
    const [told] = step({ type: 'venue.balances', exchange: FUTURES, changed }).take('balance');
    expect(told).toMatchObject({ exchange: FUTURES, marketType: 'futures' });
    expect(told?.changes).toEqual({
      USDT: { free: '8000', wallet: '10000', locked: '2000', usd: '10000.00' },
    });
    expect(told?.total).toEqual({
      ts: START,
      mmr: '240',
      // 0.5 x 61,000 / 20 + 1 x 59,000 / 10
      imr: '7425',
      upnl: '1500',
      crossUpnl: '500',
      crossWallet: '8500',
    });
  });
});

describe('two accounts of two users', () => {
  const OTHER = 'ann-futures';

  function both() {
    const world = futures();
    const { engine, events, recorder } = world;
    const instrument = { ...BTC, exchange: OTHER, kind: 'futures' as const };
    const account = { ...ACCOUNT, id: OTHER, kind: 'futures' as const, user: 'ann' };
    engine.memory.addAccount(account, CAPS, [instrument]);
    const ann = new Recorder();
    ann.user = 'ann';
    events.listen(ann);
    const usdt = (exchange: string, free: string) =>
      world.step({ type: 'venue.balances', exchange, changed: [{ asset: 'USDT', free, locked: '0' }] });
    const move = (exchange: string, amount: string) =>
      world.step({ type: 'venue.positions', exchange, changed: [position({ amount })] });
    const told = () =>
      [recorder, ann].map((one) => [
        ...one.take('balance').map(({ exchange, changes }) => `${exchange} ${changes.USDT?.free}`),
        ...one.take('positions').map(({ exchange, changes }) => `${exchange} ${changes.BTCUSDT?.amount}`),
      ]);
    return { ...world, ann, usdt, move, told };
  }

  it('are told each of their own: what one was told is no news for the other all the same', () => {
    const { usdt, move, told } = both();
    usdt(FUTURES, '100');
    usdt(OTHER, '100');
    move(FUTURES, '0.5');
    move(OTHER, '0.5');
    expect(told()).toEqual([
      [`${FUTURES} 100`, `${FUTURES} 0.5`],
      [`${OTHER} 100`, `${OTHER} 0.5`],
    ]);
    usdt(OTHER, '90');
    usdt(FUTURES, '100');
    move(OTHER, '0.5');
    move(FUTURES, '0.7');
    expect(told()).toEqual([[`${FUTURES} 0.7`], [`${OTHER} 90`]]);
    move(OTHER, '0');
    expect(told()).toEqual([[], [`${OTHER} 0`]]);
  });

  it('and one that stops listening makes the other’s no news again', () => {
    const { usdt, move, told, ann } = both();
    for (const exchange of [FUTURES, OTHER]) {
      usdt(exchange, '100');
      move(exchange, '0.5');
    }
    told();
    ann.wanted = [];
    usdt(OTHER, '90');
    move(OTHER, '0.6');
    ann.wanted = ALL;
    for (const exchange of [FUTURES, OTHER]) {
      usdt(exchange, exchange === OTHER ? '90' : '100');
      move(exchange, exchange === OTHER ? '0.6' : '0.5');
    }
    expect(told()).toEqual([[], [`${OTHER} 90`, `${OTHER} 0.6`]]);
  });
});

describe('a listener', () => {
  it('that fails is reported and keeps nothing from the others', () => {
    const { bench, events, recorder, release, failures } = spot();
    const broken: ApiEventListener = {
      wants: () => true,
      event: () => {
        throw new Error('broken');
      },
    };
    const stop = events.listen(broken);
    bench.place({ price: '50000', quantity: '1' });
    release(bench.effects);
    expect(failures).toHaveLength(recorder.told.length);
    expect(recorder.take('orders')).toHaveLength(1);
    stop();
    bench.place({ price: '50001', quantity: '1' });
    release(bench.effects);
    expect(recorder.take('orders')).toHaveLength(1);
    expect(failures).toHaveLength(2);
  });

  // proves: rule ws-per-user
  it('is asked by the user whose event it is', () => {
    const { bench, recorder, release } = spot();
    recorder.user = 'somebody-else';
    bench.place({ price: '50000', quantity: '1' });
    release(bench.effects);
    expect(recorder.told).toEqual([]);
  });

  it('gets events that are made elsewhere, of bots', () => {
    const { events, recorder } = spot();
    const bot = { id: 'b1', type: 'FIBO', status: 'STARTED', exchange: SPOT };
    events.publish({ channel: 'botStatus', user: 'owner', event: 'BOT_STARTED', exchange: SPOT, bot });
    expect(recorder.told).toHaveLength(1);
    recorder.wanted = ['orders'];
    events.publish({ channel: 'botStatus', user: 'owner', event: 'BOT_STOPPED', exchange: SPOT, bot });
    expect(recorder.told).toHaveLength(1);
  });
});
