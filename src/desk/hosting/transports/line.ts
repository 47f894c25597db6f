/**
 * A line: one end of a two-way stream of plain messages between a terminal and the desk. Every transport (direct,
 * MessagePort, Unix socket) makes lines; sessions and clients are written against them and know no transport.
 */
import type { FromDesk, ToDesk } from '../../console/protocol.ts';

export interface Line<Out, In> {
  /** Throws when the message itself cannot travel; on a line that is closed it does nothing. */
  send(message: Out): void;
  /** Set once, in the turn in which the line is handed over; nothing arrives before. */
  onMessage(listener: (message: In) => void): void;
  /** Called once, also when this end closes. `reason` is a sentence for a person. */
  onClosed(listener: (reason: string) => void): void;
  /** Bytes that were sent so far; left out: it does not count them. */
  readonly sentBytes?: number;
  /** What was sent before still arrives as far as the other end reads it within CLOSE_LIMIT_MS. */
  close(): void;
}

/** The desk's end: what comes from a terminal is checked by the session. */
export type DeskLine = Line<FromDesk, unknown>;
/** The terminal's end. */
export type TerminalLine = Line<ToDesk, FromDesk>;

/** Why a line ended when no `bye` came before. */
export const LINE_LOST = 'the line to the desk was lost';
/** Why a line ended that this end closed. */
export const LINE_CLOSED = 'closed';
/** How long a closing line waits for the other end to read what was sent. */
export const CLOSE_LIMIT_MS = 1_000;
