/**
 * The consoles' calls about exchange accounts and the feed: settings, balances, faults and reset of the
 * embedded exchanges, the feed's speed, an immediate comparison with the exchange. Each request is in the
 * log, on disk, before it is carried out.
 */
import { OWNER } from '../../domain/actor.ts';
import type { Dec } from '../../domain/decimal.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import { holderOf, walletOf } from '../../domain/exchange.ts';
import { byCodePoint } from '../../domain/market-name.ts';
import { mayBeOpen } from '../../domain/order.ts';
import type { ExchangePosition } from '../../domain/position.ts';
import { valuation } from '../../engine/balances.ts';
import type { AccountMemory } from '../../engine/memory.ts';
import { unconfirmed } from '../../engine/permissions.ts';
import { joinWallet } from '../../engine/wallet.ts';
import type { MarketDriver } from '../../market/driver.ts';
import type { PaperVenue } from '../../venues/paper/paper-venue.ts';
import type { DeskCore } from '../core/desk-core.ts';
import { type AllPaperSettings, changeWords, settingsRows } from '../paper/paper-settings.ts';
import { CHANCE_FAULTS } from './call-params.ts';
import type { ClockView, PaperView, Params, Result, StandingFaults } from './protocol.ts';

export interface PaperDeskOptions {
  readonly core: DeskCore;
  readonly driver: MarketDriver;
  readonly venues: readonly PaperVenue[];
  readonly settings: AllPaperSettings;
  readonly clockView: () => ClockView;
  /** Cancels these orders of the operator, and resolves when each is answered. */
  readonly cancel: (ids: readonly string[]) => Promise<unknown>;
  /**
   * Books a payment in US dollars (negative: out), so that it is no profit of the day. Resolves once that is
   * stored.
   */
  readonly paid: (usd: Dec, wallet: string) => Promise<void>;
}

const FAULTS: readonly (keyof StandingFaults)[] = ['rejectNth', ...CHANCE_FAULTS];
const MOST_NTH = 1_000_000;
/** Accepts any amount that a wallet of a paper account could need. */
const AMOUNT = /^\d{1,15}(\.\d{1,18})?$/;

/** Returns what a terminal sees of an embedded exchange; null when `exchange` is none. */
export function paperViewOf(
  { venues, settings }: Pick<PaperDeskOptions, 'venues' | 'settings'>,
  exchange: string,
): PaperView | null {
  const venue = venues.find(({ account }) => account.id === exchange);
  if (!venue) return null;
  const { mix, toCome } = venue.faults;
  const on = FAULTS.filter((name) => mix[name] > 0).map((name) => [name, mix[name]] as const);
  return { ...settings.of(exchange), faults: Object.fromEntries(on), faultsToCome: toCome };
}

export function paperHandlers(o: PaperDeskOptions) {
  return {
    'feed.speed': ({ speed }: Params<'feed.speed'>) => setSpeed(o, speed),
    'exchange.confirmRights': (request: Params<'exchange.confirmRights'>) => confirmRights(o, request),
    'exchange.reconcile': ({ exchange }: Params<'exchange.reconcile'>) => reconcile(o, exchange),
    'paper.configure': (request: Params<'paper.configure'>) => configure(o, request),
    'paper.balance': (request: Params<'paper.balance'>) => setBalance(o, request),
    'paper.reset': ({ exchange }: Params<'paper.reset'>) => reset(o, exchange),
    'paper.faults': (request: Params<'paper.faults'>) => setFaults(o, request),
  };
}

/** Returns the operator's own embedded exchange, or the refusal. */
function venueOf({ venues }: PaperDeskOptions, exchange: string): Outcome<PaperVenue> {
  const venue = venues.find(({ account }) => account.id === exchange && holderOf(account) === OWNER);
  return venue ? ok(venue) : refuse('INVALID_REQUEST', `${exchange} is no paper exchange`, 'EXCHANGE');
}

/** Logs what is about to be done; resolves when that is on disk. */
async function recorded(
  { core, settings }: PaperDeskOptions,
  exchange: string,
  text: string,
): Promise<Outcome<null>> {
  core.report('warn', 'exchange', `${exchange}: ${text}, asked by operator`);
  // The log line goes with the next commit, which this forces.
  core.turn.store(settingsRows(exchange, settings.of(exchange)), true);
  return committed(core);
}

/** Resolves when everything in the present commit is on disk. */
async function committed(core: PaperDeskOptions['core']): Promise<Outcome<null>> {
  try {
    await core.turn.read(() => {});
    return ok(null);
  } catch {
    return refuse('SERVICE_UNAVAILABLE', 'the change could not be stored and was not made; try again');
  }
}

