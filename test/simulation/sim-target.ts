/**
 * The receiver of a world's alerts: it hangs, fails and accepts duplicates, and remembers what it accepted.
 */
import type { AlertMessage, Sending, Sent, Target } from '../../src/notify/target.ts';
import type { Dice } from './dice.ts';
import type { Life, SimClock } from './sim-clock.ts';
import { type Strikes, strike } from './sim-faults.ts';

export const TARGET = 'hook';

export interface SimTargetOptions {
  readonly clock: SimClock;
  readonly dice: Dice;
  readonly life: Life;
  readonly healed: () => boolean;
  readonly strikes: Strikes;
  /** Called when the receiver has accepted this alert. */
  readonly took: (alertId: string) => void;
}

/** One life's connection to the receiver; accepted alerts outlive the desk. */
export function simTarget(o: SimTargetOptions): Target {
  const answer = (sending: Sending, alert: AlertMessage): Promise<Sent> | Sent => {
    const fate = o.healed()
      ? 'takes'
      : o.dice.weighted({ takes: 6, fails: 2, hangs: 1, 'takes in silence': 1 });
    if (fate === 'takes' || fate === 'takes in silence') o.took(alert.id);
    if (fate === 'takes') return { ok: true };
    strike(o.strikes, 'delivery');
    if (fate === 'fails') return { ok: false, reason: 'HTTP 503', retryable: true, retryAfterMs: null };
    return new Promise((resolve) => {
      sending.signal.addEventListener('abort', () =>
        resolve({ ok: false, reason: 'no answer', retryable: true, retryAfterMs: null }),
      );
    });
  };
  return {
    name: TARGET,
    send: (alert, sending) =>
      new Promise((resolve) => {
        o.clock.after(o.dice.int(1, 400), () => resolve(answer(sending, alert)), o.life);
      }),
    close: async () => {},
  };
}
