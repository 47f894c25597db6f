/**
 * The rules of the architecture as functions over source text: which folder may import which, what the pure
 * core may not name, and what every file must fulfil. Each function returns the lines that break its rule,
 * ready to be shown.
 */
import { dirname, join } from 'node:path/posix';
import { codeOf, type ImportLine, importsOf, lineAt } from './source-text.ts';

/** A file of `src`; the path is relative to `src` and has forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/**
 * What a layer may import besides itself: `folder/` or one file; `type:` before it allows `import type` only.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  schemas: [],
  domain: ['schemas/'],
  engine: ['domain/', 'schemas/'],
  bots: ['engine/', 'domain/', 'schemas/'],
  venues: ['domain/', 'schemas/'],
  store: ['domain/', 'schemas/'],
  market: ['domain/', 'schemas/'],
  access: ['domain/', 'schemas/'],
  notify: ['domain/'],
  desk: ['engine/', 'bots/', 'venues/', 'store/', 'market/', 'access/', 'notify/', 'domain/', 'schemas/'],
  api: ['desk/api/api-port.ts', 'access/', 'domain/', 'schemas/', 'type:engine/'],
  client: ['domain/', 'schemas/'],
  console: ['desk/console/protocol.ts', 'domain/', 'schemas/'],
  cli: [''],
  'compile-cache.ts': [],
  'main.ts': ['cli/', 'compile-cache.ts'],
};

/** Imports that single files and folders may have beyond their layer's. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'venues/paper/': ['type:market/', 'type:store/'],
  'venues/venue-kind.ts': ['type:market/'],
  'venues/binance/': ['type:market/'],
  'venues/bybit/': ['type:market/'],
  'venues/kit/live-market.ts': ['type:market/'],
  'venues/kit/market-form.ts': ['type:market/'],
  'venues/okx/': ['type:market/'],
  'desk/open-desk.ts': ['api/start-api.ts'],
  'desk/facades.ts': ['api/start-api.ts'],
  'desk/hosting/worker.ts': ['compile-cache.ts'],
};

/** Layers that may name only these packages; Node's own modules are packages here. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  schemas: ['typebox'],
  domain: ['type:typebox'],
  engine: ['type:typebox'],
  bots: ['type:typebox'],
};

const PURE_LAYERS = ['domain', 'engine', 'bots'];
/**
 * Names that give access to a clock, chance, the outside world, waiting, or the machine's language settings.
 */
const IMPURE_NAMES = [
  'Date',
  'performance',
  'Temporal',
  'Intl',
  'toLocaleString',
  'toLocaleLowerCase',
  'toLocaleUpperCase',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'await',
  'async',
  'Promise',
  'localeCompare',
  'crypto',
  'fetch',
  'process',
  'console',
  'globalThis',
  'require',
  'WebSocket',
  'Worker',
  'eval',
];
const IMPURE_NAME = new RegExp(
  `(?<![.\\w$])(?:${IMPURE_NAMES.join('|')})(?![\\w$])|\\bMath\\s*\\.\\s*random\\b|\\.(?:localeCompare|toLocale\\w+)\\b`,
  'g',
);

const MAX_LINES = 500;

/** Public files of bot types: they lie in the type's folder, and belong to the schemas. */
const SHOWN_OF_BOTS = /^bots\/types\/(?:index|[^/]+\/(?:schema|words))\.ts$/;

/** The path by which a file's layer is decided: a file in one folder may belong to another layer. */
function homeOf(path: string): string {
  return SHOWN_OF_BOTS.test(path) ? path.replace(/^bots/, 'schemas') : path;
}

function layerOf(path: string): string {
  return homeOf(path).split('/', 1)[0] ?? path;
}

/** Imports that cross the layers, leave `src`, or name a package that the layer may not use. */
export function layerViolations(file: SourceFile): string[] {
  const layer = layerOf(file.path);
  const allowed = ALLOWED[layer];
  if (!allowed) return [`${file.path}: belongs to no layer`];
  const exceptions = Object.entries(EXCEPTIONS).flatMap(([path, extra]) =>
    file.path.startsWith(path) ? extra : [],
  );
  const rules = [...allowed, ...exceptions, layer.endsWith('.ts') ? layer : `${layer}/`];
  const packages = PACKAGES[layer];
  const violations: string[] = [];
  for (const line of importsOf(file.text)) {
    const where = `${file.path}:${line.line}`;
    if (line.specifier.startsWith('.')) {
      const target = join(dirname(file.path), line.specifier);
      if (!isAllowed(target, line, rules)) {
        violations.push(`${where}: ${layer} may not import ${line.typeOnly ? 'types of ' : ''}${target}`);
      }
    } else if (packages && !isAllowed(packageOf(line.specifier), line, packages)) {
      violations.push(`${where}: ${layer} may not import the package ${line.specifier}`);
    }
  }
  return violations;
}

