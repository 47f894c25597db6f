/**
 * Writes the parts of the documentation that come from the program: docs/keys.md from the key bindings, and
 * the candles of docs/examples/candles from the price generator. `node scripts/documents.ts`, Node 24. A test
 * fails when it must run again.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KEYS } from '../src/console/app/bindings.ts';
import { keysDocument } from '../src/console/input/markdown.ts';
import { exampleCandles } from './example-candles.ts';

const at = (path: string) => fileURLToPath(new URL(`../docs/${path}`, import.meta.url));

writeFileSync(at('keys.md'), keysDocument(KEYS));
mkdirSync(at('examples/candles'), { recursive: true });
for (const [file, text] of exampleCandles()) writeFileSync(at(`examples/candles/${file}`), text);
