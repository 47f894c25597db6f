/**
 * The maintenance switch (S39, S46): while it is on, the API answers everything signed, and new sockets, with
 * 503 SERVICE_UNAVAILABLE and the operator's sentence. Public endpoints, open sockets, consoles and orders go
 * on; requests accepted before are carried out. In memory only (`DeskCore.maintenance`).
 */
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { MaintenanceRequest } from './protocol.ts';

/** The sentence when the operator gives none. */
const GENERAL = 'the service is under maintenance; try again later';
const MESSAGE_LENGTH = 200;
/**
 * Allows no control, format, private-use, unpaired or separator characters: the text is shown in terminals
 * and logs.
 */
const PLAIN = /^[^\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]*$/u;

export function setMaintenance(
  core: DeskCore,
  { on, message }: MaintenanceRequest,
): Outcome<{ maintenance: string | null }> {
  const said = typeof message === 'string' ? message.trim() : '';
  if (said.length > MESSAGE_LENGTH) {
    return refuse('INVALID_REQUEST', `message: ${said.length} characters; at most ${MESSAGE_LENGTH}`);
  }
  if (!PLAIN.test(said)) {
    return refuse('INVALID_REQUEST', 'message: has invisible or control characters; use printable ones');
  }
  const before = core.maintenance;
  core.maintenance = on === true ? (said === '' ? GENERAL : `under maintenance: ${said}`) : null;
  if (core.maintenance !== before) {
    core.report(
      'warn',
      'api',
      core.maintenance === null
        ? 'maintenance off: the API serves'
        : `maintenance on: the API answers 503, "${core.maintenance}"`,
    );
    core.mark({ kind: 'maintenance' });
  }
  return ok({ maintenance: core.maintenance });
}
