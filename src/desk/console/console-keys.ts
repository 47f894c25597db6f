/**
 * The console's calls about API keys: they are checked, registered, revoked and shown for the one local
 * operator, whatever else a terminal may send. A private key is written to its file once and read again only
 * to be shown once or to sign a worked example.
 */
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  type GeneratedKeyFile,
  generateKeyFile,
  pingExample,
  readPrivateKeyFile,
} from '../../access/key-files.ts';
import type { KeyOrigin, NewKey } from '../../access/key-registry.ts';
import { explainRequest } from '../../access/lab.ts';
import type { AccessKey, KeySettings } from '../../domain/access-key.ts';
import { OWNER } from '../../domain/actor.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import type { Row } from '../../domain/rows.ts';
import { DEFAULT_API_URL } from '../options.ts';
import type { ConsoleFacadeOptions } from './console-facade.ts';
import type { KeyExample, Params, Result } from './protocol.ts';

type KeyOptions = Pick<
  ConsoleFacadeOptions,
  'core' | 'dataDir' | 'apiUrl' | 'wall' | 'randomBytes' | 'closeSocketsOf' | 'startedAt' | 'routeOf'
>;

/** How long after a key was made its private half can be shown, ms, and for how many keys. */
const REVEAL_MS = 10 * 60_000;
const REVEALS = 32;

export function keyHandlers(o: KeyOptions) {
  /** When each key was made whose private half was not shown yet. */
  const fresh = new Map<string, number>();
  return {
    'keys.list': (_: Params<'keys.list'>) => o.core.keys.list(OWNER),
    'keys.check': ({ publicKey, ...settings }: Params<'keys.check'>) =>
      o.core.keys.problems(owned(settings), accountsOf(o), publicKey),
    'keys.generate': async (settings: Params<'keys.generate'>) => {
      const made = await generate(o, settings);
      if (made.ok) fresh.set(made.data.key.id, o.wall());
      if (fresh.size > REVEALS) for (const oldest of [...fresh.keys()].slice(0, 1)) fresh.delete(oldest);
      return made;
    },
    'keys.reveal': async ({ id }: Params<'keys.reveal'>): Promise<Result<'keys.reveal'>> => {
      const madeAt = fresh.get(id);
      fresh.delete(id);
      if (madeAt === undefined || o.wall() - madeAt > REVEAL_MS) {
        return refuse(
          'INVALID_REQUEST',
          'a private key is shown once, right after it was made; read its file',
        );
      }
      return reveal(o, id);
    },
    'keys.explain': (request: Params<'keys.explain'>): Promise<Result<'keys.explain'>> => explain(o, request),
    'keys.register': async ({ publicKey, ...settings }: Params<'keys.register'>) => {
      const text = typeof publicKey === 'string' ? publicKey : '';
      const added = o.core.keys.register(owned(settings), text, o.wall(), { accounts: accountsOf(o) });
      if (!added.ok) return added;
      const { key, rows } = added.data;
      return stored(o, rows, `key ${nameOf(key)} registered, tier ${key.tier}`, key);
    },
    'keys.revoke': async ({ id }: Params<'keys.revoke'>): Promise<Result<'keys.revoke'>> => {
      const revoked = o.core.keys.revoke(id, o.wall(), OWNER);
      if (!revoked.ok) return revoked;
      const { key, rows } = revoked.data;
      const done = await stored(o, rows, `key ${nameOf(key)} revoked`, key);
      if (!done.ok) return done;
      const closedSockets = o.closeSocketsOf(id);
      if (closedSockets > 0)
        o.core.report('info', 'key', `sockets of key ${nameOf(key)} closed: ${closedSockets}`);
      return ok({ key, closedSockets });
    },
    'keys.example': ({ id }: Params<'keys.example'>): KeyExample | null => {
      const key = o.core.keys.find(id, OWNER);
      return key ? exampleOf(o, key) : null;
    },
  };
}

/** Returns only the settings in what a terminal has sent, as the operator's own. */
function owned({ label, tier, ipList, allowedExchanges }: KeySettings): NewKey {
  return { label, tier, ipList, allowedExchanges, user: OWNER };
}

function accountsOf({ core }: KeyOptions): string[] {
  return core.engine.memory.accountsOf(OWNER).map(({ account }) => account.id);
}

function nameOf({ id, label }: AccessKey): string {
  return `${id.slice(0, 8)} (${label})`;
}

