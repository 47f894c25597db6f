/** Keeps the layers, the purity of the core and the house style, and shows that the checks can fail. */
import { describe, expect, it } from 'vitest';
import {
  layerViolations,
  purityViolations,
  type SourceFile,
  sendingViolations,
  styleViolations,
} from './layers.ts';
import { sourceFiles } from './source-files.ts';
import { codeOf, importsOf } from './source-text.ts';

function file(path: string, text: string): SourceFile {
  return { path, text };
}

describe('the sources', () => {
  const files = sourceFiles();

  it('are found', () => {
    expect(files.map((source) => source.path)).toContain('domain/order.ts');
  });

  it('import only what their layer may', () => {
    expect(files.flatMap(layerViolations)).toEqual([]);
  });

  it('keep the core pure', () => {
    expect(files.flatMap(purityViolations)).toEqual([]);
  });

  it('send requests to exchanges by the caller of the kit alone', () => {
    expect(files.flatMap(sendingViolations)).toEqual([]);
  });

  it('keep to the house style', () => {
    expect(files.flatMap(styleViolations)).toEqual([]);
  });
});

describe('a crossed layer', () => {
  it.each([
    ['domain/order.ts', "import { place } from '../engine/place.ts';", 'engine/place.ts'],
    ['engine/step.ts', "import type { Bot } from '../bots/bot.ts';", 'types of bots/bot.ts'],
    ['engine/step.ts', "import { open } from '../store/store.ts';", 'store/store.ts'],
    ['bots/squeeze.ts', "export * from '../desk/core/turn.ts';", 'desk/core/turn.ts'],
    ['store/sqlite/open.ts', "import '../../engine/step.ts';", 'engine/step.ts'],
    [
      'venues/binance/rest.ts',
      "import type { Store } from '../../store/store.ts';",
      'types of store/store.ts',
    ],
    ['venues/paper/book.ts', "import { synthetic } from '../../market/synthetic.ts';", 'market/synthetic.ts'],
    [
      'notify/webhook.ts',
      "import type { Alerts } from '../desk/alerts/alerts.ts';",
      'types of desk/alerts/alerts.ts',
    ],
    ['desk/core/turn.ts', "import { startApi } from '../../api/start-api.ts';", 'api/start-api.ts'],
    ['desk/open-desk.ts', "import { route } from '../api/routes/orders.ts';", 'api/routes/orders.ts'],
    [
      'api/routes/orders.ts',
      "import {\n  validate,\n} from '../../engine/validate.ts';",
      'engine/validate.ts',
    ],
    [
      'api/routes/orders.ts',
      "import type { Turn } from '../../desk/core/turn.ts';",
      'types of desk/core/turn.ts',
    ],
    ['client/client.ts', "import { API } from '../api/paths.ts';", 'api/paths.ts'],
    ['console/App.tsx', "import type { Running } from '../desk/running.ts';", 'types of desk/running.ts'],
    ['console/App.tsx', "const store = await import('../store/store.ts');", 'store/store.ts'],
    ['console/App.tsx', "import { kindOf } from '../bots/types/kinds.ts';", 'bots/types/kinds.ts'],
    [
      'console/App.tsx',
      "import { squeezeStrategy } from '../bots/types/squeeze/strategy.ts';",
      'bots/types/squeeze/strategy.ts',
    ],
    ['main.ts', "import { open } from './desk/open-desk.ts';", 'desk/open-desk.ts'],
    ['cli/serve.ts', "import helper from '../../test/support/helper.ts';", '../test/support/helper.ts'],
  ])('is found in %s: %s', (path, text, target) => {
    const layer = path.split('/')[0];
    expect(layerViolations(file(path, text))).toEqual([`${path}:1: ${layer} may not import ${target}`]);
  });

  it.each([
    ['engine/id.ts', "import { createHash } from 'node:crypto';", 'node:crypto'],
    ['bots/stats.ts', "import { Decimal } from 'decimal.js';", 'decimal.js'],
    ['domain/order.ts', "import { Type } from 'typebox';", 'typebox'],
    ['schemas/order.ts', "import { Ajv } from 'ajv';", 'ajv'],
    ['schemas/order.ts', "import x from '@scope/name/deep';", '@scope/name/deep'],
  ])('is found in %s: the package of %s', (path, text, name) => {
    expect(layerViolations(file(path, text))).toEqual([
      expect.stringContaining(`may not import the package ${name}`),
    ]);
  });

  it('is found where what a bot type shows to everybody knows its strategy', () => {
    const text = "import { squeezeStrategy } from './strategy.ts';";
    expect(layerViolations(file('bots/types/squeeze/words.ts', text))).toEqual([
      'bots/types/squeeze/words.ts:1: schemas may not import bots/types/squeeze/strategy.ts',
    ]);
  });

  it('is found where a folder belongs to no layer', () => {
    expect(layerViolations(file('utils/misc.ts', ''))).toEqual(['utils/misc.ts: belongs to no layer']);
  });

  it.each([
    [
      'domain/order.ts',
      "import type { Side } from '../schemas/order.ts'; import type { Static } from 'typebox';",
    ],
    ['engine/step.ts', "import { str } from '../domain/decimal.ts'; import { a } from './memory.ts';"],
    [
      'venues/paper/book.ts',
      "import type { Feed } from '../../market/feed.ts'; import { Pool } from 'undici';",
    ],
    ['desk/open-desk.ts', "import { startApi } from '../api/start-api.ts'; import '../engine/step.ts';"],
    [
      'api/routes/orders.ts',
      "import type { Answer } from '../../engine/step.ts'; import fastify from 'fastify';",
    ],
    ['console/App.tsx', "import { PROTOCOL_VERSION } from '../desk/console/protocol.ts';"],
    ['console/App.tsx', "import { wordsOf } from '../bots/types/index.ts';"],
    ['client/client.ts', "import { SqueezeSettings } from '../bots/types/squeeze/schema.ts';"],
    ['bots/types/squeeze/words.ts', "import { SqueezeSettings } from './schema.ts';"],
    ['bots/types/squeeze/schema.ts', "import { Type } from 'typebox';"],
    ['main.ts', "const command = await import('./cli/serve.ts');"],
    ['cli/serve.ts', "import { openDesk } from '../desk/open-desk.ts'; import '../console/App.tsx';"],
  ])('is not seen in what %s may import', (path, text) => {
    expect(layerViolations(file(path, text))).toEqual([]);
  });
});

