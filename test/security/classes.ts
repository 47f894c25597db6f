/**
 * The classes of attacks that are tested against Outcry, in the order of docs/security-tests.md. A test names
 * its class with `attacked`; a class without a test, or a test without a class, fails document.test.ts.
 */

export interface AttackClass {
  /** The name that tests use and the document shows. */
  readonly name: string;
  /** The attacker. */
  readonly who: 'anyone' | 'a trade key' | 'a local user' | 'a hostile server' | 'chance';
  /** What the defence guarantees. */
  readonly holds: string;
}

export const ATTACK_CLASSES: readonly AttackClass[] = [
  {
    name: 'request targets: encodings, absolute form, path against body',
    who: 'anyone',
    holds: 'what is signed is what is executed',
  },
  {
    name: 'auth headers: doubled, folded, listed, padded, misspelt',
    who: 'anyone',
    holds: 'one right value of each or 401',
  },
  {
    name: 'framing: smuggling, chunks, trailers, bare line ends, overrides',
    who: 'anyone',
    holds: 'no second request is seen in one',
  },
  { name: 'odd request lines and methods', who: 'anyone', holds: 'refused before a route is looked for' },
  { name: 'replay in one process', who: 'anyone', holds: 'a signature is taken once' },
  {
    name: 'replay over restarts and steps of the clock',
    who: 'anyone',
    holds: 'no signed change is made twice',
  },
  { name: 'small-order and non-canonical keys', who: 'anyone', holds: 'neither registered nor used' },
  {
    name: 'idempotency keys: other users, shields, races',
    who: 'a trade key',
    holds: 'one key, one user, one order',
  },
  { name: 'what belongs to another user', who: 'a trade key', holds: '404, and nothing of it has changed' },
  {
    name: 'tiers, IP lists, shields, other streams',
    who: 'a trade key',
    holds: 'a key does and hears only what it may',
  },
  {
    name: 'revocation in the middle of requests and streams',
    who: 'a trade key',
    holds: 'nothing is accepted after the answer',
  },
  {
    name: 'targets of alerts: URLs, redirects, templates',
    who: 'a trade key',
    holds: 'nothing is sent but to what config.toml names',
  },
  {
    name: 'addresses: /64, mapped, forwarded, spellings of CIDR',
    who: 'anyone',
    holds: 'one sender is one address',
  },
  {
    name: 'limiters: many loopback addresses, starving the owner',
    who: 'a local user',
    holds: 'one budget for all, and the owner keeps a share',
  },
  {
    name: 'slow headers, bodies, upgrades, idle sockets',
    who: 'anyone',
    holds: 'closed in bounded time, others are served',
  },
  {
    name: 'connections until none is left',
    who: 'anyone',
    holds: 'others connect, and the console attaches',
  },
  { name: 'HTTP clients that never read', who: 'anyone', holds: 'memory is bounded' },
  { name: 'WebSockets that never read', who: 'anyone', holds: 'memory is bounded, the socket is cut' },
  { name: 'WebSocket floods', who: 'anyone', holds: 'closed with the code of its limit' },
  {
    name: 'expensive requests: headers, bodies, queries',
    who: 'anyone',
    holds: 'bounded before it is looked at',
  },
  { name: 'state without bound', who: 'a trade key', holds: 'refused at the bound, the console attaches' },
  { name: 'one request that stalls the desk', who: 'a trade key', holds: 'the desk goes on beside it' },
  {
    name: 'attach socket: broken frames, wrong calls, silence',
    who: 'a local user',
    holds: 'the desk goes on and others attach',
  },
  {
    name: 'data folder: shared, linked, foreign, taken',
    who: 'a local user',
    holds: 'the start is refused, nothing outside is touched',
  },
  {
    name: 'log files: no descriptor left, removed, washed',
    who: 'a local user',
    holds: 'the desk goes on, old lines stay',
  },
  {
    name: 'log lines with control characters',
    who: 'a trade key',
    holds: 'a terminal that shows the file obeys nothing',
  },
  {
    name: 'hostile text on the screen',
    who: 'a trade key',
    holds: 'drawn as marks, in every way of drawing',
  },
  {
    name: 'hostile text in messages of the command line',
    who: 'a hostile server',
    holds: 'shown without its control characters',
  },
  { name: '$EDITOR and its file', who: 'a local user', holds: 'only the owner reads it, and it is removed' },
  { name: 'CSV cells', who: 'a trade key', holds: 'no cell is a formula' },
  {
    name: 'secrets in files, logs, streams, command lines',
    who: 'a local user',
    holds: 'found in none but the key file',
  },
  { name: 'TLS: versions, ciphers, open key files', who: 'anyone', holds: 'TLS 1.2 with AEAD and 1.3 only' },
  {
    name: 'supply chain: lock file, planted programs',
    who: 'a local user',
    holds: 'every package has its checksum, no sibling is run',
  },
  {
    name: 'the debugger, opened by a signal',
    who: 'a local user',
    holds: 'no port is opened, the desk goes on',
  },
  {
    name: 'random requests and messages, well formed and not',
    who: 'chance',
    holds: 'an answer of the documented form, the desk goes on',
  },
];
