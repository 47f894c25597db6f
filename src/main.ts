/**
 * Sets the process up before anything is imported that looks at its environment, then runs the command line. Imports
 * nothing that does: React and chalk read their switches when they are loaded.
 */
import { keepCompiled } from './compile-cache.ts';

const { env } = process;

// The development build of React costs twice the processor time.
env.NODE_ENV ??= 'production';
// What this process writes (store, log, keys, socket) is for its user alone. Threads cannot set it: here, before any.
process.umask(0o077);

// The signal would open a debugger, which runs whatever any user of this machine sends it.
if (process.platform !== 'win32') process.on('SIGUSR1', () => {});

keepCompiled(import.meta.url);

const { run } = await import('./cli/run.ts');
const code = await run(process.argv.slice(2));
// The launcher ends a process that has said so and does not go: a thread of it may be held where nothing reaches it.
if (process.connected) process.send?.({ outcry: 'leaving', code });
process.exit(code);
