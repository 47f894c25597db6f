/**
 * How much of the guards of accounts is used up: the loss of the day in words, and for the header the guard
 * nearest to its limit. Pure.
 */
import type { AccountView, DeskState } from '../../desk/console/protocol.ts';
import type { LossMeter } from '../../domain/guards.ts';
import type { InfoRow } from '../state/ui.ts';
import { amount } from '../ui/format.ts';
import { type Line, type Span, span } from '../ui/line.ts';

/** From this share on a guard is near its limit. */
export const NEAR = 0.8;

/**
 * The loss on the Accounts screen: the amount lost, its limit, and the base; or why the loss is not known.
 */
export function lossSpans(loss: LossMeter, width: number): Span[] {
  const reached =
    loss.reachedAt === null ? [] : [span('LOSS LIMIT REACHED, L lifts it', 'danger', { bold: true })];
  if (!loss.known) return [...reached, span(`loss not known: ${loss.why}`.slice(0, width), 'warn')];
  const tone = loss.reachedAt !== null ? 'danger' : shareOfLoss(loss) >= NEAR ? 'warn' : undefined;
  const since = loss.counted === loss.lost ? 'today' : 'since it was lifted';
  const lost = `lost ${money(loss.counted)} of ${money(loss.limit)} ${since}`;
  return [
    ...reached,
    span(lost, tone),
    span(`left ${money(loss.left)}`, tone),
    span(`base ${money(loss.base)}`),
  ];
}

/** An amount lost; a gain counts as zero. */
function money(text: string): string {
  return text.startsWith('-') ? '0' : amount(text, 2);
}

function shareOfLoss(loss: Extract<LossMeter, { known: true }>): number {
  const limit = Number(loss.limit);
  return limit > 0 ? Math.max(0, Number(loss.counted) / limit) : 0;
}

interface Used {
  readonly words: string;
  /** Share of the limit; 1: reached. */
  readonly share: number;
}

/** Each guard of an account that can be used up, with its share. */
function usedOf({ guards }: AccountView): Used[] {
  if (!guards?.meters) return [];
  const { set, meters } = guards;
  const used: Used[] = [];
  const add = (words: string, value: number, limit: number | null) => {
    if (limit !== null && limit > 0) used.push({ words, share: value / limit });
  };
  if (meters.position?.value != null && set.maxPositionValue !== null)
    add('position', Number(meters.position.value), Number(set.maxPositionValue));
  add('open orders', meters.openOrders, set.maxOpenOrders);
  add('orders a minute', meters.entries, set.maxOrdersPerMinute);
  if (meters.loss?.known) used.push({ words: 'loss', share: shareOfLoss(meters.loss) });
  return used;
}

/**
 * The row of a review: how full each guard of the account is, including the value of this order; empty where
 * no guard is set.
 */
export function guardRows(
  { accounts }: Pick<DeskState, 'accounts'>,
  exchange: string,
  notional: string | null | undefined,
): InfoRow[] {
  const account = accounts.find(({ id }) => id === exchange);
  if (!account) return [];
  const most = account.guards?.set.maxOrderValue ?? null;
  const own: Used[] =
    most === null || notional == null || Number(most) <= 0
      ? []
      : [{ words: 'this order', share: Number(notional) / Number(most) }];
  const used = [...own, ...usedOf(account)];
  if (used.length === 0) return [];
  const fullest = Math.max(...used.map(({ share }) => share));
  return [
    {
      name: 'guards',
      value: `${used.map(({ words, share }) => `${named(account, words)} ${Math.floor(share * 100)} %`).join(' · ')} of their limits`,
      tone: fullest >= 1 ? 'danger' : fullest >= NEAR ? 'warn' : undefined,
    },
  ];
}

/** Names the symbol: the position nearest to its limit may be in another symbol than the reviewed one. */
function named({ guards }: AccountView, words: string): string {
  const symbol = guards?.meters?.position?.symbol;
  return words === 'position' && symbol ? `position ${symbol}` : words;
}

/**
 * The badge in the header: at any width a dead-man switch whose renewal fails, or a loss limit that is
 * reached; with some room a loss that is not known, or the guard nearest to its limit if it is close; with
 * all room the nearest guard in any case.
 */
export function guardBadge({ accounts }: Pick<DeskState, 'accounts'>, room: 'all' | 'some' | 'none'): Line {
  if (accounts.some(({ deadMan }) => deadMan?.failing))
    return [
      span(room === 'none' ? ' DEAD-MAN ' : ' DEAD-MAN SWITCH ', 'danger', { inverse: true, bold: true }),
      span('  '),
    ];
  const isReached = accounts.some(({ guards }) => guards?.meters?.loss?.reachedAt != null);
  if (isReached)
    return [
      span(room === 'none' ? ' LOSS ' : ' LOSS LIMIT ', 'danger', { inverse: true, bold: true }),
      span('  '),
    ];
  if (room === 'none') return [];
  if (accounts.some(({ guards }) => guards?.meters?.loss?.known === false))
    return [span('loss not known', 'warn'), span('  ')];
  const [nearest] = accounts.flatMap(usedOf).sort((a, b) => b.share - a.share);
  if (!nearest || (nearest.share < NEAR && room !== 'all')) return [];
  const tone = nearest.share >= 1 ? 'danger' : nearest.share >= NEAR ? 'warn' : 'muted';
  return [span(`guard: ${nearest.words} ${Math.floor(nearest.share * 100)} %`, tone), span('  ')];
}
