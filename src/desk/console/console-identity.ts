/**
 * The consoles' calls about who trades an account: an owner confirms that the desk which traded it before, or
 * beside this one, is stopped. A confirmation is never undone automatically, and it is on disk before
 * anything is sent because of it.
 */
import { OWNER } from '../../domain/actor.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import { holderOf } from '../../domain/exchange.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { VenueLink } from '../core/venue-link.ts';
import type { DeskShut, Params } from './protocol.ts';

export interface IdentityDeskOptions {
  readonly core: DeskCore;
  readonly requestId: () => string;
}

export function identityHandlers(o: IdentityDeskOptions) {
  return { 'exchange.takeOver': (request: Params<'exchange.takeOver'>) => takeOver(o, request) };
}

/**
 * Returns why nothing, or no entry, is sent to an account that may belong to another desk; null: it is not
 * restricted.
 */
export function shutOf(core: DeskCore, exchange: string): DeskShut | null {
  const { others } = core.engine.memory.account(exchange);
  const { ids = [], more = false } = others ?? {};
  if (others?.state === 'paused') return { kind: 'paused', ids, more };
  const shut = core.links.get(exchange)?.gate?.shut;
  if (!shut) return null;
  return shut.kind === 'others' ? { kind: 'others', ids, more } : { kind: shut.kind, ids: [], more: false };
}

/**
 * Takes an account over. `of`: the state that the owner was shown; if it has changed since, nothing is
 * confirmed.
 */
async function takeOver(
  o: IdentityDeskOptions,
  { exchange, of }: Params<'exchange.takeOver'>,
): Promise<Outcome<null>> {
  const { core } = o;
  const link = core.links.get(exchange);
  if (!link || holderOf(link.venue.account) !== OWNER)
    return refuse('INVALID_REQUEST', `there is no account ${exchange}`, 'EXCHANGE');
  const now = shutOf(core, exchange);
  if (now?.kind !== of) {
    const text = now === null ? 'nothing of it is to be taken over' : `it is ${SHUT_WORDS[now.kind]} now`;
    return refuse('CONFLICT', `${exchange}: ${text}; nothing was done`);
  }
  if (of === 'held') confirmHeld(o, link);
  else {
    if (of === 'others') stopRuns(o, exchange);
    core.turn.step({ type: 'others-taken', exchange });
  }
  try {
    await core.turn.read(() => {});
  } catch {
    return refuse('SERVICE_UNAVAILABLE', 'it could not be stored and was not done; try again');
  }
  if (of === 'held') link.gate?.confirmed();
  link.openAgain();
  core.mark({ kind: 'accounts' });
  return ok(null);
}

const SHUT_WORDS: Readonly<Record<DeskShut['kind'], string>> = {
  another: 'another account',
  held: 'held, since its data folder was moved or copied',
  others: 'closed, since another desk has orders there',
  paused: 'paused, since another desk trades it',
};

function confirmHeld({ core }: IdentityDeskOptions, { gate, venue }: VenueLink): void {
  const text = `${venue.account.id}: that the desk which traded it before is stopped was confirmed by operator`;
  core.report('warn', 'exchange', text);
  if (gate) core.turn.store([gate.confirmation()], true);
}

/**
 * Stops the account's runs: their orders differ from what they know. Open orders stay for the owner to
 * decide.
 */
function stopRuns({ core, requestId }: IdentityDeskOptions, exchange: string): void {
  for (const { id: runId, going, parts } of [...(core.bots?.book.runs.values() ?? [])]) {
    if (!going || parts.exchange !== exchange) continue;
    const way = { cleanup: 'leaveAllOrders', force: true } as const;
    const command = { type: 'bot.stop', id: parts.botId, runId, way } as const;
    void core.execute({ kind: 'operator', user: parts.user }, command, { requestId: requestId() });
  }
}
