/**
 * How far a connection may go: compares what its keys were sealed for with what the configuration says now.
 */
import type { Vault } from '../../access/vault/vault.ts';
import { type Prepared, type Stage, sealedUse } from './entry.ts';
import { OpenSecrets } from './open-secrets.ts';

/** The part of the vault that connections need. */
export type ConnectionVault = Pick<
  Vault,
  'state' | 'seal' | 'open' | 'sealedFor' | 'fieldsOf' | 'connections' | 'reseal' | 'forget' | 'onChanged'
>;

/** Returns the stage, with the credentials if it is open; the caller wipes them. */
export function stageOf(vault: ConnectionVault, prepared: Prepared): Stage {
  const { connection, origins, kind } = prepared;
  const { name, venue, environment } = connection;
  const sealed = vault.sealedFor(name);
  if (!sealed) return closed(`there are no keys of ${name}: outcry connect ${name} --replace gives it some`);
  if (sealed.venue !== venue || sealed.environment !== environment)
    return closed(
      `its keys are of ${sealed.venue} ${sealed.environment}, and config.toml says ${venue} ${environment}: put that right`,
    );
  if (sealed.origins.join() !== origins.join()) {
    const why = `the addresses of ${name} changed: ${sealed.origins.join(' ')} before, ${origins.join(' ')} now; confirm them on Accounts, or put them back`;
    return { at: 'closed', why, from: sealed.origins };
  }
  if (vault.state !== 'open') return { at: 'locked' };
  const fields = new Map<string, Buffer>();
  for (const { name: field } of kind.credentials) {
    const opened = vault.open(name, field, sealedUse(prepared, field));
    if (opened.ok) {
      fields.set(field, opened.secret);
      continue;
    }
    for (const secret of fields.values()) secret.fill(0);
    if (opened.why === 'locked') return { at: 'locked' };
    return closed(
      `its ${field} is not in the vault as it was put there: outcry connect ${name} --replace gives it another`,
    );
  }
  return { at: 'open', secrets: new OpenSecrets(fields) };
}

function closed(why: string): Stage {
  return { at: 'closed', why };
}
