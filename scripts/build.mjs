/**
 * Builds dist with esbuild: ESM bundles of the program (`main.js`, its commands as chunks loaded when
 * needed), of the desk's thread (`desk-worker.js`), of the thread for previews of unfinished bots
 * (`preview-worker.js`) and of the typed client (`client.js`, its types in `types/`). Called by the launcher
 * and by the end-to-end tests; runs on Node 18 or newer.
 * New files are moved into place one by one, entry points last, and the chunks of the previous build stay: a
 * program that is running meanwhile still finds the chunks that it has not loaded yet.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { buildInputs, readBuildStamp, writeBuildStamp } from '../bin/launcher-lib.js';

const require = createRequire(import.meta.url);

const ENTRY_POINTS = {
  main: 'src/main.ts',
  'desk-worker': 'src/desk/hosting/worker.ts',
  'preview-worker': 'src/desk/preview/preview-worker.ts',
  client: 'src/client/index.ts',
};

/** CommonJS dependencies (fastify, pino, ajv) call `require` for Node's own modules. */
const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/**
 * Ink asks for this package only under DEV=true; bundling it would triple the program.
 * @type {import('esbuild').Plugin}
 */
const withoutDevtools = {
  name: 'without-devtools',
  setup(builder) {
    builder.onResolve({ filter: /^react-devtools-core$/ }, () => ({ path: 'devtools', namespace: 'empty' }));
    builder.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'export default {};' }));
  },
};

/**
 * Ink's layout engine has its code in a data URL and fetches it if `fetch` exists: Node would load its whole
 * HTTP client for that, before the first frame.
 * @type {import('esbuild').Plugin}
 */
const withoutFetch = {
  name: 'without-fetch',
  setup(builder) {
    builder.onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, ({ path: file }) => ({
      contents: `const fetch = undefined;\n${fs.readFileSync(file, 'utf8')}`,
    }));
  },
};

/**
 * ink-table loads Ink by `require`, which cannot load a module with a top-level await: it gets the instance
 * that already runs (src/console/lists/ink-for-table.ts).
 * @type {import('esbuild').Plugin}
 */
const inkForTable = {
  name: 'ink-for-table',
  setup(builder) {
    builder.onResolve({ filter: /^ink$/ }, ({ importer }) =>
      /[\\/]ink-table[\\/]/.test(importer) ? { path: 'ink', namespace: 'running' } : undefined,
    );
    builder.onLoad({ filter: /.*/, namespace: 'running' }, () => ({
      contents: "module.exports = globalThis[Symbol.for('outcry.ink')];",
    }));
  },
};

/**
 * Ink splits every line of every frame by Unicode's rules, which hardly a line of the console needs: it gets
 * the program's own handling of plain text (src/console/terminal/drawing). Fails when a file differs from the
 * known one.
 * @type {import('esbuild').Plugin}
 */
const quickDrawing = {
  name: 'quick-drawing',
  setup(builder) {
    const own = (/** @type {string} */ name) => path.join(PACKAGE, 'src/console/terminal/drawing', name);
    builder.onLoad({ filter: /[\\/]ink[\\/]build[\\/]output\.js$/ }, () => ({
      contents: `export { Output as default } from ${JSON.stringify(own('output.ts'))};`,
    }));
    const first = (
      /** @type {RegExp} */ filter,
      /** @type {string} */ head,
      /** @type {string} */ file,
      /** @type {string} */ quick,
      /** @type {(text: string, from: string) => string} */ also = (text) => text,
    ) =>
      builder.onLoad({ filter }, ({ path: from }) => {
        const text = fs.readFileSync(from, 'utf8');
        const changed = replaced(also(text, from), head, `${head}\n${quick}\n`, from);
        return { contents: `${changed}\nimport * as quick from ${JSON.stringify(own(file))};\n` };
      });
    first(
      /[\\/]ink[\\/]build[\\/]line-update\.js$/,
      'export default function lineUpdate(previous, next, columns) {',
      'line-update.ts',
      'const update = quick.narrowLineUpdate(previous, next, columns); if (update !== null) return update;',
    );
    first(
      /[\\/]ink[\\/]build[\\/]sanitize-ansi\.js$/,
      'const sanitizeAnsi = (text) => {',
      'narrow.ts',
      'if (quick.isPrintable(text)) return text;',
    );
    first(
      /[\\/]string-width[\\/]index\.js$/,
      'export default function stringWidth(input, options = {}) {',
      'narrow.ts',
      "if (arguments.length === 1 && typeof input === 'string') { const width = quick.narrowWidth(input); if (width >= 0) return width; }",
      lateUnicode,
    );
  },
};

