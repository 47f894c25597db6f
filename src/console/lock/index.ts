/** The lock of this terminal: figures are hidden until its operator is back; a panic remains possible. */
import type { Feature } from '../app/feature.ts';
import { followLock, lockNow, openPin, startLockPanic } from './commands.ts';
import { LOCK, PIN } from './forms.ts';

export const LOCKING = {
  state: { lock: null },
  forms: { lock: LOCK, pin: PIN },
  actions: { 'lock-panic': startLockPanic },
  commands: { 'lock.now': lockNow, 'lock.pin': openPin },
  start: followLock,
} satisfies Feature;
