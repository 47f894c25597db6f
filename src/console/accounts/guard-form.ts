/** The guards of an account on Accounts: their form, what it would change, the lines that show them. Pure. */
import type { AccountView, DeskState } from '../../desk/console/protocol.ts';
import { changedGuards, type GuardName, type Guards, guardText, NO_GUARDS } from '../../domain/guards.ts';
import type { InfoRow } from '../state/ui.ts';
import { lossSpans, NEAR } from '../trading/guard-meters.ts';
import { exact, read } from '../ui/format.ts';
import { type Line, lineWidth, type Span, span } from '../ui/line.ts';
import type { AccountField, AccountForm } from './account-forms.ts';

const LABELS: Readonly<Record<GuardName, string>> = {
  maxOrderValue: 'order USDT',
  maxPositionValue: 'symbol USDT',
  maxOpenOrders: 'open orders',
  maxOrdersPerMinute: 'a minute',
  priceBand: 'band %',
  dailyLossLimit: 'loss a day %',
  symbols: 'symbols',
  deadManSeconds: 'dead-man s',
};

const HINTS: Readonly<Record<GuardName, string>> = {
  maxOrderValue: 'what one entry may be worth; off: no limit',
  maxPositionValue: 'position and entries of a symbol together; off: no limit',
  maxOpenOrders: 'with so many orders open no entry is added; off: no limit',
  maxOrdersPerMinute: 'entries sent within a minute; off: no limit',
  priceBand: 'how far a limit may be on the losing side; off: any price',
  dailyLossLimit: 'of the worth at 00:00; then nothing is entered; off: no limit',
  symbols: 'the only ones that may be entered; off: all',
  deadManSeconds: 'the exchange ends open orders when it hears nothing of this desk so long; off: never',
};

const NAMES = Object.keys(NO_GUARDS) as GuardName[];

export const GUARD_FIELDS: readonly AccountField[] = NAMES.map((name) => ({
  id: name,
  label: LABELS[name],
  hint: HINTS[name],
}));

function setOf(state: Pick<DeskState, 'accounts'>, exchange: string): Guards {
  return state.accounts.find(({ id }) => id === exchange)?.guards?.set ?? NO_GUARDS;
}

/** The first values of the form. */
export function guardValues(state: Pick<DeskState, 'accounts'>, exchange: string): Record<string, string> {
  const set = setOf(state, exchange);
  return Object.fromEntries(NAMES.map((name) => [name, guardText(set[name])]));
}

/** Returns the form's action, or the first problem of its values, as the desk itself checks it. */
export function readGuards({ exchange, values }: AccountForm, state: DeskState) {
  const before = setOf(state, exchange);
  const known = new Set(
    state.instruments.filter((one) => one.exchange === exchange).map(({ symbol }) => symbol),
  );
  const change: Record<string, Guards[GuardName]> = {};
  for (const name of NAMES) {
    const value = typedValue(name, values[name] ?? '');
    if (guardText(value) === guardText(before[name])) continue;
    const read = changedGuards(before, { [name]: value }, known);
    if (!read.ok) {
      const message = read.error.message.slice(name.length + 2);
      return { problem: { field: name, message } };
    }
    change[name] = value;
  }
  if (Object.keys(change).length === 0)
    return { problem: { field: NAMES[0] as string, message: 'nothing is changed' } };
  return { action: { type: 'guards', exchange, change: change as Partial<Guards> } as const };
}

function typedValue(name: GuardName, typed: string): Guards[GuardName] {
  const text = typed.trim();
  if (text === '' || text.toLowerCase() === 'off') return null;
  switch (name) {
    case 'maxOpenOrders':
    case 'maxOrdersPerMinute':
    case 'deadManSeconds':
      return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    case 'symbols':
      return text.split(/[\s,]+/).filter((one) => one !== '');
    default:
      return text;
  }
}

/** The rows of the confirmation: each guard before and after; a change that allows more is marked. */
export function guardRows(
  state: Pick<DeskState, 'accounts'>,
  exchange: string,
  change: Partial<Guards>,
): InfoRow[] {
  const before = setOf(state, exchange);
  return NAMES.filter((name) => change[name] !== undefined).map((name) => ({
    name: LABELS[name],
    value: `${guardText(before[name])} → ${guardText(change[name] ?? null)}`,
    tone: change[name] === null ? ('danger' as const) : ('warn' as const),
  }));
}

const GAP = ' · ';

/**
 * Writes the guards, in as many lines as needed:
 * `order up to 1,000 · position 62 % of 5,000 · open 14/200 · 3/120 a minute · band 10 %`.
 */
export function guardLines(
  { set, meters }: NonNullable<AccountView['guards']>,
  width: number,
): readonly Line[] {
  const lines: Span[][] = [[]];
  for (const part of meters ? partsOf(set, meters, width) : []) {
    const line = lines.at(-1) as Span[];
    if (line.length > 0 && lineWidth([...line, part]) + GAP.length > width) lines.push([part]);
    else line.push(...(line.length > 0 ? [span(GAP, 'muted'), part] : [part]));
  }
  return lines;
}

function partsOf(
  set: Guards,
  meters: NonNullable<NonNullable<AccountView['guards']>['meters']>,
  width: number,
): Span[] {
  const parts: Span[] = [];
  if (set.maxOrderValue !== null) parts.push(span(`order up to ${exact(set.maxOrderValue)}`));
  if (set.maxPositionValue !== null) {
    const value = meters.position?.value;
    const share = value === null ? null : Number(read(value ?? '0')) / Number(read(set.maxPositionValue));
    const used = share === null ? 'not known' : `${Math.ceil(share * 100)} %`;
    parts.push(span(`position ${used} of ${exact(set.maxPositionValue)}`, toneOf(share ?? 1)));
  }
  if (set.maxOpenOrders !== null) parts.push(meter('open ', meters.openOrders, set.maxOpenOrders, ''));
  if (set.maxOrdersPerMinute !== null)
    parts.push(meter('', meters.entries, set.maxOrdersPerMinute, ' a minute'));
  if (meters.loss) parts.push(...lossSpans(meters.loss, width));
  if (set.priceBand !== null) parts.push(span(`band ${set.priceBand} %`));
  if (set.symbols !== null) {
    const all = `only ${set.symbols.join(' ')}`;
    parts.push(span(all.length > width ? `only ${set.symbols.length} symbols` : all));
  }
  return parts;
}

function meter(before: string, used: number, limit: number, after: string): Span {
  return span(`${before}${used}/${limit}${after}`, toneOf(used / limit));
}

function toneOf(share: number): 'warn' | undefined {
  return share >= NEAR ? 'warn' : undefined;
}