function setSpeed({ core, driver, clockView }: PaperDeskOptions, speed: number | 'max'): Outcome<ClockView> {
  const known = speed === 'max' || (typeof speed === 'number' && speed > 0 && speed <= MAX_SPEED);
  if (!known) return refuse('INVALID_REQUEST', `the speed must be above 0 and at most ${MAX_SPEED}, or max`);
  if (driver.live) {
    const text =
      'this market runs with the clock; start the desk with --speed, or on a replay (--feed), to change it';
    return refuse('INVALID_REQUEST', text);
  }
  const before = driver.speed;
  driver.setSpeed(speed);
  if (before !== speed) core.report('info', 'feed', `speed ${before} to ${speed}, asked by operator`);
  core.mark({ kind: 'clock' });
  return ok(clockView());
}

const MAX_SPEED = 1_000_000;

async function reconcile(
  { core }: PaperDeskOptions,
  exchange: string,
): Promise<Result<'exchange.reconcile'>> {
  const link = core.links.get(exchange);
  if (!link || holderOf(link.venue.account) !== OWNER) {
    return refuse('INVALID_REQUEST', `there is no account ${exchange}`, 'EXCHANGE');
  }
  core.report('info', 'exchange', `${exchange}: compared with the exchange, asked by operator`);
  await link.reconcile();
  return link.reconciled ? ok(link.reconciled) : refuse('SERVICE_UNAVAILABLE', `${exchange} gave no answer`);
}

/**
 * Confirms rights of a key. A right that the key has lost is refused: otherwise it would count as confirmed,
 * unseen, if it came back.
 */
async function confirmRights(
  { core }: PaperDeskOptions,
  { exchange, rights }: Params<'exchange.confirmRights'>,
): Promise<Outcome<null>> {
  const link = core.links.get(exchange);
  if (!link || holderOf(link.venue.account) !== OWNER) {
    return refuse('INVALID_REQUEST', `there is no account ${exchange}`, 'EXCHANGE');
  }
  const open = unconfirmed(core.engine.memory.account(exchange));
  const gone = rights.filter((right) => !open.includes(right));
  if (rights.length === 0 || gone.length > 0) {
    const text = `the key of ${exchange} has ${open.join(' and ') || 'nothing'} to be confirmed, not ${gone.join(' and ') || 'nothing'}`;
    return refuse('CONFLICT', text);
  }
  core.turn.step({ type: 'permissions-confirmed', exchange, rights });
  core.mark({ kind: 'accounts' });
  return committed(core);
}

async function configure(
  o: PaperDeskOptions,
  { exchange, change }: Params<'paper.configure'>,
): Promise<Result<'paper.configure'>> {
  const venue = venueOf(o, exchange);
  if (!venue.ok) return venue;
  const before = o.settings.of(exchange);
  const next = o.settings.changed(venue.data.account, change);
  if (!next.ok) return next;
  const words = changeWords(before, next.data);
  if (words === '') {
    // The same change from another terminal may be on its way to the store.
    const there = await committed(o.core);
    return there.ok ? next : there;
  }
  o.settings.set(exchange, next.data);
  const stored = await recorded(o, exchange, words);
  if (!stored.ok) {
    o.settings.undo(exchange);
    return stored;
  }
  o.settings.stored(exchange);
  venue.data.configure(o.settings.of(exchange));
  o.core.mark({ kind: 'accounts' });
  return next;
}

async function setBalance(
  o: PaperDeskOptions,
  { exchange, asset, amount }: Params<'paper.balance'>,
): Promise<Outcome<null>> {
  const venue = venueOf(o, exchange);
  if (!venue.ok) return venue;
  const futures = venue.data.account.kind === 'futures';
  const assets = new Set(
    venue.data.instruments().flatMap(({ base, quote }) => (futures ? [quote] : [base, quote])),
  );
  if (!assets.has(asset)) {
    const known = [...assets].sort(byCodePoint).slice(0, 5).join(', ');
    return refuse('INVALID_REQUEST', `${exchange} has no ${JSON.stringify(asset)}; it has ${known}`);
  }
  if (typeof amount !== 'string' || !AMOUNT.test(amount)) {
    return refuse('INVALID_REQUEST', 'amount: a number of at least 0 in plain digits, such as 2500.50');
  }
  const stored = await recorded(o, exchange, `free ${asset} set to ${amount}`);
  if (!stored.ok) return stored;
  return paying(o, exchange, () => venue.data.setBalance(asset, amount));
}

