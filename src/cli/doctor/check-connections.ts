/**
 * The doctor's check of the connections to exchanges, by what the desk reports, or by its files. It sends no
 * request to an exchange: one that has banned this machine would extend the ban.
 */
import type { AccountView, ConnectionView } from '../../desk/console/protocol.ts';
import { accountProblem } from '../status.ts';
import { type Case, type Check, type Finding, fail, fine, moment, warn } from './finding.ts';

const CHECK = 'connections';
const UNLOCK = 'outcry vault unlock';

export const checkConnections: Check = (one) => {
  const findings = [...bans(one), ...(one.desk.connections ? ofDesk(one) : ofFiles(one))];
  return findings.length > 0 ? findings : [fine(CHECK, 'none: this desk trades on paper only')];
};

function bans({ store, world }: Case): Finding[] {
  if (store.state !== 'there') return [];
  const now = world.now();
  return [...(store.facts?.bans ?? [])]
    .filter(([, until]) => until > now)
    .map(([origin, until]) =>
      fail(
        CHECK,
        `${origin} has banned this machine until ${moment(until)}: nothing is sent there`,
        'wait until then; send nothing there by other programs of this address either',
      ),
    );
}

function ofDesk({ desk }: Case): Finding[] {
  const accounts = desk.state?.accounts ?? [];
  return (desk.connections?.connections ?? []).map((connection) => {
    const own = accounts.filter(({ id }) => connection.accounts.includes(id));
    return connection.state === 'ready' ? ofReady(connection, own) : ofOther(connection);
  });
}

function ofOther({ name, state, why }: ConnectionView): Finding {
  if (state === 'locked') return fail(CHECK, `${name} waits: the vault is locked`, UNLOCK);
  if (state === 'held')
    return fail(
      CHECK,
      `${name} waits: its addresses have changed`,
      'an owner confirms them at the screen Accounts',
    );
  if (state === 'opening') return warn(CHECK, `${name} is being opened`, 'look again in a moment');
  return fail(
    CHECK,
    `${name} is closed${why === undefined ? '' : `: ${why}`}`,
    `put right what it says, or give it new keys: outcry connect ${name} --replace`,
  );
}

/** The finding for a connection whose keys are there: whether its accounts trade. */
function ofReady({ name, place }: ConnectionView, accounts: readonly AccountView[]): Finding {
  for (const account of accounts) {
    const problem = accountProblem(account);
    if (problem === null) continue;
    const text = `${account.id} does not trade: ${problem}`;
    const remedy = 'the screen Accounts says more, and so does outcry logs';
    return account.gap && account.link === 'up' ? warn(CHECK, text, remedy) : fail(CHECK, text, remedy);
  }
  return fine(CHECK, `${name} (${place}): ${accounts.map(({ id }) => id).join(', ') || 'ready'}`);
}

function ofFiles({ config, store, desk }: Case): Finding[] {
  if (desk.runs) return [warn(CHECK, 'the desk did not tell of its connections', 'look at its log')];
  if (!('options' in config)) return [];
  const names = (config.options.connections ?? []).map(({ name }) => name);
  if (names.length === 0) return [];
  const facts = store.state === 'there' ? store.facts : null;
  const list = names.join(', ');
  if (!facts)
    return [warn(CHECK, `${list}: whether there are keys is not known`, 'see what is said of the store')];
  const keyless = names.filter((name) => !facts.sealed.includes(name));
  if (keyless.length > 0)
    return [
      fail(
        CHECK,
        `there are no keys of ${keyless.join(', ')}`,
        `outcry connect NAME --replace on a desk that runs`,
      ),
    ];
  if (config.options.vaultPassphraseFile == null)
    return [
      warn(CHECK, `${list} will wait after the start: nothing opens the vault`, `${UNLOCK} after the start`),
    ];
  return [fine(CHECK, `${list}; what they do is known once a desk runs`)];
}
