/**
 * The peer without product code: bare node:http, node:crypto and node:sqlite. It verifies the signature over
 * the raw bytes and answers; for orders it parses the body and writes the given rows, in as many group
 * commits one after the other. Commands: `serveGet`, `servePost`, `counters`, `close`.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { answerCommands, cpuMs } from './answering.ts';
import type { WritePlan } from './write-plan.ts';

const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

let server: Server | null = null;
let database: DatabaseSync | null = null;
let commits = 0;
let rows = 0;

function keyOf(id: string): KeyObject {
  const key = Buffer.concat([SPKI_PREFIX, Buffer.from(id, 'base64url')]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}

function isSigned(req: IncomingMessage, body: Buffer, key: KeyObject): boolean {
  const path = (req.url as string).slice('/api'.length);
  const head = Buffer.from(`${req.headers['x-svc-timestamp']}${req.method}${path}`);
  const signature = Buffer.from(req.headers['x-svc-sign'] as string, 'base64url');
  return verify(null, Buffer.concat([head, body]), key, signature);
}

function listen(handler: (req: IncomingMessage, res: ServerResponse) => void): Promise<number> {
  const listening = createServer(handler);
  server = listening;
  return new Promise((done) =>
    listening.listen(0, '127.0.0.1', () => done((listening.address() as AddressInfo).port)),
  );
}

function withBody(req: IncomingMessage, use: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => use(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
}

function answer(res: ServerResponse, status: number, body: string): void {
  res.writeHead(status, { ...HEADERS, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** Group commits: all rows added in one turn of the event loop are one transaction. */
class Writer {
  readonly #db: DatabaseSync;
  readonly #plan: WritePlan;
  readonly #upserts = new Map<string, StatementSync>();
  readonly #append: StatementSync;
  #waiting: Waiting[][];
  #scheduled: boolean[];

  constructor(file: string, plan: WritePlan) {
    const db = new DatabaseSync(file);
    db.exec('PRAGMA journal_mode = wal; PRAGMA synchronous = 2; PRAGMA wal_autocheckpoint = 1000');
    db.exec('CREATE TABLE appended (seq INTEGER PRIMARY KEY, doc TEXT NOT NULL) STRICT');
    for (const table of new Set(plan.phases.flatMap((p) => [...p.each, ...p.once]).map((row) => row.table))) {
      db.exec(`CREATE TABLE t_${table} (id TEXT PRIMARY KEY, doc TEXT NOT NULL) STRICT`);
      this.#upserts.set(
        table,
        db.prepare(
          `INSERT INTO t_${table} (id, doc) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc`,
        ),
      );
    }
    this.#db = db;
    this.#plan = plan;
    this.#append = db.prepare('INSERT INTO appended (doc) VALUES (?)');
    this.#waiting = plan.phases.map(() => []);
    this.#scheduled = plan.phases.map(() => false);
    database = db;
  }

  /** Writes the rows of all phases; calls `done` after the last commit. */
  write(id: string, order: Record<string, unknown>, done: () => void): void {
    this.#add(0, { id, order, done });
  }

  #add(phase: number, entry: Waiting): void {
    if (phase === this.#plan.phases.length) {
      entry.done();
      return;
    }
    this.#waiting[phase]?.push(entry);
    if (this.#scheduled[phase]) return;
    this.#scheduled[phase] = true;
    setImmediate(() => this.#commit(phase));
  }

  #commit(phase: number): void {
    const { each, once } = this.#plan.phases[phase] as WritePlan['phases'][number];
    const batch = this.#waiting[phase] ?? [];
    this.#waiting[phase] = [];
    this.#scheduled[phase] = false;
    this.#db.exec('BEGIN IMMEDIATE');
    for (const { id, order } of batch) for (const row of each) this.#row(row, `${id}${row.key}`, order);
    for (const row of once) this.#row(row, row.key, {});
    this.#db.exec('COMMIT');
    commits += 1;
    for (const entry of batch) this.#add(phase + 1, entry);
  }

  #row(row: WritePlan['phases'][number]['each'][number], id: string, order: Record<string, unknown>): void {
    rows += 1;
    const doc = JSON.stringify({ ...order, ...row.doc });
    if (row.appends) this.#append.run(doc);
    else this.#upserts.get(row.table)?.run(id, doc);
  }
}

interface Waiting {
  readonly id: string;
  readonly order: Record<string, unknown>;
  readonly done: () => void;
}

answerCommands({
  serveGet: ({ keyId, body }: { keyId: string; body: string }) => {
    const key = keyOf(keyId);
    return listen((req, res) =>
      withBody(req, (bytes) => answer(res, isSigned(req, bytes, key) ? 200 : 401, body)),
    );
  },
  servePost: ({ keyId, file, plan }: { keyId: string; file: string; plan: WritePlan }) => {
    const key = keyOf(keyId);
    const writer = new Writer(file, plan);
    let count = 0;
    return listen((req, res) =>
      withBody(req, (bytes) => {
        if (!isSigned(req, bytes, key)) return answer(res, 401, '{}');
        JSON.parse(bytes.toString('utf8'));
        const id = `ps-${Date.now().toString(36)}${String(count++).padStart(13, '0')}`;
        writer.write(id, { id }, () =>
          answer(res, 200, JSON.stringify({ ...plan.answer, meta: { requestId: id } })),
        );
      }),
    );
  },
  counters: () => ({ commits, rows, cpuMs: cpuMs() }),
  close: () => {
    server?.closeAllConnections();
    server?.close();
    database?.close();
  },
});
