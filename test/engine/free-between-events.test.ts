/**
 * What a spot account lets be spent between two reports of its balances, against an exchange that is right by construction:
 * never more than is there, and the exchange's own figure once it has been asked at rest.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dec, str, ZERO } from '../../src/domain/decimal.ts';
import { availability } from '../../src/engine/balances.ts';
import { balanceNow } from '../../src/engine/margins.ts';
import type { EngineEvent } from '../../src/engine/step.ts';
import { Bench } from './support/bench.ts';
import { Dice, SPOT } from './support/market.ts';
import { SpotModel, type Times } from './support/spot-model.ts';

const START = { USDT: '100000', BTC: '1.5', ETH: '1.5', BNB: '1' };
const ASSETS = Object.keys(START);
const PRICE = '60000';

const STEPS = [
  'buy',
  'sell',
  'buy at once',
  'sell at once',
  'cancel',
  'arrive',
  'fill',
  'cancelled',
  'deposit',
  'look up',
  'order heard',
  'order heard twice',
  'balances heard',
  'answer heard',
  'ask',
  'answer the question',
  'hear the answer',
] as const;

class History {
  readonly bench = new Bench({
    balances: Object.entries(START).map(([asset, free]) => ({ asset, free, locked: '0' })),
  });
  readonly dice: Dice;
  readonly model: SpotModel;

  constructor(seed: number, times: Times, feeAsset: string | null) {
    this.dice = new Dice(seed);
    this.model = new SpotModel(this.dice, times, feeAsset, START);
    this.hear({ type: 'price', market: 'paper', symbol: 'ETHUSDT', price: PRICE });
    this.hear({ type: 'venue.balances', exchange: SPOT, changed: this.model.balances(), all: true });
  }

  get account() {
    return this.bench.engine.memory.account(SPOT);
  }

  do(step: (typeof STEPS)[number]): void {
    const { model, dice } = this;
    const symbol = dice.chance(0.7) ? 'BTCUSDT' : 'ETHUSDT';
    const quantity = str(dec('0.001') * BigInt(dice.int(2, 900)));
    const price = String(dice.int(55_000, 59_000));
    switch (step) {
      case 'buy':
        this.place({ symbol, side: 'BUY', type: 'LIMIT', price, quantity });
        return;
      case 'sell':
        this.place({ symbol, side: 'SELL', type: 'LIMIT', price: '65000', quantity });
        return;
      case 'buy at once':
        this.place({ symbol, side: 'BUY', type: 'MARKET', quantity });
        return;
      case 'sell at once':
        this.place({ symbol, side: 'SELL', type: 'MARKET', quantity });
        return;
      case 'cancel': {
        const live = [...this.bench.engine.memory.orders.values()].filter(({ phase }) => phase === 'live');
        const order = live[dice.int(0, Math.max(0, live.length - 1))];
        if (order) {
          this.bench.cancel(order.id);
          this.#follow();
        }
        return;
      }
      case 'arrive':
        model.arrive(dec(PRICE));
        return;
      case 'fill':
        model.fillOne();
        return;
      case 'cancelled':
        model.cancelOne();
        return;
      case 'deposit':
        model.deposit();
        return;
      case 'look up':
        model.lookUp();
        return;
      case 'order heard':
        this.hear(model.orderLine.shift());
        return;
      case 'order heard twice':
        this.hear(model.orderLine[0]);
        this.hear(model.orderLine.shift());
        return;
      case 'balances heard':
        this.hear(model.balanceLine.shift());
        return;
      case 'answer heard':
        this.hear(model.answers.splice(dice.int(0, Math.max(0, model.answers.length - 1)), 1)[0]);
        return;
      case 'ask':
        model.questions.push({ askedAt: this.account.wallet.versions.heard, answer: null });
        return;
      case 'answer the question': {
        const question = model.questions.find(({ answer }) => answer === null);
        if (!question) return;
        question.answer = model.balances();
        // Without times of their own nobody could tell an answer from older balances that come after it (S58).
        if (model.balanceLine === model.orderLine) question.last = model.orderLine.at(-1);
        return;
      }
      case 'hear the answer': {
        const at = model.questions.findIndex(({ answer }) => answer !== null);
        const [question] = at < 0 ? [] : model.questions.splice(at, 1);
        while (question?.last && model.orderLine.includes(question.last)) this.do('order heard');
        if (question?.answer) {
          const { answer: changed, askedAt } = question;
          this.hear({ type: 'venue.balances', exchange: SPOT, changed, all: true, askedAt });
        }
      }
    }
  }

  /** Everything arrives and is heard. */
  end(): void {
    const { model } = this;
    while (model.onTheWay.length > 0) this.do('arrive');
    while (model.cancels.length > 0) this.do('cancelled');
    model.questions.splice(0);
    while (model.orderLine.length + model.balanceLine.length + model.answers.length > 0) {
      this.do(
        this.dice.chance(0.4) ? 'order heard' : this.dice.chance(0.5) ? 'balances heard' : 'answer heard',
      );
      this.check();
    }
  }

  place(request: object): void {
    this.bench.place(request);
    this.#follow();
  }

  hear(event: EngineEvent | undefined): void {
    if (!event) return;
    this.bench.event(event);
    this.#follow();
  }

  /** The line to the exchange takes what the engine sends. */
  #follow(): void {
    for (const effect of this.bench.effects) {
      if (effect.kind === 'submit') this.model.onTheWay.push(effect.order);
      if (effect.kind === 'cancel') this.model.cancels.push(effect.orderId);
    }
  }

  /** What is there for another order: free at the exchange, less what is on its way there. */
  check(): void {
    const left = new Map([...this.model.wallet].map(([asset, { free }]) => [asset, free]));
    for (const { side, symbol, quantity, price } of this.model.onTheWay) {
      const qty = dec(quantity ?? '0');
      const asset = side === 'BUY' ? 'USDT' : symbol.slice(0, 3);
      const amount = side === 'BUY' ? (qty * dec(price ?? PRICE)) / dec('1') : qty;
      left.set(asset, (left.get(asset) ?? ZERO) - amount);
    }
    // Of a fee in a third asset nobody knows before its fill is heard.
    left.delete('BNB');
    for (const [asset, there] of left) {
      const { available } = availability(this.account, asset);
      if (available > there) throw new Error(`${str(available)} of ${str(there)} ${asset} may be spent`);
    }
  }

  get figures() {
    return {
      here: ASSETS.map((asset) => {
        const { free, locked } = balanceNow(this.account, asset);
        return [asset, str(free), str(locked), str(availability(this.account, asset).available)];
      }),
      there: ASSETS.map((asset) => {
        const { free, locked } = this.model.wallet.get(asset) ?? { free: ZERO, locked: ZERO };
        return [asset, str(free), str(locked), str(free)];
      }),
    };
  }
}

