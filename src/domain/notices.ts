/**
 * Notices: events that a person is told about without having asked a bot for it (docs/notices.md), and where
 * each kind of notice goes. Pure.
 */

/** The kinds of notice, in the order of the documentation. */
export const NOTICE_KINDS = [
  'fill',
  'partial_fill',
  'stop_hit',
  'liquidation',
  'unresolved',
  'stream',
  'guard',
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** The keys of the table `[notices]`: each kind of notice, and price alerts that a person sets. */
export const TOLD_KINDS = [...NOTICE_KINDS, 'price_alert'] as const;

export type ToldKind = (typeof TOLD_KINDS)[number];

/** Targets that need no configuration: the consoles of the desk, in three ways. */
export const CONSOLE_TARGETS = ['console', 'bell', 'osc9'] as const;

export interface NoticeSettings {
  /**
   * Targets by kind: `console`, `bell`, `osc9` and names of configured targets; empty: nobody is told. Consoles show a price alert
   * in any case.
   */
  readonly to: Readonly<Record<ToldKind, readonly string[]>>;
  /** Percent of the mark price: a notice is sent when the liquidation price is closer than this. */
  readonly liquidationPercent: number;
  /** Percent of a limit: a notice is sent when a guard is used up to this part. */
  readonly guardPercent: number;
  /** Whether notices also cover orders that bots have placed. */
  readonly ofBots: boolean;
}

/** Notice settings, of which each may be left out. */
export type NoticeOptions = Partial<Omit<NoticeSettings, 'to'>> & {
  readonly to?: Partial<NoticeSettings['to']>;
};

const CONSOLE: readonly string[] = ['console'];

/**
 * The default settings. Fills are frequent, and visible where they happen: notices of them go only to those
 * who choose them.
 */
export const USUAL_NOTICES: NoticeSettings = {
  to: {
    fill: [],
    partial_fill: [],
    stop_hit: CONSOLE,
    liquidation: CONSOLE,
    unresolved: CONSOLE,
    stream: CONSOLE,
    guard: CONSOLE,
    price_alert: ['console', 'bell'],
  },
  liquidationPercent: 5,
  guardPercent: 80,
  ofBots: false,
};

export function compiledNotices({ to, ...rest }: NoticeOptions = {}): NoticeSettings {
  return { ...USUAL_NOTICES, ...rest, to: { ...USUAL_NOTICES.to, ...to } };
}

/** Returns the first problem with the targets of notices; null: none. */
export function noticesProblem({ to = {} }: NoticeOptions, targets: readonly string[]): string | null {
  const known: readonly string[] = [...CONSOLE_TARGETS, ...targets];
  for (const kind of TOLD_KINDS) {
    const stranger = to[kind]?.find((name) => !known.includes(name));
    if (stranger !== undefined)
      return `notices.${kind} cannot name ${JSON.stringify(stranger)}: it takes ${known.join(', ')}`;
  }
  return null;
}
