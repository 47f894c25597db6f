/**
 * `outcry attach`: the console on a running desk, as one of its operators. sshd starts it at a login. Of what
 * the client sends, it uses only the size and the type of the terminal; it starts no desk, reads no file
 * except the program's own, and has no editor.
 */

import { isIP } from 'node:net';
import type { DeskClient, Role } from '../desk/console/protocol.ts';
import { systemClock } from '../desk/hosting/transports/system-clock.ts';
import { connectUnixSocket } from '../desk/hosting/transports/unix-socket.ts';
import { VERSION } from '../desk/version.ts';
import { LOCAL_OWNER, OPERATOR_NAME } from '../domain/operator.ts';
import { dataDirOf } from './data-dir.ts';
import { watchOutput } from './stuck-output.ts';
import { openTerminal } from './terminal.ts';
import { EXIT_FAILURE, EXIT_OK, UsageError } from './usage-error.ts';

export interface AttachSettings {
  readonly dataDir?: string;
  readonly as?: string;
  readonly role?: Role;
  readonly theme?: string;
  readonly ascii?: boolean;
  readonly screenReader?: boolean;
}

/** Environment variables that are used; a client can set some of them. */
const TAKEN = ['TERM', 'COLORTERM', 'LANG', 'LC_ALL', 'LC_CTYPE', 'NO_COLOR'] as const;
const VALUE = /^[\x21-\x7e]{1,64}$/;

/** Time between two copies of the desk's state on a connection that may be slow, ms. */
const SSH_TICK_MS = 250;

/** Returns the environment that the console may see; never the process's own. */
export function attachEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const taken = TAKEN.flatMap((name) => {
    const value = env[name];
    return value !== undefined && VALUE.test(value) ? [[name, value] as const] : [];
  });
  return Object.fromEntries(taken);
}

/** Returns the address of the login, as sshd has set it; `unknown` if it cannot be read. */
export function loginFrom(connection: string | undefined): string {
  const [address = '', port = ''] = (connection ?? '').slice(0, 200).split(' ');
  return isIP(address) !== 0 && /^\d{1,5}$/.test(port) ? address : 'unknown';
}

export async function attach(settings: AttachSettings): Promise<number> {
  const { stdin, stdout, stderr, env } = process;
  const { as } = settings;
  if (as !== undefined && (!OPERATOR_NAME.test(as) || as === LOCAL_OWNER))
    throw new UsageError('option --as takes the name of an operator; outcry ssh list shows them');
  if (!stdin.isTTY || !stdout.isTTY) {
    stderr.write(
      'outcry: this login shows a console and needs a terminal; log in without a command (ssh -t)\n',
    );
    return 2;
  }
  const dataDir = dataDirOf({ dataDir: settings.dataDir });
  const overSsh = env.SSH_CONNECTION !== undefined;
  const seen = as === undefined && !overSsh ? env : attachEnv(env);
  const client = await connectUnixSocket(dataDir, systemClock, {
    ...(as === undefined ? {} : { as }),
    ...(settings.role === undefined ? {} : { role: settings.role }),
    ...(overSsh ? { from: loginFrom(env.SSH_CONNECTION) } : {}),
    terminal: `${attachEnv(env).TERM ?? 'unknown'} ${stdout.columns}x${stdout.rows}`,
    version: VERSION,
  });
  if (!client) throw new Error('the desk does not run; whoever runs it starts it with outcry serve');
  return show(client, dataDir, settings, { env: seen, over: overSsh });
}

async function show(
  client: DeskClient,
  dataDir: string,
  { theme, ascii, screenReader }: AttachSettings,
  { env, over }: { env: Readonly<Record<string, string | undefined>>; over: boolean },
): Promise<number> {
  const { stdin, stdout, stderr } = process;
  const { runConsole } = await import('../console/app/run.tsx');
  const { themesDir } = await import('./console.ts');
  const terminal = openTerminal(stdin, stdout, systemClock, stderr.isTTY ? [stderr] : []);
  const gone = new AbortController();
  const lost = new Promise<string>((resolve) => client.onClosed(resolve));
  for (const signal of ['SIGHUP', 'SIGTERM', 'SIGINT'] as const) process.on(signal, () => gone.abort());
  void terminal.gone.then(() => gone.abort());
  let reason: string | null = null;
  void lost.then((why) => {
    reason = why;
    gone.abort();
  });
  const watch = watchOutput(stdout, systemClock, (why) => {
    reason = why;
    gone.abort();
  });
  const exit = await runConsole(client, {
    ...(theme === undefined ? {} : { theme }),
    ...(ascii === undefined ? {} : { ascii }),
    ...(screenReader === undefined ? {} : { screenReader }),
    hosting: false,
    dataDir,
    themesDir: themesDir(),
    stdin,
    stdout,
    env: { ...env },
    ...(over ? { tickMs: SSH_TICK_MS } : {}),
    signal: gone.signal,
    // An editor would give a shell to a person who must not have one.
    runEditor: () => Promise.reject(new Error('there is no editor over SSH')),
  });
  watch.cancel();
  client.close();
  if (reason !== null && exit.action === 'hangup') terminal.say(`The session has ended: ${reason}`);
  await terminal.flush();
  return exit.action === 'hangup' ? EXIT_FAILURE : EXIT_OK;
}
