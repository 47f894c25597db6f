/**
 * Notices: what a person is told of without having asked a bot for it (docs/notices.md), and where each kind of it goes. Pure.
 */

/** In the order in which the documentation has them. */
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

/** What the table `[notices]` has a place for: each kind of notice, and the price alerts that a person sets. */
export const TOLD_KINDS = [...NOTICE_KINDS, 'price_alert'] as const;

export type ToldKind = (typeof TOLD_KINDS)[number];

/** Where one can go without a target of the configuration: the consoles of the desk, in three ways. */
export const CONSOLE_TARGETS = ['console', 'bell', 'osc9'] as const;

export interface NoticeSettings {
  /** `console`, `bell`, `osc9` and names of targets; empty: nobody is told. The consoles show a price alert in any case. */
  readonly to: Readonly<Record<ToldKind, readonly string[]>>;
  /** Percent of the mark price: a liquidation that near is told. */
  readonly liquidationPercent: number;
  /** Percent of a limit: a guard so full is told. */
  readonly guardPercent: number;
  /** Also of orders that bots have placed. */
  readonly ofBots: boolean;
}

/** What may be left out. */
export type NoticeOptions = Partial<Omit<NoticeSettings, 'to'>> & {
  readonly to?: Partial<NoticeSettings['to']>;
};

const CONSOLE: readonly string[] = ['console'];

/** Fills are many, and seen where they happen: they are told to who chooses so. */
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

/** The first thing wrong with where notices go; null: nothing is. */
export function noticesProblem({ to = {} }: NoticeOptions, targets: readonly string[]): string | null {
  const known: readonly string[] = [...CONSOLE_TARGETS, ...targets];
  for (const kind of TOLD_KINDS) {
    const stranger = to[kind]?.find((name) => !known.includes(name));
    if (stranger !== undefined)
      return `notices.${kind} cannot name ${JSON.stringify(stranger)}: it takes ${known.join(', ')}`;
  }
  return null;
}