/**
 * Delays string-width's emoji pattern and text segmenter until the first text that needs them: each copy
 * would take as long for them at load as Node for its own start.
 * @param {string} text of any of its versions
 * @param {string} from
 */
function lateUnicode(text, from) {
  const [name, pattern] = EMOJI.find(([, known]) => text.includes(known)) ?? EMOJI[0];
  const late = replaced(
    text,
    `const ${name} = ${pattern};`,
    `let emoji; const ${name} = { test: text => (emoji ??= ${pattern}).test(text), exec: text => (emoji ??= ${pattern}).exec(text) };`,
    from,
  );
  return replaced(
    late,
    'const segmenter = new Intl.Segmenter();',
    'let parts; const segmenter = { segment: text => (parts ??= new Intl.Segmenter()).segment(text) };',
    from,
  );
}

/** Names and emoji patterns of string-width 9 and 8. */
const EMOJI = /** @type {const} */ ([
  ['emojiPrefixRegex', String.raw`/^(?:\p{RGI_Emoji}|\p{Regional_Indicator}{1,2}|[\d#*]\u{FE0F})/v`],
  ['rgiEmojiRegex', String.raw`/^\p{RGI_Emoji}$/v`],
]);

/**
 * @param {string} text of the file `from`
 * @param {string} known
 * @param {string} instead
 * @param {string} from
 */
function replaced(text, known, instead, from) {
  if (!text.includes(known)) throw new Error(`${from} is not as scripts/build.mjs knows it: ${known}`);
  return text.replace(known, () => instead);
}

/** The folder of the sources that belong to this script. */
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/**
 * An `import` of node:http or node:crypto reads all its properties, and some of these load Node's whole HTTP
 * client or Web cryptography: here the modules are required, and only the used properties are read.
 * @type {import('esbuild').Plugin}
 */
const requiredWhole = {
  name: 'required-whole',
  setup(builder) {
    builder.onResolve({ filter: /^(?:node:)?(?:http|crypto)$/ }, ({ kind, path: name }) =>
      kind === 'import-statement'
        ? { path: name.replace('node:', ''), namespace: 'required', sideEffects: false }
        : undefined,
    );
    builder.onLoad({ filter: /.*/, namespace: 'required' }, ({ path: name }) => ({
      contents: `module.exports = require('node:${name}');`,
    }));
  },
};

/**
 * Some packages load TLS and HTTP/2 at the start although they use them only if configured: here both are
 * loaded when one of their properties is first used.
 * @type {import('esbuild').Plugin}
 */
const lateTls = {
  name: 'late-tls',
  setup(builder) {
    builder.onResolve({ filter: /^(?:node:)?(?:https|http2|tls)$/ }, ({ namespace, path: name }) =>
      namespace === 'late'
        ? { path: name, external: true }
        : { path: name.replace('node:', ''), namespace: 'late', sideEffects: false },
    );
    builder.onLoad({ filter: /.*/, namespace: 'late' }, ({ path: name }) => ({
      contents: `const load = () => require('node:${name}');
        for (const name of ${JSON.stringify(Object.keys(require(`node:${name}`)))})
          Object.defineProperty(module.exports, name, { enumerable: true, get: () => load()[name] });`,
    }));
  },
};