describe('an impure core', () => {
  it.each([
    ['const now = Date.now();', 'Date'],
    ['const at = performance.now();', 'performance'],
    ['setTimeout(() => {}, 1);', 'setTimeout'],
    ['setInterval(tick, 1);', 'setInterval'],
    ['setImmediate(tick);', 'setImmediate'],
    ['queueMicrotask(tick);', 'queueMicrotask'],
    ['const x = Math.random();', 'Math.random'],
    ['const id = crypto.randomUUID();', 'crypto'],
    ["fetch('x');", 'fetch'],
    ['if (process.env.X) {}', 'process'],
    ['const f = async () => {};', 'async'],
    ['await x;', 'await'],
    ['const key = `id-${Date.now()}-${{ a: 1 }.a}`;', 'Date'],
    ['const ratio = a / b; const t = Date.now() / 2;', 'Date'],
    ['names.sort((a, b) => a.localeCompare(b));', '.localeCompare'],
  ])('is found in %s', (text, name) => {
    for (const layer of ['domain', 'engine', 'bots']) {
      expect(purityViolations(file(`${layer}/x.ts`, text))).toEqual([
        `${layer}/x.ts:1: the pure core may not use ${name}`,
      ]);
    }
  });

  it.each([
    '// Date.now() is for the shell',
    '/** await nothing,\n * fetch nothing */',
    'const text = \'Date\' + "process" + `async ${name} await`;',
    'const pattern = /Date|process/g;',
    'const updatedDate = order.Date + fetched;',
    'for (const [id, order] of new Map()) use(id, order);',
  ])('is not seen in %s', (text) => {
    expect(purityViolations(file('engine/x.ts', text))).toEqual([]);
  });

  it('is no matter outside the core', () => {
    expect(purityViolations(file('desk/clock.ts', 'const now = Date.now();'))).toEqual([]);
  });
});

