/** Exchange accounts in requests: every unknown one is refused with the valid ones named (S23). Pure. */
import type { ApiDesk } from '../desk/api-port.ts';
import { refuse } from '../domain/errors.ts';
import { quoted } from './text.ts';

/** For sentences: `one of paper-spot, paper-futures`. */
export function exchangeChoices(desk: ApiDesk): string {
  const ids = desk.accounts().map((account) => account.id);
  return ids.length === 0 ? 'a connected exchange account (none is connected)' : `one of ${ids.join(', ')}`;
}

/** The refusal of an exchange that is not connected; null when it is, or when none is named. */
export function unknownExchange(
  desk: ApiDesk,
  exchange: string | undefined,
): ReturnType<typeof refuse> | null {
  if (exchange === undefined || desk.accounts().some((account) => account.id === exchange)) return null;
  return refuse(
    'INVALID_REQUEST',
    `exchange must be ${exchangeChoices(desk)}, got ${quoted(exchange)}`,
    'EXCHANGE',
  );
}
