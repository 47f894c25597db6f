/**
 * JSON as the API reads it (D28): strict like `readJsonText`, and from bytes: invalid UTF-8 and a byte order
 * mark are refused. Objects have no prototype.
 */
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import { JsonProblem, readJsonText } from '../domain/json-text.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a request body: one JSON object. Its first byte must be `{`, so that no byte can move between target
 * and body (2.3).
 */
export function parseJsonBody(bytes: Buffer): Outcome<Record<string, unknown>> {
  if (bytes.length === 0) return refuse('INVALID_REQUEST', 'the body is empty; a JSON object is needed');
  if (bytes[0] !== 0x7b) {
    return refuse('INVALID_REQUEST', 'the body must be a JSON object: "{" expected at position 0');
  }
  return parseStrictJson(bytes) as Outcome<Record<string, unknown>>;
}

/**
 * Reads any JSON value. A refusal names what was read (`what`), the position in characters from 0, and the
 * problem.
 */
export function parseStrictJson(bytes: Buffer, what = 'the body'): Outcome<unknown> {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return refuse('INVALID_REQUEST', `${what} is not valid UTF-8 at byte ${firstBadByte(bytes)}`);
  }
  if (text.charCodeAt(0) === 0xfeff) {
    return refuse('INVALID_REQUEST', `${what} starts with a byte order mark at position 0; send plain UTF-8`);
  }
  try {
    return ok(readJsonText(text));
  } catch (error) {
    if (error instanceof JsonProblem)
      return refuse('INVALID_REQUEST', `${what} is not valid JSON: ${error.message} at position ${error.at}`);
    throw error;
  }
}

/** The index of the first byte that does not continue a valid text; only computed for the message. */
function firstBadByte(bytes: Buffer): number {
  let good = 0;
  let bad = bytes.length;
  while (good < bad) {
    const middle = Math.floor((good + bad) / 2);
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    try {
      decoder.decode(bytes.subarray(0, middle + 1), { stream: true });
      good = middle + 1;
    } catch {
      bad = middle;
    }
  }
  return good;
}
