/**
 * Accounts that share a wallet: what one locks the other cannot spend, both report it, and its value counts
 * once (money-at-risk.md 5).
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Dec, dec, str, ZERO } from '../../src/domain/decimal.ts';
import type { ExchangeAccount } from '../../src/domain/exchange.ts';
import { mayBeOpen } from '../../src/domain/order.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { availability, portfolioOf, valuation } from '../../src/engine/balances.ts';
import { loadLedger } from '../../src/engine/ledger.ts';
import { EngineMemory } from '../../src/engine/memory.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { Bench, WALLET } from './support/bench.ts';
import { ACCOUNT, CAPS, FUTURES, FUTURES_ACCOUNT, SPOT } from './support/market.ts';
import { HOLDINGS, SPOT_STEPS, SpotHistory } from './support/spot-history.ts';
import type { Times } from './support/spot-model.ts';
import { MARK, UnifiedModel } from './support/unified-model.ts';

const STEPS = [...SPOT_STEPS, 'buy a contract', 'sell a contract', 'bid for one', 'offer one'] as const;

class UnifiedHistory extends SpotHistory<UnifiedModel> {
  constructor(seed: number, times: Times, feeAsset: string | null) {
    super(seed, (dice) => new UnifiedModel(dice, times, feeAsset, HOLDINGS), { unified: true });
    this.hear({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price: str(MARK) });
  }

  override do(step: (typeof STEPS)[number]): void {
    const price = str(MARK);
    if (step === 'buy a contract') this.#order({ side: 'BUY', type: 'MARKET' });
    else if (step === 'sell a contract') this.#order({ side: 'SELL', type: 'MARKET' });
    else if (step === 'bid for one') this.#order({ side: 'BUY', type: 'LIMIT', price });
    else if (step === 'offer one') this.#order({ side: 'SELL', type: 'LIMIT', price });
    else super.do(step);
  }

  /**
   * An order within the available margin: the exchange would refuse more. A closing order waits until no
   * other is open: each of several would be taken to close the same part of the position.
   */
  #order(request: { side: 'BUY' | 'SELL'; type: string; price?: string }): void {
    const { memory } = this.bench.engine;
    const amount = dec(memory.account(FUTURES).futures?.positions.get('BTCUSDT BOTH')?.amount ?? '0');
    const closes = request.side === 'BUY' ? amount < ZERO : amount > ZERO;
    for (const order of memory.orders.values())
      if (order.isContract && mayBeOpen(order) && (closes || order.side !== request.side)) return;
    const quantity = str(dec('0.001') * BigInt(this.dice.int(2, 9_000)));
    const needs = (dec(quantity) * dec(request.price ?? str(MARK))) / dec('20');
    if (needs <= this.available()) this.place({ exchange: FUTURES, symbol: 'BTCUSDT', quantity, ...request });
  }

  protected override follow(): void {
    for (const effect of this.bench.effects)
      if (effect.kind === 'submit' && effect.exchange === FUTURES)
        this.model.onFutures.add(effect.order.clientId);
    super.follow();
  }

  protected override get coming() {
    return super.coming.filter(({ clientId }) => !this.model.onFutures.has(clientId));
  }

  protected override left(): Map<string, Dec> {
    return super.left().set('USDT', this.model.leftInUsdt());
  }

  override check(): void {
    super.check();
    const futures = this.bench.engine.memory.account(FUTURES);
    for (const asset of Object.keys(HOLDINGS))
      expect(availability(futures, asset)).toEqual(availability(this.account, asset));
  }

  available(): Dec {
    return availability(this.account, 'USDT').available;
  }
}

describe('what two accounts of a wallet may spend', () => {
  it.each<Times>(['none', 'coarse', 'fine'])('is never more than there is, with times %s', (times) => {
    let [onSpot, onFutures, together] = [0, 0, 0];
    fc.assert(
      fc.property(
        fc.integer(),
        fc.constantFrom(null, 'BNB'),
        fc.array(fc.constantFrom(...STEPS), { minLength: 10, maxLength: 150, size: 'max' }),
        (seed, feeAsset, steps) => {
          const history = new UnifiedHistory(seed, times, feeAsset);
          for (const step of steps) {
            history.do(step);
            history.check();
          }
          history.end();
          // The answer to a request settles events that arrived in any order.
          for (const step of ['ask', 'answer the question', 'hear the answer'] as const) history.do(step);
          const { here, there } = history.figures;
          expect(here).toEqual(there);
          const { model } = history;
          const traded = [...model.orders.values()].filter(({ cum }) => cum > ZERO);
          const contracts = traded.filter(({ sent }) => model.onFutures.has(sent.clientId)).length;
          onFutures += contracts;
          onSpot += traded.length - contracts;
          if (contracts > 0 && contracts < traded.length) together += 1;
        },
      ),
      { numRuns: Number(process.env.OUTCRY_RUNS ?? 80) },
    );
    expect({ onSpot: onSpot > 60, onFutures: onFutures > 60, together: together > 30 }).toEqual({
      onSpot: true,
      onFutures: true,
      together: true,
    });
  });
});

