/**
 * A line: one end of a two-way stream of plain messages between a terminal and the desk. Every transport
 * (direct, MessagePort, Unix socket) makes lines; sessions and clients use only this interface and know no
 * transport.
 */
import type { FromDesk, ToDesk } from '../../console/protocol.ts';

export interface Line<Out, In> {
  /** Sends a message. Throws when it cannot be encoded; does nothing on a closed line. */
  send(message: Out): void;
  /** Sets the listener, once, in the turn in which the line is handed over; no message arrives before. */
  onMessage(listener: (message: In) => void): void;
  /** Sets a listener that is called once, also when this end closes. `reason` is a sentence for a person. */
  onClosed(listener: (reason: string) => void): void;
  /** Bytes sent so far; left out: the line does not count them. */
  readonly sentBytes?: number;
  /** Closes the line. Messages sent before still arrive if the other end reads them within CLOSE_LIMIT_MS. */
  close(): void;
}

/** The desk's end: the session checks what comes from a terminal. */
export type DeskLine = Line<FromDesk, unknown>;
/** The terminal's end. */
export type TerminalLine = Line<ToDesk, FromDesk>;

/** The reason when a line ended without a `bye`. */
export const LINE_LOST = 'the line to the desk was lost';
/** The reason when this end closed the line. */
export const LINE_CLOSED = 'closed';
/** How long a closing line waits for the other end to read what was sent, ms. */
export const CLOSE_LIMIT_MS = 1_000;
