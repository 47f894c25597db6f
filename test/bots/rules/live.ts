/**
 * One run on the tick market for tests that inspect it: its notices and figures, and an exchange that can
 * refuse orders.
 */
import { RunHost } from '../../../src/bots/backtest/run-host.ts';
import { TickMarket } from '../../../src/bots/backtest/tick-market.ts';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import type { OrderChange, RunOrder } from '../../../src/bots/run/contract.ts';
import { compileBot } from '../../../src/bots/settings/compile.ts';
import type { BotType, MarketRules } from '../../../src/bots/settings/compiled.ts';
import { kindOf } from '../../../src/bots/types/kinds.ts';
import { dec, ZERO } from '../../../src/domain/decimal.ts';
import { START } from '../../scenarios/scene.ts';
import { rules, SYMBOL, world } from '../backtest/support.ts';
import type { Settings } from './bots.ts';

type Refusal = Omit<Extract<OrderChange, { kind: 'rejected' }>, 'key' | 'kind'>;

/** Returns the refusal of an order; null: it is accepted. */
export type Refuses = (order: RunOrder) => Refusal | null;

class RefusingMarket extends TickMarket {
  refuses: Refuses = () => null;
  readonly #refused: OrderChange[] = [];

  override place(order: RunOrder, now: number): void {
    const refusal = this.refuses(order);
    if (refusal) this.#refused.push({ key: order.key, kind: 'rejected', ...refusal });
    else super.place(order, now);
  }

  override take(): OrderChange | undefined {
    return this.#refused.shift() ?? super.take();
  }
}

export class LiveTest {
  readonly market: RefusingMarket;
  readonly host: RunHost;
  /** `12.5 1 text`: seconds after the start, level. */
  readonly notices: string[] = [];

  constructor(type: BotType, settings: Settings, { fees = '0', balance = '10000', kind = 'spot' } = {}) {
    const own: MarketRules = rules({
      kind: kind as 'spot',
      tick: dec('0.01'),
      makerRate: dec(fees),
      takerRate: dec(fees),
    });
    const compiled = compileBot(type, { exchange: 'paper', ...settings }, undefined, {
      ...world(own),
      now: START,
    });
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
    this.market = new RefusingMarket({ rules: own, balances: new Map([['USDT', dec(balance)]]) });
    this.host = new RunHost({
      settings: compiled.settings,
      strategy: kindOf(type).strategy,
      market: this.market,
      hub: new CandleHub({ time: START }),
      history: () => [],
      start: START,
      onNotice: (time, level, text) => this.notices.push(`${(time - START) / 1_000} ${level} ${text}`),
    });
    const problems = this.host.run.startProblems();
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
    this.host.start();
  }

  get run() {
    return this.host.run;
  }

  /** Feeds a price, `seconds` after the start. */
  tick(seconds: number, price: string): void {
    this.host.tick(SYMBOL, dec(price), ZERO, START + seconds * 1_000);
  }

  /** The account or symbol accepts no entries from now on (R12); null: it does again. */
  pause(why: string | null, withdraws = true): void {
    this.run.input({ type: 'pause', pause: why === null ? null : { why, withdraws } });
    // An unknown command: it only lets the run's requests be carried out.
    this.host.command('', null);
  }

  /** Lets time pass until `seconds` after the start. */
  pass(seconds: number): void {
    this.host.advance(START + seconds * 1_000);
  }
}
