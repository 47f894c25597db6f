/** The rough exchange's dead-man switch, per account and per symbol: what every adapter's must do. */
import { describe } from 'vitest';
import { type SwitchedExchange, switchesOff } from '../../venues/contract/dead-man.ts';
import { Dice } from '../dice.ts';
import { SimClock } from '../sim-clock.ts';
import { SimFaults } from '../sim-faults.ts';
import { roughPlansOf } from './rough-plan.ts';
import { RoughSpot } from './rough-spot.ts';
import type { RoughDeadMan } from './rough-switch.ts';
import { RoughLine } from './rough-venue.ts';

const START = Date.UTC(2026, 0, 5, 1);
const NEVER = { healed: () => false, struck: () => {}, stored: () => {} };

async function opened(form: RoughDeadMan['form']): Promise<SwitchedExchange> {
  const dice = (stream: string) => new Dice(1, stream);
  const clock = new SimClock(START, dice('clock'), 0);
  const deadMan = { form, seconds: 30, mostSymbols: 2, endsConditionals: false, loses: 0 };
  const calm = { eventDelayMs: 0, lagMs: 0, lateRefusal: 0, symbolsEveryMs: 0, driftMs: 0 };
  const exchange = new RoughSpot({
    ...NEVER,
    clock,
    paper: {},
    stride: 0.001,
    faults: new SimFaults(dice('faults'), new Map()),
    dice: dice('exchange'),
    marketDice: dice('market'),
    ledgerDice: dice('ledger'),
    plan: { ...roughPlansOf(1).spot, ...calm, deadMan },
    tickEveryMs: () => 1_000,
    isKnown: () => true,
  });
  const line = new RoughLine({
    ...NEVER,
    clock,
    exchange,
    dice: dice('line'),
    symbolDice: dice('symbols'),
    ledgerDice: dice('ledger line'),
  });
  await exchange.inner.open();
  const told = new Map<string, string>();
  line.connect({
    order: ({ clientId, status }) => told.set(clientId, status),
    fill: () => {},
    balances: () => {},
    stream: () => {},
  });
  const pass = (ms: number) => clock.runUntil(clock.now + ms, () => false);
  for (const symbol of ['BTCUSDT', 'ETHUSDT']) {
    void exchange.inner.venue.tick({ time: clock.now, symbol, price: '60000', volume: '1000' });
    await pass(100);
  }
  return {
    venue: line.venue,
    symbol: 'BTCUSDT',
    other: 'ETHUSDT',
    told,
    pass,
    settle: async (answer) => {
      await pass(500);
      return answer;
    },
    lose: () => line.deadMan?.loseNext(),
  };
}

describe.each(['account', 'symbol'] as const)('of the rough exchange, a countdown for each %s', (form) => {
  switchesOff(() => opened(form));
});
