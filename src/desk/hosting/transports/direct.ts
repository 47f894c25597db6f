/**
 * A line within one thread, for tests. Messages are copied both ways, so that an object shared by mistake
 * between desk and terminal fails here as it would across threads. They arrive in a later microtask, in
 * order.
 */
import type { Clock } from '../../../domain/clock.ts';
import type { DeskClient, FromDesk, ToDesk } from '../../console/protocol.ts';
import { type ClientOptions, openClient } from './client.ts';
import { type DeskLine, LINE_CLOSED, LINE_LOST, type Line } from './line.ts';

class DirectEnd<Out, In> implements Line<Out, In> {
  other: DirectEnd<In, Out> | null = null;
  #message: ((message: In) => void) | null = null;
  #closedListener: ((reason: string) => void) | null = null;
  #closed = false;

  send(message: Out): void {
    if (this.#closed) return;
    const copy = structuredClone(message);
    queueMicrotask(() => this.other?.receive(copy));
  }

  onMessage(listener: (message: In) => void): void {
    this.#message = listener;
  }

  onClosed(listener: (reason: string) => void): void {
    this.#closedListener = listener;
  }

  close(): void {
    if (this.#closed) return;
    queueMicrotask(() => this.other?.end(LINE_LOST));
    this.end(LINE_CLOSED);
  }

  receive(message: In): void {
    if (!this.#closed) this.#message?.(message);
  }

  end(reason: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#closedListener?.(reason);
  }
}

/** Makes both ends of a new line. */
export function directLines(): { desk: DeskLine; terminal: Line<ToDesk, FromDesk> } {
  const desk = new DirectEnd<FromDesk, unknown>();
  const terminal = new DirectEnd<unknown, FromDesk>();
  desk.other = terminal;
  terminal.other = desk;
  return { desk, terminal };
}

/** Connects a client to a desk of the same thread; `accept` is the desk's side (a session hub's). */
export function connectDirect(
  accept: (line: DeskLine) => void,
  clock: Clock,
  options: ClientOptions = {},
): Promise<DeskClient> {
  const { desk, terminal } = directLines();
  accept(desk);
  return openClient(terminal, clock, options);
}
