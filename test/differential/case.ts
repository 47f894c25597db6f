/**
 * A case of the differential tester: one bot on one market, in the format of the scenarios, and where the
 * desk of the killed run is ended. Plain JSON, so that a case that differs can be stored and played again.
 */

import type { Outcome, Scenario } from '../scenarios/scenario.ts';
import type { BotKind } from '../simulation/bot-settings.ts';
import type { CrashPoint } from '../simulation/plan.ts';

export interface DiffCase {
  readonly seed: number;
  readonly kind: BotKind;
  /** Type as in POST /bots. */
  readonly type: string;
  readonly scenario: Scenario;
  readonly kills: readonly Kill[];
}

/**
 * The desk ends at the nth point of this kind, counted from that event on; `stop`: a regular stop before the
 * event.
 */
export interface Kill {
  readonly event: number;
  readonly point: CrashPoint | 'stop';
  readonly nth: number;
}

/**
 * `backtest`: the backtest against a desk; `killed`: a desk against one that is ended and restarted from its
 * store.
 */
export type Mode = 'backtest' | 'killed';

/**
 * Cases in which the sides cannot agree, by the name under which they are counted, with the reason. Decided
 * from the case before it is played, or from the desk's result.
 */
export const LEFT_OUT: Readonly<
  Record<
    string,
    {
      readonly why: string;
      readonly before?: (one: DiffCase, mode: Mode) => boolean;
      readonly after?: (outcome: Outcome) => boolean;
    }
  >
> = {
  jitter: {
    why: 'the jitter of a TWAP is drawn from the id of its run, and every run has an id of its own',
    before: ({ scenario: { settings } }, mode) =>
      mode === 'backtest' && settings.jitter !== undefined && Number(settings.jitter) !== 0,
  },
  'margin type': {
    why: 'an exchange changes the margin type of a symbol only without a position, and the tick market has crossed margin: what is free beside a position, of which a run that starts again takes its percent, is another amount',
    before: ({ scenario: { settings, options, position } }, mode) =>
      mode === 'backtest' &&
      settings.marginType === 'ISOLATED' &&
      (position !== undefined || (options as { restart?: boolean } | undefined)?.restart === true),
  },
  'leverage of a position': {
    why: 'a desk sets the leverage after the checks of the start, and a position that is there has its margin at the one before; the tick market has one leverage',
    before: ({ scenario: { settings, position } }, mode) =>
      mode === 'backtest' &&
      position !== undefined &&
      (settings.deposit as { leverage?: number })?.leverage !== undefined,
  },
  'another position': {
    why: 'a desk refuses a start beside a position of another direction; a backtest has no account with positions of others',
    after: ({ startError }) => / by a position held by hand; use /.test(startError ?? ''),
  },
  'figures of the day': {
    why: 'a desk that starts again asks its feed for the candles of the day, and a scenario has none of what came after its start',
    before: ({ scenario: { settings } }, mode) => {
      const { volume, price } = (settings.filters ?? {}) as {
        volume?: object;
        price?: { percentChange?: string };
      };
      return mode === 'killed' && (volume !== undefined || price?.percentChange !== undefined);
    },
  },
  'price band': {
    why: 'the tick market takes any price, an exchange of contracts none that is too far from the mark: a backtest says so in its assumptions',
    after: ({ outOfBand }) => outOfBand === true,
  },
  liquidated: {
    why: 'the tick market knows no liquidation: a backtest says so in its assumptions',
    after: ({ liquidated }) => liquidated === true,
  },
};
