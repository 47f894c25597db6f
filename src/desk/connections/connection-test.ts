/**
 * Tries a connection: can the exchange be reached, is the clock right, what may the key do, how does the
 * account trade. It only asks, and changes and sends nothing. An exchange that hangs or answers nonsense does
 * not delay it: each question has its time, and what cannot be read is reported.
 */
import type { AccountIdentity } from '../../domain/account-identity.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Environment } from '../../domain/connection.ts';
import { dec, ZERO } from '../../domain/decimal.ts';
import type { ExchangeBalance } from '../../domain/exchange.ts';
import { type Permissions, permissionNotices, wideRights } from '../../domain/permissions.ts';
import type { Venue, VenueSink } from '../../venues/venue.ts';
import type { ConnectionTest, TestLine } from '../console/connection-views.ts';
import { shortWords, started } from '../core/adapter-call.ts';
import { atMost } from '../core/at-most.ts';
import { rateWords } from '../core/fee-reader.ts';
import { ReadableVenue } from '../core/readable-venue.ts';

/** A question without an answer for this long has failed, ms. */
export const TEST_QUESTION_MS = 10_000;
/**
 * Requests are valid for a few seconds around their time: a clock that is further off gives a warning, one
 * even further off stops entries.
 */
const CLOCK_WARN_MS = 1_000;
const CLOCK_FAIL_MS = 5_000;
/** Most assets of a balance that are named. */
const ASSETS_SHOWN = 4;

export interface TestGiven {
  /** Accounts of one connection; closed when the test is done. */
  readonly venues: readonly Venue[];
  readonly environment: Environment;
  readonly clock: Clock;
}

/** Returns the results in the order of the questions, and what else was learned. */
export async function testConnection({ venues, environment, clock }: TestGiven): Promise<ConnectionTest> {
  const parts = await Promise.all(venues.map((venue) => testAccount(venue, environment, clock)));
  const ids = new Set(parts.flatMap(({ identity }) => (identity ? [identity.id] : [])));
  return {
    lines: parts.flatMap(({ lines }) => lines),
    rights: [...new Set(parts.flatMap(({ permissions }) => (permissions ? wideRights(permissions) : [])))],
    identities: Object.fromEntries(
      parts.flatMap(({ exchange, identity }) => (identity ? [[exchange, identity] as const] : [])),
    ),
    account: ids.size === 0 ? null : [...ids].join(' and '),
    passed: parts.every(({ lines }) => lines.every(({ level }) => level !== 'fail')),
  };
}

interface AccountTest {
  readonly exchange: string;
  readonly lines: TestLine[];
  readonly identity: AccountIdentity | null;
  readonly permissions: Permissions | null;
}

async function testAccount(raw: Venue, environment: Environment, clock: Clock): Promise<AccountTest> {
  const { id: exchange } = raw.account;
  const lines: TestLine[] = [];
  const say = (name: string, level: TestLine['level'], text: string, todo?: string) =>
    lines.push({ exchange, name, level, text, ...(todo === undefined ? {} : { todo }) });
  const unread: string[] = [];
  const venue = new ReadableVenue(raw, { clock, report: (_, text) => unread.push(text) });
  const ask = <T>(run: () => Promise<T | null>) => question(clock, run);
  try {
    const reached = await question(clock, async () => {
      await venue.open(DEAF);
      return true;
    });
    if (reached.answer === null) {
      const why = reached.why ?? 'it gave no answer';
      say(
        'reachable',
        'fail',
        why,
        'look at the network, at the addresses, and at the key and its allowed addresses',
      );
      return { exchange, lines, identity: null, permissions: null };
    }
    say('reachable', 'ok', `${venue.instruments().length} symbols are traded`);
    tellClock(venue, say);
    const identity = venue.tellsIdentity ? (await ask(() => venue.identity())).answer : null;
    if (identity) say('account', 'ok', accountWords(identity));
    else if (venue.tellsIdentity)
      say(
        'account',
        'fail',
        'it has not said which account it is',
        'try again; the key must be allowed to read',
      );
    const permissions = await tellPermissions(venue, environment, clock, ask, say);
    await tellMode(venue, ask, say);
    await tellBalances(venue, ask, say);
    if (venue.tellsFees) {
      const { answer: rates } = await ask(() => venue.feeRates());
      if (rates) say('fees', 'ok', `maker ${rateWords(rates.maker)}, taker ${rateWords(rates.taker)}`);
      else say('fees', 'warn', 'not known', 'the highest public ones are reckoned with until they are');
    }
    if (unread.length > 0) say('answers', 'warn', unread[0] ?? '', 'what cannot be read is left out');
    return { exchange, lines, identity, permissions };
  } finally {
    await atMost(
      clock,
      TEST_QUESTION_MS,
      started(() => venue.close()),
    ).catch(() => {});
  }
}

