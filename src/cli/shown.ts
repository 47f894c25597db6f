/**
 * Text that the command line writes to a terminal. Messages contain text from files, arguments and servers,
 * none of which may control the terminal.
 */
import { visible } from '../domain/visible.ts';

/** Longest message, in characters; the rest is cut off. */
export const MESSAGE_LENGTH = 4_000;

/** Makes a message harmless; its lines stay. */
export function shown(message: string): string {
  return cut(message).split('\n').map(visible).join('\n');
}

/** Makes a message harmless, on one line: text of another machine must not look like this program's lines. */
export function shownInLine(message: string): string {
  return visible(cut(message));
}

function cut(message: string): string {
  return message.length > MESSAGE_LENGTH ? `${message.slice(0, MESSAGE_LENGTH)}...` : message;
}