async function reset(o: PaperDeskOptions, exchange: string): Promise<Outcome<null>> {
  const venue = venueOf(o, exchange);
  if (!venue.ok) return venue;
  const { engine } = o.core;
  const busy = botsOn(o, exchange);
  if (!busy.ok) return busy;
  const stored = await recorded(o, exchange, 'reset to a new account');
  if (!stored.ok) return stored;
  const open = [...engine.memory.orders.values()].filter(
    (order) => order.exchange === exchange && order.user === OWNER && mayBeOpen(order),
  );
  await o.cancel(open.map(({ id }) => id));
  // A bot may have started meanwhile.
  const still = botsOn(o, exchange);
  if (!still.ok) return still;
  return paying(o, exchange, async () => {
    const gone = [...(engine.memory.account(exchange).futures?.positions ?? [])];
    if (!(await venue.data.reset())) return false;
    noteGone(o, exchange, gone);
    return true;
  });
}

/** Notes in the ledger that positions are gone: no fill has closed them. */
function noteGone(
  { core, driver }: PaperDeskOptions,
  exchange: string,
  positions: readonly (readonly [string, ExchangePosition])[],
): void {
  const { wallet, account, instruments } = core.engine.memory.account(exchange);
  const time = driver.marketTime;
  const rows = positions.map(([key, { symbol, side }]) => {
    const of = { exchange: wallet.name, user: holderOf(account), time, symbol, posSide: side };
    const asset = instruments.get(symbol)?.base ?? symbol;
    const record = {
      ...of,
      id: `desk gone ${key} ${core.turn.now().wall}`,
      asset,
      amount: '0',
      cost: '0',
      kind: 'position',
    } as const;
    return { kind: 'ledger', record } as const;
  });
  core.turn.store(rows, true);
}

/** Refuses while bots run on an account. */
function botsOn({ core: { bots } }: PaperDeskOptions, exchange: string): Outcome<null> {
  const running = [...(bots?.book.of(OWNER) ?? [])].filter(
    (bot) => bot.exchange === exchange && bots?.book.running(bot),
  ).length;
  if (running === 0) return ok(null);
  const text = `${running} bot${running === 1 ? ' runs' : 's run'} on ${exchange}; stop ${running === 1 ? 'it' : 'them'} first`;
  return refuse('INVALID_REQUEST', text);
}

/**
 * Returns a copy of the account with its present holdings, in a wallet of its own; its prices go on changing.
 */
function holdingsOf(account: AccountMemory): AccountMemory {
  const { futures } = account;
  const wallet = { ...account.wallet, balances: new Map(account.wallet.balances), accounts: [] };
  const held = {
    ...account,
    wallet,
    futures: futures && { ...futures, positions: new Map(futures.positions) },
  };
  joinWallet(held);
  return held;
}

/** Changes a wallet from outside; afterwards the engine knows the change, and it is no profit of the day. */
async function paying(
  o: PaperDeskOptions,
  exchange: string,
  run: () => Promise<boolean>,
): Promise<Outcome<null>> {
  const account = () => o.core.engine.memory.account(exchange);
  const before = holdingsOf(account());
  if (!(await run())) {
    return refuse('SERVICE_UNAVAILABLE', `${exchange} could not store the change; try again`);
  }
  await o.core.links.get(exchange)?.reconcile();
  // Both are valued at present prices: a change of prices meanwhile is no payment.
  const worth = (held: AccountMemory) => valuation([held]).usd;
  await o.paid(worth(account()) - worth(before), walletOf(account().account));
  o.core.mark({ kind: 'portfolio', exchange });
  o.core.mark({ kind: 'equity' });
  o.core.mark({ kind: 'wallets' });
  return ok(null);
}

async function setFaults(
  o: PaperDeskOptions,
  { exchange, change = {}, heal }: Params<'paper.faults'>,
): Promise<Outcome<null>> {
  const venue = venueOf(o, exchange);
  if (!venue.ok) return venue;
  const wanted: { -readonly [Name in keyof StandingFaults]?: number } = {};
  for (const name of FAULTS) {
    const value = change[name];
    if (value === undefined) continue;
    const problem = faultProblem(name, value);
    if (problem !== null) return refuse('INVALID_REQUEST', problem);
    wanted[name] = value;
  }
  const parts = Object.entries(wanted).map(([name, value]) => `${name} ${value}`);
  const words = [...(heal === true ? ['all off'] : []), ...parts].join(', ');
  if (words === '') return ok(null);
  const stored = await recorded(o, exchange, `faults: ${words}`);
  if (!stored.ok) return stored;
  if (heal === true) venue.data.faults.heal();
  if (parts.length > 0) venue.data.faults.set(wanted);
  return ok(null);
}

function faultProblem(name: keyof StandingFaults, value: number): string | null {
  if (name === 'rejectNth') {
    const right = Number.isSafeInteger(value) && value >= 0 && value <= MOST_NTH;
    return right ? null : `rejectNth must be a whole number from 0 to ${MOST_NTH}`;
  }
  return typeof value === 'number' && value >= 0 && value <= 1 ? null : `${name} must be from 0 to 1`;
}