/** Plugins that every build of the console needs. */
export const PLUGINS = [withoutDevtools, withoutFetch, inkForTable, quickDrawing, requiredWhole, lateTls];

/**
 * Builds and stamps dist. Throws esbuild's error, whose message names file and line.
 * @param {string} root the package's folder
 * @param {{ entryPoints?: Record<string, string> }} [options]
 */
export async function buildDist(root, { entryPoints = ENTRY_POINTS } = {}) {
  // Read before the build: a change during the build makes the next start build again.
  const inputs = buildInputs(root);
  const content = inputs.content();
  const dist = path.join(root, 'dist');
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const types = entryPoints === ENTRY_POINTS ? declareClient(root) : null;
  // One build per entry point: threads share nothing, and a start finds and opens a few large files faster.
  const results = await Promise.all(
    Object.entries(entryPoints).map(([name, entryPoint]) =>
      esbuild.build({
        absWorkingDir: root,
        entryPoints: { [name]: entryPoint },
        outdir: dist,
        write: false,
        bundle: true,
        splitting: true,
        format: 'esm',
        platform: 'node',
        target: 'node24',
        chunkNames: 'chunks/[name]-[hash]',
        minifyWhitespace: true,
        minifySyntax: true,
        // Node prints the line of an uncaught error: this keeps it from being the whole program.
        lineLimit: 400,
        sourcemap: 'linked',
        sourcesContent: false,
        legalComments: 'none',
        logLevel: 'silent',
        banner: { js: BANNER },
        define: {
          'process.env.NODE_ENV': '"production"',
          __OUTCRY_VERSION__: JSON.stringify(manifest.version),
        },
        plugins: PLUGINS,
      }),
    ),
  );
  // The launcher may go on as the program, without an idle build service.
  await esbuild.stop();
  const files = results
    .flatMap((result) => result.outputFiles)
    .map((file) => ({
      name: path.relative(dist, file.path).split(path.sep).join('/'),
      contents: file.contents,
    }));
  files.sort((a, b) => Number(isEntry(a.name)) - Number(isEntry(b.name)));
  for (const file of files) replaceFile(path.join(dist, file.name), file.contents);
  await types;
  forgetCompiled(dist);
  const names = files.map((file) => file.name);
  removeOthers(dist, new Set([...names, ...(readBuildStamp(root)?.files ?? [])]));
  writeBuildStamp(root, { times: inputs.times, content, files: names });
}

/**
 * Removes Node's compile cache of earlier bundles (src/compile-cache.ts). It is useless now; files of another
 * user stay, without harm.
 * @param {string} dist
 */
function forgetCompiled(dist) {
  try {
    fs.rmSync(path.join(dist, '.compile-cache'), { recursive: true, force: true });
  } catch {
    // Each entry belongs to one text of one bundle.
  }
}

/**
 * Writes the client's declarations. The program does not need them: without a compiler they are left out, and
 * `npm run check` reports errors in the sources.
 * @param {string} root
 * @returns {Promise<void>}
 */
function declareClient(root) {
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  if (!fs.existsSync(compiler)) return Promise.resolve();
  const child = spawn(process.execPath, [compiler, '-p', path.join(root, 'scripts/client-types.json')], {
    stdio: 'ignore',
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
}

/** @param {string} name */
function isEntry(name) {
  return !name.includes('/');
}

/**
 * @param {string} file
 * @param {Uint8Array} contents
 */
function replaceFile(file, contents) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, contents);
  fs.renameSync(temporary, file);
}

/**
 * Removes files that neither this build nor the previous one has written.
 * @param {string} dist
 * @param {Set<string>} keep
 */
function removeOthers(dist, keep) {
  const chunks = path.join(dist, 'chunks');
  if (!fs.existsSync(chunks)) return;
  for (const name of fs.readdirSync(chunks)) {
    if (!keep.has(`chunks/${name}`)) fs.rmSync(path.join(chunks, name), { force: true });
  }
}