function isAllowed(target: string, line: ImportLine, rules: readonly string[]): boolean {
  if (target.startsWith('..')) return false;
  const home = homeOf(target);
  return rules.some((rule) => {
    const typesOnly = rule.startsWith('type:');
    const name = typesOnly ? rule.slice('type:'.length) : rule;
    const matches = name === '' || name.endsWith('/') ? home.startsWith(name) : home === name;
    return matches && (line.typeOnly || !typesOnly);
  });
}

function packageOf(specifier: string): string {
  const [scope = '', name = ''] = specifier.split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

/** Forbidden names in the pure core: pure code needs none of them. */
export function purityViolations(file: SourceFile): string[] {
  if (!PURE_LAYERS.includes(layerOf(file.path))) return [];
  const code = codeOf(file.text);
  return [...code.matchAll(IMPURE_NAME)].map(
    (match) => `${file.path}:${lineAt(code, match.index)}: the pure core may not use ${match[0]}`,
  );
}

/**
 * The files of the venues that may import the network itself, send requests with it, or open sockets with it.
 */
const NETWORK_FILES = ['venues/kit/net-of-node.ts', 'venues/kit/dial.ts'];
const SENDING_FILES = [...NETWORK_FILES, 'venues/kit/caller.ts'];
const SOCKET_FILES = [...NETWORK_FILES, 'venues/kit/line.ts'];
const NETWORK_PACKAGE = /^(?:undici|ws|(?:node:)?(?:https?|http2|net|tls|dgram))$/;

/**
 * Ways around the caller and the line of `venues/kit/`: an adapter may reach its exchange only through these
 * two.
 */
export function sendingViolations(file: SourceFile): string[] {
  // The paper exchange runs in this process and does not use the network.
  if (layerOf(file.path) !== 'venues' || file.path.startsWith('venues/paper/')) return [];
  const violations: string[] = [];
  const code = codeOf(file.text);
  const report = (pattern: RegExp, files: readonly string[], what: string) => {
    if (files.includes(file.path)) return;
    for (const match of code.matchAll(pattern))
      violations.push(`${file.path}:${lineAt(code, match.index)}: ${what}`);
  };
  for (const { specifier, line } of importsOf(file.text))
    if (NETWORK_PACKAGE.test(specifier) && !NETWORK_FILES.includes(file.path))
      violations.push(`${file.path}:${line}: ${specifier} past the kit's network`);
  report(/(?<![.\w$])(?:fetch|WebSocket|EventSource)(?=\s*\()/g, NETWORK_FILES, 'the network past the kit');
  report(/\.\s*request\s*\(/g, SENDING_FILES, 'a request past the caller');
  report(/\.\s*socket\s*\(/g, SOCKET_FILES, 'a socket past the line');
  return violations;
}

/**
 * Rules for every source file: length, first comment, no default export, `console` only in the command line.
 */
export function styleViolations(file: SourceFile): string[] {
  const violations: string[] = [];
  const code = codeOf(file.text);
  const lines = file.text.replace(/\n$/, '').split('\n').length;
  if (lines > MAX_LINES) violations.push(`${file.path}: ${lines} lines, ${MAX_LINES} at most`);
  if (!file.text.startsWith('/**')) {
    violations.push(`${file.path}:1: begins with no doc comment that says what it is for`);
  }
  const report = (pattern: RegExp, what: string) => {
    for (const match of code.matchAll(pattern)) {
      violations.push(`${file.path}:${lineAt(code, match.index)}: ${what}`);
    }
  };
  report(/(?<![.\w$])export\s+default\b|\bas\s+default\b/g, 'default export');
  if (layerOf(file.path) !== 'cli') report(/(?<![.\w$])console\s*\./g, 'console outside cli');
  report(/\.\.\.\{/g, 'an object literal spread into another: name its fields there');
  for (const match of file.text.matchAll(/\/\*\*(?:\s*\n\s*\*)? Of /g)) {
    violations.push(`${file.path}:${lineAt(file.text, match.index)}: a doc comment that begins with "Of"`);
  }
  return violations;
}