describe('one wallet of two accounts', () => {
  const bench = () => new Bench({ unified: true, balances: [{ asset: 'USDT', free: '10000', locked: '0' }] });

  it('is told to both, and each says who else trades with it', () => {
    const b = bench();
    const changed = [{ asset: 'USDT', free: '9000', locked: '1000' }];
    const effects = b.event({ type: 'venue.balances', exchange: SPOT, changed });
    const told = effects.filter(({ kind }) => kind === 'balance-event');
    expect(told).toEqual(
      [SPOT, FUTURES].map((exchange) => ({
        kind: 'balance-event',
        user: 'owner',
        exchange,
        assets: ['USDT'],
      })),
    );
    for (const [id, other] of [
      [SPOT, FUTURES],
      [FUTURES, SPOT],
    ] as const) {
      const portfolio = portfolioOf(b.engine.memory.account(id), { full: false, totalOnly: false });
      expect(portfolio).toMatchObject({
        sharedWith: [other],
        balances: [{ asset: 'USDT', wallet: '10000', free: '9000', locked: '1000' }],
      });
    }
  });

  it('is worth what it is worth once, with the profit of its positions', () => {
    const b = bench();
    const { memory } = b.engine;
    const usd = () => str(valuation(memory.accounts.values()).usd);
    expect(usd()).toBe('10000');
    const { order } = b.place({ exchange: FUTURES, type: 'MARKET', quantity: '0.1' });
    const fill = b.trade(order, '0.1', { comm: '0', commAsset: 'USDT', rPnl: '0', price: '60000' });
    b.event({ type: 'venue.fill', exchange: FUTURES, fill });
    const position = {
      symbol: 'BTCUSDT',
      side: 'BOTH',
      amount: '0.1',
      entryPrice: '60000',
      markPrice: '60000',
    };
    const figures = { leverage: 20, marginType: 'CROSSED', isolatedWallet: '0', unrealizedProfit: '0' };
    const rest = {
      realizedPnl: '0',
      liquidationPrice: null,
      breakEvenPrice: '60000',
      maintenanceMargin: '0',
    };
    const told = { ...position, ...figures, ...rest, maintenanceMarginRate: '0.004', updateTime: b.wall };
    b.event({ type: 'venue.positions', exchange: FUTURES, changed: [told as ExchangePosition] });
    b.event({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price: '61000' });
    expect(usd()).toBe('10100');
    expect(str(valuation([memory.account(SPOT)]).usd)).toBe('10100');
  });

  it('is bound for both by what the desk holds for one', () => {
    const b = bench();
    b.place({ type: 'LIMIT', side: 'BUY', price: '50000', quantity: '0.1' });
    for (const id of [SPOT, FUTURES])
      expect(str(availability(b.engine.memory.account(id), 'USDT').available)).toBe('5000');
    // 0.25 at 60,000 and leverage 20 is a margin of 750.
    b.place({ exchange: FUTURES, type: 'MARKET', quantity: '0.25' });
    expect(str(availability(b.engine.memory.account(SPOT), 'USDT').available)).toBe('4250');
    const beyond = { type: 'LIMIT', side: 'BUY', price: '50000', quantity: '0.086' };
    expect(b.place(beyond as Partial<CreateOrder>).reply()).toMatchObject({
      status: 400,
      message: expect.stringContaining('4250 USDT available'),
    });
  });

  it('is one account’s alone when the other is disconnected, and of both when that is back', () => {
    const b = bench();
    const { memory } = b.engine;
    const told = () => {
      const changed = [{ asset: 'USDT', free: '9000', locked: '1000' }];
      const effects = b.event({ type: 'venue.balances', exchange: SPOT, changed });
      const { sharedWith } = portfolioOf(memory.account(SPOT), { full: false, totalOnly: false });
      return [effects.flatMap((one) => (one.kind === 'balance-event' ? [one.exchange] : [])), sharedWith];
    };
    const { account, caps } = memory.account(FUTURES);
    b.event({ type: 'left', exchange: FUTURES, why: 'it is not configured any more' });
    expect(told()).toEqual([[SPOT], undefined]);
    b.event({ type: 'joined', joining: { account, caps, instruments: [], known: {} } });
    expect(told()).toEqual([[SPOT, FUTURES], [FUTURES]]);
    b.event({ type: 'left', exchange: FUTURES, why: 'it is not configured any more' });
    expect(told()).toEqual([[SPOT], undefined]);
  });

  it('keeps what the first account has brought of it: the base of the day and the ledger', () => {
    const memory = new EngineMemory();
    const wallet = WALLET;
    const dayBase = { day: 1, usd: '2', at: 3, paid: '4', unpriced: {} };
    const ledger = loadLedger(new Map(), wallet);
    memory.addAccount({ ...ACCOUNT, wallet }, CAPS, [], { dayBase, ledger });
    const more = { dayBase: { ...dayBase, usd: '9' }, ledger: loadLedger(new Map(), wallet) };
    memory.addAccount({ ...FUTURES_ACCOUNT, wallet }, CAPS, [], more);
    memory.addAccount({ ...ACCOUNT, id: 'other-spot', wallet }, CAPS, []);
    for (const { wallet: shared } of memory.accounts.values())
      expect([shared.dayBase === dayBase, shared.ledger === ledger]).toEqual([true, true]);
  });

  it('has one account on futures at most, and one user', () => {
    const { memory } = bench().engine;
    const wallet = WALLET;
    const join = (account: ExchangeAccount) => () => memory.addAccount(account, CAPS, []);
    expect(join({ ...FUTURES_ACCOUNT, id: 'other-futures', wallet })).toThrow('cannot share the wallet');
    expect(join({ ...ACCOUNT, id: 'other-spot', wallet, user: 'second' })).toThrow('cannot share the wallet');
    expect(join({ ...ACCOUNT, id: 'other-spot', wallet })).not.toThrow();
  });
});
