/**
 * All that a bot does in a drawn case (`test/differential/draw.ts`) on the tick market, line by line: its
 * actions after each input, its notices and alerts, and its final figures. For comparison with the record, as
 * a summary and a digest.
 */
import { createHash } from 'node:crypto';
import type { RunAction, RunOrder } from '../../../src/bots/run/contract.ts';
import { Run } from '../../../src/bots/run/run.ts';
import { type Dec, str } from '../../../src/domain/decimal.ts';
import { caseOf } from '../../differential/draw.ts';
import { playOnTickMarket } from '../../scenarios/on-tick-market.ts';
import type { BotKind } from '../../simulation/bot-settings.ts';

const DIGEST_LENGTH = 12;

export interface Story {
  /** One line: seed, market, figures, digest of `lines`. */
  readonly summary: string;
  readonly lines: readonly string[];
}

export function storyOf(seed: number, kind: BotKind): Story {
  const { type, scenario } = caseOf(seed, kind);
  const told: string[] = [];
  const outcome = listening(told, () => playOnTickMarket(type, scenario));
  const { fills, alerts, open, opens: _opens, ...end } = outcome;
  const lines = [
    ...told,
    ...fills.map((fill) => JSON.stringify(fill)),
    ...alerts.map((alert) => JSON.stringify(alert)),
    ...open.map((order) => JSON.stringify(order)),
    ...Object.entries(end).map(([name, value]) => `${name} ${JSON.stringify(value)}`),
  ];
  const digest = digestOf(lines);
  const { kind: market } = scenario.instrument ?? scenario.instruments?.[0] ?? { kind: 'spot' };
  const { cycles, realised, fees } = outcome.stats;
  const words =
    outcome.startError === null
      ? `${told.length} lines, ${fills.length} fills, ${alerts.length} alerts, ${cycles} cycles, ` +
        `realised ${realised}, fees ${fees}, ${outcome.status} ${outcome.state}`
      : 'not started';
  return { summary: `${seed} ${market}: ${words}, ${digest}`, lines };
}

export function digestOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, DIGEST_LENGTH);
}

/** Records all actions of runs during `play`. */
function listening<T>(told: string[], play: () => T): T {
  const { start, input } = Run.prototype;
  const tell = (run: Run, what: string, act: () => void) => {
    const before = new Set(run.actions);
    act();
    for (const action of run.actions)
      if (!before.has(action)) told.push(`${run.now} ${what}: ${textOf(action)}`);
  };
  Run.prototype.start = function listened(this: Run) {
    tell(this, 'start', () => start.call(this));
  };
  Run.prototype.input = function listened(this: Run, given) {
    tell(this, given.type, () => input.call(this, given));
  };
  try {
    return play();
  } finally {
    Object.assign(Run.prototype, { start, input });
  }
}

/** An action of a run as one line. */
export function textOf(action: RunAction): string {
  switch (action.do) {
    case 'place':
      return `place ${orderText(action.order)}`;
    case 'cancel':
      return `cancel ${action.key}`;
    case 'notice':
      return `notice ${action.level} ${action.text}`;
    case 'alert': {
      const { symbol, condition, price, message } = action.alert;
      return `alert ${symbol} ${condition} ${price === null ? 'none' : str(price)} ${message}`;
    }
  }
}

function orderText(order: RunOrder): string {
  const { key, slot, side, type, qty, price, stopPrice, label, into, from } = order;
  const at = (value: Dec | null) => (value === null ? '-' : str(value));
  const parts = into.map((part) => `${part.lot} ${str(part.qty)}`).join('+');
  const marks = [order.reduceOnly && 'reduces', order.keepsRest && 'keeps rest', order.workingType];
  return [
    `${key} ${slot}: ${side} ${type} ${str(qty)} at ${at(price)} stop ${at(stopPrice)}, ${label}`,
    `into ${parts} from ${from.join('+')}`,
    ...marks.filter(Boolean),
  ].join(', ');
}
