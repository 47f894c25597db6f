/**
 * Entry of the desk's worker thread, bundled to `dist/desk-worker.js`. Started by `host.ts` with
 * `DeskOptions` as data. Loads the desk only after Node knows where its cache of compiled code is.
 */
import { keepCompiled } from '../../compile-cache.ts';

keepCompiled(import.meta.url);
await import('./serve-desk.ts');
