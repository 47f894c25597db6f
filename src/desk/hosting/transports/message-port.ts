/**
 * A line over a `MessagePort`: the hosting process's own terminal on the main thread, the desk in its worker.
 * State messages need no buffer limit here: the session sends the next one only after the last was
 * acknowledged.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../../../domain/clock.ts';
import type { DeskClient, FromDesk, ToDesk } from '../../console/protocol.ts';
import { openClient } from './client.ts';
import { type DeskLine, LINE_CLOSED, LINE_LOST, type Line } from './line.ts';

function portLine<Out, In>(port: MessagePort): Line<Out, In> {
  let closing = false;
  return {
    send: (message) => port.postMessage(message),
    onMessage: (listener) => {
      port.on('message', listener);
    },
    onClosed: (listener) => {
      // Comes at both ends when either closes, also when the other thread has died.
      port.once('close', () => listener(closing ? LINE_CLOSED : LINE_LOST));
    },
    close: () => {
      closing = true;
      port.close();
    },
  };
}

/** Makes the desk's end from a port that a terminal's thread has handed over. */
export function deskPortLine(port: MessagePort): DeskLine {
  return portLine<FromDesk, unknown>(port);
}

/** Makes the terminal's end: the other end of the channel must have been handed to the desk's thread. */
export function connectMessagePort(port: MessagePort, clock: Clock): Promise<DeskClient> {
  return openClient(portLine<ToDesk, FromDesk>(port), clock);
}
