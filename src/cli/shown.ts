/** What the command line writes to a terminal: messages have words of files, arguments and servers in them, none of which may command it. */
import { visible } from '../domain/visible.ts';

/** Characters of one message; the rest is cut off. */
export const MESSAGE_LENGTH = 4_000;

/** Harmless, in lines as it comes. */
export function shown(message: string): string {
  return cut(message).split('\n').map(visible).join('\n');
}

/** Harmless, on one line: for the words of another machine, which must not pass for lines of ours. */
export function shownInLine(message: string): string {
  return visible(cut(message));
}

function cut(message: string): string {
  return message.length > MESSAGE_LENGTH ? `${message.slice(0, MESSAGE_LENGTH)}...` : message;
}