describe('a way past the caller', () => {
  it.each([
    ['binance/rest.ts', 'await this.net.request({ path });', 'a request past the caller'],
    ['kit/line.ts', 'void net\n  .request(what);', 'a request past the caller'],
    ['binance/stream.ts', 'const socket = net.socket(url, events);', 'a socket past the line'],
    ['kit/caller.ts', 'const socket = net.socket(url, events);', 'a socket past the line'],
    ['binance/rest.ts', 'await fetch(url);', 'the network past the kit'],
    ['binance/rest.ts', "import { Pool } from 'undici';", "undici past the kit's network"],
    ['binance/rest.ts', "import { request } from 'node:https';", "node:https past the kit's network"],
  ])('is found in %s: %s', (name, text, what) => {
    expect(sendingViolations(file(`venues/${name}`, text))).toEqual([expect.stringContaining(what)]);
  });

  it.each([
    ['venues/kit/caller.ts', 'await net.request({ path });'],
    ['venues/kit/line.ts', 'net.socket(request, events);'],
    ['venues/kit/net-of-node.ts', "import { Pool } from 'undici'; import { WebSocket } from 'ws';"],
    ['venues/binance/rest.ts', 'const { request } = answer; // net.request(x)'],
    ['notify/http.ts', 'await this.#pool.request({ path });'],
  ])('is not seen in %s: %s', (path, text) => {
    expect(sendingViolations(file(path, text))).toEqual([]);
  });
});

describe('bad style', () => {
  const begun = '/** Something. */\n';

  it.each([
    ['x.ts', 'export const a = 1;\n', 'begins with no doc comment'],
    ['x.ts', `${begun}export default function x() {}\n`, 'default export'],
    ['x.ts', `${begun}export { x as default };\n`, 'default export'],
    ['x.ts', `${begun}console.log(1);\n`, 'console outside cli'],
    ['x.ts', `${begun}export const a = { ...{ b: 1, c: 2 } };\n`, 'spread into another'],
    ['x.ts', `${begun}/** Of a thing. */\nexport const a = 1;\n`, 'begins with "Of"'],
    ['x.ts', '/**\n * Of a thing.\n */\nexport const a = 1;\n', 'begins with "Of"'],
    ['x.ts', begun + 'const a = 1;\n'.repeat(500), '501 lines'],
  ])('is found in %s: %j', (name, text, what) => {
    expect(styleViolations(file(`desk/${name}`, text))).toEqual([expect.stringContaining(what)]);
  });

  it('is not seen in a good file, in prose or in the command line', () => {
    expect(styleViolations(file('desk/x.ts', `${begun}// console.log\nexport const a = 1;\n`))).toEqual([]);
    expect(styleViolations(file('cli/x.ts', `${begun}console.log(1);\n`))).toEqual([]);
    expect(styleViolations(file('desk/x.ts', begun + 'const a = 1;\n'.repeat(499)))).toEqual([]);
  });
});

describe('the reader of sources', () => {
  it('finds every form of import, over several lines, and none in prose', () => {
    const text = [
      "import a from './a.ts';",
      'import b, {',
      '  type C,',
      "} from './b.ts';",
      "import * as d from './d.ts';",
      "import './e.ts';",
      "export { f } from './f.ts';",
      "export type * from './g.ts';",
      "import type { H } from './h.ts';",
      "const i = await import('./i.ts');",
      "// import x from './comment.ts';",
      'const s = "import x from \'./string.ts\'";',
      "export const from = 'not-a-module';",
      "export type Kind = 'not-a-module' | 'either';",
      "import type from './t.ts';",
    ].join('\n');
    expect(importsOf(text)).toEqual([
      { specifier: './a.ts', typeOnly: false, line: 1 },
      { specifier: './b.ts', typeOnly: false, line: 2 },
      { specifier: './d.ts', typeOnly: false, line: 5 },
      { specifier: './e.ts', typeOnly: false, line: 6 },
      { specifier: './f.ts', typeOnly: false, line: 7 },
      { specifier: './g.ts', typeOnly: true, line: 8 },
      { specifier: './h.ts', typeOnly: true, line: 9 },
      { specifier: './i.ts', typeOnly: false, line: 10 },
      { specifier: './t.ts', typeOnly: false, line: 15 },
    ]);
  });

  it('keeps length and lines, and tells division from regular expressions', () => {
    const text = "const a = b / c; // d\nconst e = /'/.test(`f ${g({ h: 'i' })} j`) && '\\'';\nafter();";
    const code = codeOf(text);
    expect(code).toHaveLength(text.length);
    expect(code.split('\n')[0]).toBe('const a = b / c;     ');
    expect(code).toContain('g({ h: ');
    expect(code).toContain('after();');
    expect(code).not.toMatch(/[dfij]\b/);
  });
});
