/**
 * One history of a spot account and its engine, step by step: the orders, the exchange's actions, which
 * events arrive and when. Everything follows from the seed and the steps.
 */
import { type Dec, dec, str, ZERO } from '../../../src/domain/decimal.ts';
import type { ExchangeOrder } from '../../../src/domain/exchange.ts';
import { availability } from '../../../src/engine/balances.ts';
import { balanceNow } from '../../../src/engine/margins.ts';
import type { EngineEvent } from '../../../src/engine/step.ts';
import { Bench, type BenchOptions } from './bench.ts';
import { Dice, SPOT } from './market.ts';
import type { SpotModel } from './spot-model.ts';

export const HOLDINGS = { USDT: '100000', BTC: '1.5', ETH: '1.5', BNB: '1' };
const ASSETS = Object.keys(HOLDINGS);
export const PRICE = '60000';

export const SPOT_STEPS = [
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
export type SpotStep = (typeof SPOT_STEPS)[number];

export class SpotHistory<M extends SpotModel = SpotModel> {
  readonly bench: Bench;
  readonly dice: Dice;
  readonly model: M;

  constructor(seed: number, make: (dice: Dice) => M, options: BenchOptions = {}) {
    const balances = Object.entries(HOLDINGS).map(([asset, free]) => ({ asset, free, locked: '0' }));
    this.bench = new Bench({ balances, ...options });
    this.dice = new Dice(seed);
    this.model = make(this.dice);
    this.hear({ type: 'price', market: 'paper', symbol: 'ETHUSDT', price: PRICE });
    this.hear({ type: 'venue.balances', exchange: SPOT, changed: this.model.balances(), all: true });
  }

  get account() {
    return this.bench.engine.memory.account(SPOT);
  }

  do(step: SpotStep): void {
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
          this.bench.ask({ type: 'cancel', exchange: order.exchange, id: order.id });
          this.follow();
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
        question.answer = model.report(question.askedAt);
        // Without times nobody could distinguish an answer from older balances that arrive after it (S58).
        if (model.balanceLine === model.orderLine) question.last = model.orderLine.at(-1);
        return;
      }
      case 'hear the answer': {
        const at = model.questions.findIndex(({ answer }) => answer !== null);
        const [question] = at < 0 ? [] : model.questions.splice(at, 1);
        while (question?.last && model.orderLine.includes(question.last)) this.do('order heard');
        for (const event of question?.answer ?? []) this.hear(event);
      }
    }
  }

  /** Lets everything arrive at both sides. */
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
    this.follow();
  }

  hear(event: EngineEvent | undefined): void {
    if (!event) return;
    this.bench.event(event);
    this.follow();
  }

  /** Passes on to the exchange what the engine sends. */
  protected follow(): void {
    for (const effect of this.bench.effects) {
      if (effect.kind === 'submit') this.model.onTheWay.push(effect.order);
      if (effect.kind === 'cancel') this.model.cancels.push(effect.orderId);
    }
  }

  /**
   * Checks the balance available to another order: free at the exchange, less the orders on their way there.
   */
  check(): void {
    for (const [asset, there] of this.left()) {
      const { available } = availability(this.account, asset);
      if (available > there) throw new Error(`${str(available)} of ${str(there)} ${asset} may be spent`);
    }
  }

  /** Orders on their way to the spot book. */
  protected get coming(): readonly ExchangeOrder[] {
    return this.model.onTheWay;
  }

  /** The rest of each asset. A fee in a third asset is unknown before its fill arrives: it is left out. */
  protected left(): Map<string, Dec> {
    const left = new Map([...this.model.wallet].map(([asset, { free }]) => [asset, free]));
    for (const { side, symbol, quantity, price } of this.coming) {
      const qty = dec(quantity ?? '0');
      const asset = side === 'BUY' ? 'USDT' : symbol.slice(0, 3);
      const amount = side === 'BUY' ? (qty * dec(price ?? PRICE)) / dec('1') : qty;
      left.set(asset, (left.get(asset) ?? ZERO) - amount);
    }
    left.delete('BNB');
    return left;
  }

  get figures() {
    return {
      here: ASSETS.map((asset) => {
        const { free, locked } = balanceNow(this.account, asset);
        return [asset, str(free), str(locked), str(availability(this.account, asset).available)];
      }),
      there: ASSETS.map((asset) => {
        const { free, locked } = this.model.balanceOf(asset);
        return [asset, str(free), str(locked), str(free)];
      }),
    };
  }
}