async function generate(o: KeyOptions, given: KeySettings): Promise<Result<'keys.generate'>> {
  const settings = owned(given);
  const accounts = accountsOf(o);
  const problem = o.core.keys.settingsProblem(settings, accounts);
  if (problem) return problem;
  const file = writeKeyFile(o, settings.label);
  if (!file.ok) return file;
  const { path, publicKey, privateKey } = file.data;
  const done = await registerGenerated(o, settings, publicKey, { accounts, file: basename(path) });
  if (!done.ok) {
    // The new key was not registered: its file must not stay as if it opened anything.
    if (!o.core.keys.active(publicKey)) rmSync(path, { force: true });
    return done;
  }
  return ok({
    key: done.data,
    path,
    example: { ...pingExample(privateKey, o.wall()), command: tryIt(o, path) },
  });
}

function writeKeyFile(o: KeyOptions, label: string): Outcome<GeneratedKeyFile> {
  try {
    return ok(generateKeyFile({ dir: o.dataDir, label, randomBytes: o.randomBytes }));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const folder = join(o.dataDir, 'keys');
    return refuse(
      'SERVICE_UNAVAILABLE',
      `the private key could not be written to ${folder}: ${code ?? message}`,
    );
  }
}

async function registerGenerated(
  o: KeyOptions,
  settings: NewKey,
  publicKey: string,
  origin: KeyOrigin,
): Promise<Outcome<AccessKey>> {
  const added = o.core.keys.register(settings, publicKey, o.wall(), origin);
  if (!added.ok) return added;
  const { key, rows } = added.data;
  return stored(o, rows, `key ${nameOf(key)} generated, tier ${key.tier}`, key);
}

/** Makes a worked example, signed where the private key's file is still in the data folder. */
function exampleOf(o: KeyOptions, key: AccessKey): KeyExample {
  const path = key.file === null ? null : join(o.dataDir, 'keys', basename(key.file));
  const read = path === null ? null : readPrivateKeyFile(path);
  if (path !== null && read && 'privateKey' in read && read.publicKey === key.id) {
    return { ...pingExample(read.privateKey, o.wall()), command: tryIt(o, path) };
  }
  return { message: `${o.wall()}GET/v2/ping`, signature: null, command: tryIt(o, 'FILE.pem') };
}

/** Returns the content of the key's file. That it was shown is logged, but not its content. */
async function reveal(o: KeyOptions, id: string): Promise<Result<'keys.reveal'>> {
  const key = o.core.keys.find(id, OWNER);
  const path = key?.file == null ? null : join(o.dataDir, 'keys', basename(key.file));
  const read = path === null ? null : readPrivateKeyFile(path);
  if (!key || !read || 'problem' in read || read.publicKey !== id) {
    return refuse('INVALID_REQUEST', `the file of this key is not there any more`);
  }
  o.core.report('warn', 'key', `private key of ${nameOf(key)} shown at a terminal`);
  return ok({ pem: read.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() });
}

async function explain(o: KeyOptions, request: Params<'keys.explain'>): Promise<Result<'keys.explain'>> {
  const key = o.core.keys.find(request.id, OWNER);
  if (!key) return { rules: [], hint: null };
  const { method, target, body, timestamp, signature } = request;
  return explainRequest(
    { method, target, body, timestamp, signature },
    {
      key,
      keys: o.core.keys.list(OWNER).filter(({ revokedAt }) => revokedAt === null),
      now: o.wall(),
      startedAt: o.startedAt,
      route: o.routeOf,
    },
  );
}

/** Returns a command to try the key; it needs the API's address only where that is not the usual one. */
function tryIt({ apiUrl }: KeyOptions, path: string): string {
  const command = `outcry ping --key ${path}`;
  return apiUrl === DEFAULT_API_URL ? command : `${command} --url ${apiUrl}`;
}

/** Commits the rows of a key change and resolves when they are on disk. */
async function stored<T>(o: KeyOptions, rows: Row[], text: string, data: T): Promise<Outcome<T>> {
  o.core.report('info', 'key', text);
  o.core.turn.store([...rows], true);
  try {
    return await o.core.turn.read(() => {
      o.core.mark({ kind: 'keys' });
      return ok(data);
    });
  } catch {
    return refuse('SERVICE_UNAVAILABLE', 'the change could not be stored; try again');
  }
}
