/** A desk with a dead-man switch, whose requests are noted with their times and answered as a test says. */
import { expect } from 'vitest';
import type { DeadManCaps } from '../../../src/domain/dead-man.ts';
import type { SettingOutcome } from '../../../src/domain/position.ts';
import { OPERATOR } from '../../engine/support/market.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { LinkRig } from './link-rig.ts';

const BOUNDS = { leastSeconds: 10, mostSeconds: 120, source: 'the test' };
export const EACH: DeadManCaps = { form: 'symbol', mostSymbols: 5, ...BOUNDS };
export const WHOLE: DeadManCaps = { form: 'account', ...BOUNDS };
export const REFUSED: SettingOutcome = { kind: 'rejected', code: '1', message: 'not now' };

export interface Switched {
  readonly rig: LinkRig;
  /** The requests since the last call, each with the seconds since the start: `5 BTCUSDT 20`. */
  readonly asked: () => string[];
  /** Answers the requests; may be replaced. */
  readonly line: { arm: (symbol: string | null, seconds: number) => Promise<SettingOutcome> };
  readonly set: (seconds: number | null) => Promise<void>;
  /** Rests an entry of the symbol; returns what ends it at the exchange. */
  readonly enter: (symbol?: string) => Promise<() => void>;
  readonly view: () => NonNullable<ReturnType<typeof viewOf>>;
}

export const viewOf = (rig: LinkRig) => rig.core.accounts.deadMen.get('said-spot')?.view;
export const lines = (rig: LinkRig) =>
  rig.core.log.map(({ text }) => text).filter((text) => /dead-man/.test(text));

/** A desk with a switch; `before`: the one whose process has died. */
export async function switched(
  caps: DeadManCaps = EACH,
  before?: LinkRig,
  prepare: (rig: LinkRig) => void = () => {},
): Promise<Switched> {
  const clock = before ? new VirtualClock(before.clock.wall()) : undefined;
  const rig = new LinkRig('spot', 3, before?.store, { deadMan: caps }, undefined, clock ? { clock } : {});
  const from = rig.clock.monotonic();
  const asked: string[] = [];
  const line: Switched['line'] = { arm: async () => ({ kind: 'done' }) };
  const arm = ({ symbol, seconds }: { symbol: string | null; seconds: number }) => {
    asked.push(`${(rig.clock.monotonic() - from) / 1_000} ${symbol ?? 'all'} ${seconds}`);
    return line.arm(symbol, seconds);
  };
  Object.assign(rig.venue, { deadMan: { arm } });
  for (const symbol of ['S1USDT', 'S2USDT'])
    rig.core.turn.step({ type: 'price', market: 'said-spot', symbol, price: '60000' });
  prepare(rig);
  await rig.until(rig.core.start());
  return {
    rig,
    line,
    asked: () => asked.splice(0),
    set: async (deadManSeconds) => {
      const command = { type: 'guards', exchange: 'said-spot', change: { deadManSeconds } } as const;
      expect((await rig.until(rig.core.execute(OPERATOR, command, { requestId: 'r' }))).status).toBe(200);
      rig.core.accounts.deadMen.get('said-spot')?.look();
      await rig.clock.settle();
    },
    enter: async (symbol = 'BTCUSDT') => {
      expect((await rig.until(rig.place({ symbol }))).status).toBe(200);
      const { id: clientId = '' } = rig.orders.at(-1) ?? {};
      const state = { clientId, symbol, origQty: '0.01', cumQty: '0', seq: 9 } as const;
      return () => rig.venue.sink?.order({ ...state, status: 'CANCELLED', time: rig.clock.wall() });
    },
    view: () => {
      const view = viewOf(rig);
      if (!view) throw new Error('no switch');
      return view;
    },
  };
}

/** Lets requests hang; returns what answers those that hang. */
export function hang(line: Switched['line'], only?: string): (outcome?: SettingOutcome) => void {
  const answers: ((outcome: SettingOutcome) => void)[] = [];
  line.arm = (symbol) =>
    only === undefined || symbol === only
      ? new Promise((resolve) => answers.push(resolve))
      : Promise.resolve({ kind: 'done' });
  return (outcome = { kind: 'done' }) => {
    line.arm = async () => ({ kind: 'done' });
    for (const answer of answers.splice(0)) answer(outcome);
  };
}
