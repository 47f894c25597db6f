/**
 * Sets the process up before any module is imported that reads its environment, then runs the command line.
 * Imports no such module itself: React and chalk read their switches when they are loaded.
 */
import { keepCompiled } from './compile-cache.ts';

const { env } = process;

// The development build of React costs twice the processor time.
env.NODE_ENV ??= 'production';
// Files of this process (store, log, keys, socket) are for its user alone. Threads cannot set the mask, so it
// is set here, before any thread starts.
process.umask(0o077);

// The signal would open a debugger, which runs whatever any user of this machine sends it.
if (process.platform !== 'win32') process.on('SIGUSR1', () => {});

keepCompiled(import.meta.url);

const { run } = await import('./cli/run.ts');
const code = await run(process.argv.slice(2));
// The launcher then ends this process if it does not exit: one of its threads may be blocked where nothing
// can stop it.
if (process.connected) process.send?.({ outcry: 'leaving', code });
process.exit(code);