type Say = (name: string, level: TestLine['level'], text: string, todo?: string) => void;
type Ask = <T>(run: () => Promise<T | null>) => Promise<Answered<T>>;

function accountWords({ id, mainId }: AccountIdentity): string {
  return mainId === undefined || mainId === id ? `account ${id}` : `account ${id} of ${mainId}`;
}

function tellClock(venue: ReadableVenue, say: Say): void {
  const offset = venue.health().clockOffsetMs;
  if (offset === null) return;
  const far = Math.abs(offset);
  const words = `${Math.round(far)} ms ${offset < 0 ? 'behind' : 'ahead of'} this machine`;
  const todo = "set this machine's clock by NTP";
  if (far > CLOCK_FAIL_MS) say('clock', 'fail', words, todo);
  else if (far > CLOCK_WARN_MS) say('clock', 'warn', words, todo);
  else say('clock', 'ok', words);
}

async function tellPermissions(
  venue: ReadableVenue,
  environment: Environment,
  clock: Clock,
  ask: Ask,
  say: Say,
): Promise<Permissions | null> {
  const told = venue.tellsPermissions ? (await ask(() => venue.permissions())).answer : null;
  if (!told) {
    // Where there is no real money, nothing can be taken.
    if (environment !== 'live')
      say('permissions', 'warn', `the ${environment} does not say what the key may do`);
    else
      say(
        'permissions',
        'fail',
        'the exchange has not said what the key may do',
        'try again; a key that nobody knows the rights of is not used',
      );
    return null;
  }
  if (told.trade) say('permissions', 'ok', 'the key may trade');
  else say('permissions', 'fail', 'the key may not trade', 'allow trading for it at the exchange');
  const wide = wideRights(told);
  if (wide.length > 0)
    say(
      'permissions',
      'warn',
      `the key may ${wide.join(' and ')}`,
      'take that from it at the exchange: Outcry needs neither',
    );
  for (const text of permissionNotices(venue.account.id, told, clock.wall())) say('key', 'warn', text);
  return told;
}

async function tellMode(venue: ReadableVenue, ask: Ask, say: Say): Promise<void> {
  const { futures } = venue;
  if (!futures) return;
  const { answer: hedge } = await ask(() => futures.hedgeMode());
  if (hedge === null) say('position mode', 'fail', 'could not be read', 'try again');
  else say('position mode', 'ok', hedge ? 'hedge: long and short side by side' : 'one-way');
  const { answer: mode } = await ask(() => futures.marginMode());
  if (mode === 1) say('margin mode', 'ok', 'mode 1, single-asset');
  else if (mode !== null)
    say(
      'margin mode',
      'warn',
      `mode ${mode}: nothing new is opened in it`,
      'set margin mode 1 for the account',
    );
}

async function tellBalances(venue: ReadableVenue, ask: Ask, say: Say): Promise<void> {
  const { answer: balances } = await ask(() => venue.balances());
  if (!balances) {
    say('balance', 'fail', 'could not be read', 'try again; the key must be allowed to read');
    return;
  }
  const held = balances.filter((one) => sumOf(one) > ZERO);
  if (held.length === 0)
    say('balance', 'warn', 'nothing is there', 'move something to this account to trade with');
  else {
    const shown = held.slice(0, ASSETS_SHOWN).map(({ asset, free }) => `${free} ${asset}`);
    const more = held.length > shown.length ? ` and ${held.length - shown.length} more` : '';
    say('balance', 'ok', `free: ${shown.join(', ')}${more}`);
  }
}

function sumOf({ free, locked }: ExchangeBalance) {
  return dec(free) + dec(locked);
}

interface Answered<T> {
  readonly answer: T | null;
  readonly why?: string;
}

/** Asks one question. Null: it failed, hung or threw. */
function question<T>(clock: Clock, run: () => Promise<T | null>): Promise<Answered<T>> {
  return new Promise((resolve) => {
    const timer = clock.after(TEST_QUESTION_MS, () =>
      resolve({ answer: null, why: `no answer within ${TEST_QUESTION_MS / 1_000} s` }),
    );
    started(run).then(
      (answer) => {
        timer.cancel();
        resolve({ answer });
      },
      (error: unknown) => {
        timer.cancel();
        resolve({ answer: null, why: shortWords(error) });
      },
    );
  });
}

/** Ignores what is reported during a test. */
const DEAF: VenueSink = { order() {}, fill() {}, balances() {}, stream() {} };
