/**
 * The maintenance switch (S39, S46): while it is on, the API answers everything signed, and new sockets, with 503
 * SERVICE_UNAVAILABLE and the operator's sentence. What is public, sockets that stand and the consoles go on, and so do
 * the orders; what was asked before is carried out. In memory only (`DeskCore.maintenance`).
 */
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { MaintenanceRequest } from './protocol.ts';

/** What is told when the operator says nothing more. */
const GENERAL = 'the service is under maintenance; try again later';
const MESSAGE_LENGTH = 200;
/** No control, format, private-use, unpaired or separator characters: it is shown in terminals and logs. */
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
