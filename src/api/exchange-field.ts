/**
 * Exchange accounts in requests: an unknown one is refused with a list of the user's own (S23). Another
 * user's account counts as unknown (S27). Pure.
 */
import type { ApiDesk } from '../desk/api/api-port.ts';
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import { defaultAccount, type ExchangeAccount, venueOf } from '../domain/exchange.ts';
import { quoted } from './text.ts';

/** The choices for a sentence: `one of paper-spot, paper-futures`. */
export function exchangeChoices(desk: ApiDesk, user: string): string {
  const ids = desk.accounts(user).map((account) => account.id);
  return ids.length === 0 ? 'a connected exchange account (none is connected)' : `one of ${ids.join(', ')}`;
}

/** The refusal of an exchange that is not connected; null when it is connected, or none is named. */
export function unknownExchange(
  desk: ApiDesk,
  user: string,
  exchange: string | undefined,
): ReturnType<typeof refuse> | null {
  if (exchange === undefined || desk.accounts(user).some((account) => account.id === exchange)) return null;
  return refuse(
    'INVALID_REQUEST',
    `exchange must be ${exchangeChoices(desk, user)}, got ${quoted(exchange)}`,
    'EXCHANGE',
  );
}

/**
 * The account that a read is about: the named one, else the spot or futures account of the first venue
 * (specification, "Portfolio").
 */
export function chosenExchange(
  desk: ApiDesk,
  user: string,
  named: string | undefined,
  kind: ExchangeAccount['kind'],
): Outcome<string> {
  if (named !== undefined) return unknownExchange(desk, user, named) ?? ok(named);
  const accounts = desk.accounts(user);
  const found = defaultAccount(accounts, kind);
  if (found !== undefined) return ok(found.id);
  const ofKind = accounts.filter((account) => account.kind === kind);
  const message =
    ofKind.length === 0
      ? `no ${kind} account is connected; name an exchange`
      : `${venueOf(accounts[0])} has no ${kind} account; name an exchange, such as ${ofKind[0]?.id}`;
  return refuse('INVALID_REQUEST', message, 'EXCHANGE');
}
