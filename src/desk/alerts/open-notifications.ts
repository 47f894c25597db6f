/** Puts together the alerts of bots, the notices, the mutes and the deliveries of all of them. */
import type { Clock, Random } from '../../domain/clock.ts';
import { type NoticeSettings, USUAL_NOTICES } from '../../domain/notices.ts';
import type { Effect } from '../../engine/step.ts';
import type { Target } from '../../notify/target.ts';
import type { LoadedState } from '../../store/store.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { ChangeMark } from '../running.ts';
import { AlertMutes, META as MUTES } from './alert-mutes.ts';
import { Alerts } from './alerts.ts';
import { ConditionNotices } from './condition-notices.ts';
import { Deliveries } from './deliveries.ts';
import { type Alerted, alertOf, NOTICE_CONDITIONS } from './notice.ts';
import { NoticePace } from './notice-pace.ts';
import { OrderNotices } from './order-notices.ts';

export interface TellingGiven {
  readonly clock: Clock;
  readonly random: Random;
  readonly targets: ReadonlyMap<string, Target>;
  /** Left out: the usual ones. */
  readonly notices?: NoticeSettings;
  /** Market time, Unix ms. */
  readonly market: () => number;
  /** Why the links to an account are not opened; null: they are. */
  readonly waits: (exchange: string) => string | null;
}

export interface Notifications {
  readonly alerts: Alerts;
  readonly mutes: AlertMutes;
  readonly deliveries: Deliveries;
  readonly notices: Notices;
}

/** Notices of orders and of conditions, under one limit per minute. */
export interface Notices {
  readonly orders: OrderNotices;
  /** Returns the notices of a step's effects, as effects that are stored with it. */
  of(effects: readonly Effect[]): readonly Alerted[];
  marked(mark: ChangeMark): void;
  close(): void;
}

/** @param core exists once the first step is made */
export function openNotifications(
  given: TellingGiven,
  initial: LoadedState,
  core: () => DeskCore,
): Notifications {
  const { clock, random, targets } = given;
  const mutes = new AlertMutes({
    initial: initial.meta.get(MUTES),
    store: (value) => core().turn.store([{ kind: 'meta', name: MUTES, value }], true),
    changed: () => core().mark({ kind: 'alerts' }),
  });
  const alerts = new Alerts({
    isMuted: (botId, target) => mutes.isMuted(botId, target),
    initial: initial.alerts,
    clock,
    id: () => random.id(12),
    store: (rows) => {
      core().turn.store(rows, true);
      return core().turn.read(() => {});
    },
    changed: () => core().mark({ kind: 'alerts' }),
  });
  const deliveries = new Deliveries({
    alerts,
    targets,
    clock,
    warn: (text) => core().report('warn', 'alert', text),
  });
  return { alerts, mutes, deliveries, notices: openNotices(given, core) };
}

function openNotices(given: TellingGiven, core: () => DeskCore): Notices {
  const { clock, notices: settings = USUAL_NOTICES, market, waits } = given;
  const pace = new NoticePace((text) => core().report('warn', 'alert', text));
  const kinds = new Map(Object.entries(NOTICE_CONDITIONS).map(([kind, condition]) => [condition, kind]));
  const admitted = ({ alert }: Alerted): boolean => {
    const kind = kinds.get(alert.condition as (typeof NOTICE_CONDITIONS)[keyof typeof NOTICE_CONDITIONS]);
    return kind === undefined || pace.admits(kind as keyof typeof NOTICE_CONDITIONS, clock.wall());
  };
  const orders = new OrderNotices(settings);
  const conditions = new ConditionNotices({
    settings,
    clock,
    memory: () => core().engine.memory,
    lines: () =>
      [...core().links.values()].map(({ venue, state, since }) => ({
        exchange: venue.account.id,
        up: state === 'up',
        since,
        waits: waits(venue.account.id) !== null,
      })),
    tell: (notice) => {
      const alert = alertOf(notice, settings, market());
      if (alert && admitted(alert)) core().turn.take({ rows: [], effects: [alert], force: true });
    },
  });
  return {
    orders,
    of: (effects) => orders.of(effects, market()).filter(admitted),
    marked: ({ kind }) => {
      if (kind === 'positions' || kind === 'accounts' || kind === 'order' || kind === 'portfolio')
        conditions.changed();
    },
    close: () => conditions.close(),
  };
}
