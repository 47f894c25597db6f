/**
 * Reads a client's WebSocket messages: bytes in, a checked message or its refusal out (specification, "Client
 * messages"). The session decides which message is allowed when. Strict JSON as for bodies (D28), no
 * coercion. Pure.
 */

import { closest } from '../../domain/did-you-mean.ts';
import { STREAM_CHANNELS, type StreamChannel, type StreamErrorCode } from '../../schemas/stream.ts';
import { parseStrictJson } from '../strict-json.ts';
import { cleanText, quoted } from '../text.ts';

/** Longest `id` that answers repeat. */
export const MAX_ID_LENGTH = 128;
/** Longest exchange or symbol in a subscription. */
export const MAX_NAME_LENGTH = 64;
/** Longest `op` that an error names. */
const MAX_OP_LENGTH = 32;

/** The filter of a subscription; a field that is left out does not narrow it. */
export interface Filter {
  readonly channel: StreamChannel;
  readonly exchange?: string;
  readonly symbol?: string;
}

export type ClientMessage =
  | { readonly op: 'auth' | 'subscribe' | 'unsubscribe'; readonly id?: string; readonly args: unknown }
  | { readonly op: 'ping'; readonly id?: string }
  /** Silently ignored once authenticated (specification, "Filter rules"), so nothing else in it is read. */
  | { readonly op: 'unknown'; readonly name: string; readonly id?: string };

/** Why a message is refused. */
export interface MessageProblem {
  readonly code: StreamErrorCode;
  readonly problem: string;
  readonly id?: string;
  /** The `op` of the message, if it is fit to be shown. */
  readonly op?: string;
}

const OPS = ['auth', 'ping', 'subscribe', 'unsubscribe'] as const;
const FILTER_FIELDS = ['channel', 'exchange', 'symbol'] as const;

export function readClientMessage(data: Buffer, binary: boolean): ClientMessage | MessageProblem {
  if (binary) {
    return { code: 'INVALID_JSON', problem: 'the message is a binary frame; send JSON in a text frame' };
  }
  const parsed = parseStrictJson(data, 'the message');
  if (!parsed.ok) return { code: 'INVALID_JSON', problem: parsed.error.message };
  const message = parsed.data;
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    return { code: 'INVALID_JSON', problem: 'the message must be a JSON object with the field op' };
  }
  return readFields(message as Record<string, unknown>);
}

function readFields({ op, id, args }: Record<string, unknown>): ClientMessage | MessageProblem {
  const echo = typeof id === 'string' && id.length <= MAX_ID_LENGTH ? { id } : {};
  if (typeof op !== 'string') {
    return { code: 'INVALID_ARGS', problem: `op must be a string, one of ${OPS.join(', ')}`, ...echo };
  }
  const known = OPS.find((name) => name === op);
  if (known === undefined) return { op: 'unknown', name: cleanText(op, MAX_OP_LENGTH), ...echo };
  if (id !== undefined && echo.id === undefined) {
    const problem = `id must be a string of at most ${MAX_ID_LENGTH} characters`;
    return { code: 'INVALID_ARGS', problem, op };
  }
  return known === 'ping' ? { op: known, ...echo } : { op: known, args, ...echo };
}

/** The error text for an unknown `op`. */
export function unknownOp(name: string): string {
  const guess = closest(name, OPS);
  const hint = guess === null ? `known are ${OPS.join(', ')}` : `did you mean "${guess}"?`;
  return `unknown op ${quoted(name)}; ${hint}`;
}

/**
 * Reads `args` of subscribe and unsubscribe; the problem is for INVALID_ARGS. An unknown exchange or symbol
 * passes (S45).
 */
export function readFilter(args: unknown): Filter | { readonly problem: string } {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return { problem: 'args must be {channel, exchange?, symbol?}' };
  }
  const fields = args as Record<string, unknown>;
  // A misspelt filter would let through what it should exclude.
  const unknown = Object.keys(fields).find((name) => !FILTER_FIELDS.some((field) => field === name));
  if (unknown !== undefined) {
    return { problem: `unknown field ${quoted(unknown)} in args; known are ${FILTER_FIELDS.join(', ')}` };
  }
  const channel = STREAM_CHANNELS.find((name) => name === fields.channel);
  if (channel === undefined) return { problem: `channel must be one of ${STREAM_CHANNELS.join(', ')}` };
  for (const name of ['exchange', 'symbol'] as const) {
    const value = fields[name];
    if (value === undefined) continue;
    if (typeof value !== 'string' || value === '' || value.length > MAX_NAME_LENGTH) {
      return { problem: `${name} must be a string of 1 to ${MAX_NAME_LENGTH} characters` };
    }
  }
  const { exchange, symbol } = fields as { exchange?: string; symbol?: string };
  return {
    channel,
    ...(exchange === undefined ? {} : { exchange }),
    ...(symbol === undefined ? {} : { symbol }),
  };
}
