/**
 * Gives ink-table the Ink that is already loaded. It is CommonJS and loads Ink by `require`, which Node
 * refuses for a graph with a top-level await. Must be imported before ink-table; the build answers the same
 * request (scripts/build.mjs).
 */
import { registerHooks } from 'node:module';
import * as ink from 'ink';

/** Where `require('ink')` finds it; the build names the same slot. */
const SLOT = Symbol.for('outcry.ink');
const URL_OF_SLOT = 'outcry:ink';

Reflect.set(globalThis, SLOT, ink);

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'ink' || !context.parentURL?.includes('/ink-table/')) return next(specifier, context);
    return { url: URL_OF_SLOT, format: 'commonjs', shortCircuit: true };
  },
  load(url, context, next) {
    if (url !== URL_OF_SLOT) return next(url, context);
    const source = "module.exports = globalThis[Symbol.for('outcry.ink')];";
    return { format: 'commonjs', source, shortCircuit: true };
  },
});
