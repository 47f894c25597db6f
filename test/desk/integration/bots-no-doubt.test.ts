/** The balance events of the paper exchange make clear which orders and fills they include. */
import { expect, it, vi } from 'vitest';
import { Comparer } from '../../../src/desk/core/comparer.ts';
import { PendingMovements } from '../../../src/engine/pending-movements.ts';
import { LEVELS, openBots } from './bots-rig.ts';
import { EXCHANGE, flat, writeCandles } from './support.ts';

const TRADES = [
  ['BUY', '3'],
  ['SELL', '2.9'],
  ['BUY', '3'],
  ['SELL', '2.9'],
] as const;

// proves: S58
it.each([EXCHANGE, 'paper-futures'])(
  'many things of one moment are in their places on %s, and nothing is asked',
  async (exchange) => {
    const doubts: string[] = [];
    const move = PendingMovements.prototype.move;
    vi.spyOn(PendingMovements.prototype, 'move').mockImplementation(function (
      this: PendingMovements,
      movement,
    ) {
      move.call(this, movement);
      if (this.hasDoubt) doubts.push(movement.key);
    });
    const again = vi.spyOn(Comparer.prototype, 'again');
    const feed = writeCandles({
      BTCUSDT: ['100', '100', '79', '79', '121', '121', '79', '121'].flatMap((price) => flat(price)),
    });
    const r = await openBots(['100'], { feed });
    await r.minutes(1);
    // Both entries fill at one tick, and both exits are placed; then both exits fill, and the next cycle
    // begins.
    const settings = {
      ...LEVELS.settings,
      exchange,
      ...(exchange === EXCHANGE ? {} : { deposit: { ...LEVELS.settings.deposit, leverage: 3 } }),
    };
    await r.started({ ...LEVELS, settings });
    for (let i = 0; i < 7; i++) {
      await r.minutes(1);
      // Several trades at the same time, while the market does not move.
      for (const [side, quantity] of TRADES) {
        const order = { exchange, symbol: 'BTCUSDT', type: 'MARKET', side, quantity };
        const done = r.done('POST', '/orders', order);
        await r.t.clock.advance(100);
        await done;
      }
    }
    expect((await r.orders('recent')).filter(({ status }) => status === 'CLOSED').length).toBeGreaterThan(30);
    expect(doubts).toEqual([]);
    expect(again).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  },
);
