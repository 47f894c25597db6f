/** Keys as a terminal sends them. Names are those of the console's bindings. */

const NAMED: Readonly<Record<string, string>> = {
  enter: '\r',
  esc: '\x1b',
  tab: '\t',
  'shift-tab': '\x1b[Z',
  space: ' ',
  backspace: '\x7f',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
};

/** The bytes of a key: a name of the table, `ctrl-r`, or the character itself. Throws on anything else. */
export function keyBytes(key: string): string {
  const named = NAMED[key];
  if (named !== undefined) return named;
  const control = /^ctrl-([a-z])$/.exec(key)?.[1];
  if (control) return String.fromCharCode(control.charCodeAt(0) - 96);
  if ([...key].length !== 1) throw new Error(`no key is named ${key}`);
  return key;
}
