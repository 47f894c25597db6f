/**
 * The log lines of a terminal's panic: that it begins, stored before anything of it is done, and its outcome.
 * Orders, bots and positions are handled by their own commands; nothing is done here.
 */
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { PanicNote, PanicPart } from './protocol.ts';

const WORDS: Readonly<Record<PanicPart, string>> = {
  holdings: 'sell what bots hold on spot',
  bots: 'stop all bots',
  orders: 'cancel all orders',
  positions: 'close all positions',
};

export async function notePanic(core: DeskCore, note: PanicNote): Promise<Outcome<null>> {
  const text = noteText(note);
  if (text === null)
    return refuse(
      'INVALID_REQUEST',
      `a panic names its parts (${Object.keys(WORDS).join(', ')}), and its end whole numbers from 0 up`,
    );
  try {
    await core.recorded('warn', 'desk', text);
    return ok(null);
  } catch {
    return refuse('SERVICE_UNAVAILABLE', 'the line of the panic could not be stored');
  }
}

function noteText(note: PanicNote): string | null {
  if (note.phase === 'start') {
    const known = Array.isArray(note.parts) && note.parts.length > 0 && note.parts.every(isPart);
    if (!known) return null;
    const what = note.parts.map((part) => WORDS[part]).join(', ');
    return `panic${note.again === true ? ' for what failed, again' : ''}: ${what}, asked by operator`;
  }
  const { all, done, failed } = note;
  if (note.phase !== 'end' || ![all, done, failed].every(isCount)) return null;
  return `panic over: ${done} of ${all} done${failed > 0 ? `, ${failed} failed` : ''}`;
}

function isPart(part: unknown): part is PanicPart {
  return typeof part === 'string' && Object.hasOwn(WORDS, part);
}

function isCount(count: unknown): boolean {
  return Number.isSafeInteger(count) && (count as number) >= 0;
}
