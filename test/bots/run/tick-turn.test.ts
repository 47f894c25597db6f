/**
 * One tick in a run: the stop rules check it at most once and never for lots being sold, then the run
 * decides; of several waiting ticks only the last is decided about (R10).
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TickRun, TickTurn } from '../../../src/bots/run/tick-turn.ts';

type Step = 'tick' | 'tick that fires' | 'other input' | 'sale is over' | 'restart';

/** A run whose prices count the ticks, so that a price names its tick. */
class Turns implements TickRun {
  state: TickRun['state'] = { tick: null };
  price = 0n;
  now = 0;
  changed = false;
  selling = false;
  readonly looks: bigint[] = [];
  readonly decided: bigint[] = [];
  readonly firing = new Set<bigint>();
  readonly stops = { hasFired: () => this.selling, isSelling: () => this.selling };
  turn = new TickTurn(this);

  lookAtStops(price: bigint): void {
    this.looks.push(price);
    if (this.firing.has(price)) this.selling = true;
  }

  decide(price: bigint): void {
    expect(this.selling).toBe(false);
    this.decided.push(price);
  }

  sync(): void {}

  do(step: Step): void {
    if (step === 'tick' || step === 'tick that fires') {
      this.price += 1n;
      this.now += 1;
      if (step !== 'tick') this.firing.add(this.price);
      this.turn.tick();
    } else if (step === 'restart') {
      // The state as it is stored with the run.
      this.state = { tick: this.state.tick && { ...this.state.tick } };
      const { before } = this.turn;
      this.turn = new TickTurn(this);
      if (!this.state.tick) this.turn.before = before;
      return;
    } else if (step === 'sale is over') this.selling = false;
    this.turn.goOn();
  }
}

const STEPS: readonly Step[] = ['tick', 'tick', 'tick that fires', 'other input', 'sale is over', 'restart'];

describe('whatever comes while a sale is on its way', () => {
  it('each tick is looked at once at most and decided about once at most, the last one always', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STEPS), { maxLength: 40 }), (steps) => {
        const run = new Turns();
        for (const step of steps) {
          run.do(step);
          expect(new Set(run.looks).size).toBe(run.looks.length);
          expect(new Set(run.decided).size).toBe(run.decided.length);
          // A waiting tick is decided about as soon as no sale is under way.
          if (step !== 'restart') expect(run.turn.waits).toBe(run.selling);
          for (const price of run.decided) expect(run.looks).toContain(price);
          if (!run.selling && run.price > 0n && step !== 'restart')
            expect(run.decided.at(-1)).toBe(run.price);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('a tick that waited is of its own time when it has been decided about, however late that is', () => {
    const run = new Turns();
    run.do('tick');
    run.do('tick that fires');
    run.now += 5_000;
    run.do('tick');
    run.now += 7_000;
    run.do('sale is over');
    expect(run.turn.before).toEqual({ price: 3n, at: 5_003 });
    expect(run.state.tick).toBeNull();
  });

  it('a restart in between changes nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STEPS), { maxLength: 40 }), (steps) => {
        const [with_, without] = [new Turns(), new Turns()];
        for (const step of steps) {
          with_.do(step);
          if (step !== 'restart') without.do(step);
        }
        expect([with_.looks, with_.decided, with_.state]).toEqual([
          without.looks,
          without.decided,
          without.state,
        ]);
        expect(with_.turn.before).toEqual(without.turn.before);
      }),
      { numRuns: 300 },
    );
  });

  it('the first of two ticks that wait is not looked at, the second at once', () => {
    const run = new Turns();
    for (const step of ['tick that fires', 'tick', 'tick'] as const) run.do(step);
    expect([run.looks, run.decided]).toEqual([[1n, 2n, 3n], []]);
    run.do('sale is over');
    expect([run.looks, run.decided]).toEqual([[1n, 2n, 3n], [3n]]);
    expect(run.turn.before).toEqual({ price: 3n, at: 3 });
  });
});