describe('what is free between two reports of the balances', () => {
  it.each<Times>(['none', 'coarse', 'fine'])('is never more than there is, with times %s', (times) => {
    let filled = 0;
    fc.assert(
      fc.property(
        fc.integer(),
        fc.constantFrom(null, 'BNB'),
        fc.array(fc.constantFrom(...STEPS), { minLength: 10, maxLength: 150, size: 'max' }),
        (seed, feeAsset, steps) => {
          const history = new History(seed, times, feeAsset);
          for (const step of steps) {
            history.do(step);
            history.check();
          }
          history.end();
          // The answer to a question settles what was told in any order.
          for (const step of ['ask', 'answer the question', 'hear the answer'] as const) history.do(step);
          const { here, there } = history.figures;
          expect(here).toEqual(there);
          expect(history.account.wallet.untold.hasDoubt).toBe(false);
          for (const order of history.model.orders.values()) if (order.cum > ZERO) filled += 1;
        },
      ),
      { numRuns: Number(process.env.OUTCRY_RUNS ?? 120) },
    );
    expect(filled).toBeGreaterThan(150);
  });
});

// A market that is held stands at one time: what an answer knows of cannot be told by times there.
it('what a cancel gives back is free at once, also at the time of the last answer', () => {
  const bench = new Bench({ balances: [{ asset: 'BTC', free: '5', locked: '0' }] });
  const order = bench.resting({ side: 'SELL', price: '70000', quantity: '5' });
  bench.restart();
  const time = bench.now.market;
  const { versions } = bench.engine.memory.account(SPOT).wallet;
  bench.event({
    ...{ type: 'venue.balances', exchange: SPOT, all: true, askedAt: versions.heard },
    changed: [{ asset: 'BTC', free: '0', locked: '5', time }],
  });
  bench.cancel(order.id);
  bench.cancelDone(order);
  expect(bench.place({ side: 'SELL', type: 'MARKET', quantity: '5' }).order.status).toBe('NEW');
  expect(bench.kinds('submit')).toHaveLength(1);
});
