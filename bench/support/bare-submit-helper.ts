/**
 * The peer of `submit` without product code: bare node:http accepts a signed order, makes one durable commit,
 * and sends it on with bare undici, signed as Binance requires. Commands: `serve`, `close`.
 */
import { createHmac, createPublicKey, verify } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'undici';
import { answerCommands } from './answering.ts';

const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

let server: Server | null = null;
let database: DatabaseSync | null = null;
let pool: Pool | null = null;

interface Given {
  /** Key id of the API. */
  readonly keyId: string;
  readonly file: string;
  readonly exchange: string;
  /** API key of the exchange. */
  readonly apiKey: string;
  readonly secret: string;
}

interface OrderBody {
  readonly symbol: string;
  readonly side: string;
  readonly type: string;
  readonly quantity: string;
  readonly price: string;
  readonly timeInForce: string;
}

answerCommands({
  serve: ({ keyId, file, exchange, apiKey, secret }: Given): Promise<number> => {
    const key = createPublicKey({
      key: Buffer.concat([SPKI_PREFIX, Buffer.from(keyId, 'base64url')]),
      format: 'der',
      type: 'spki',
    });
    const db = new DatabaseSync(file);
    db.exec('PRAGMA journal_mode = wal; PRAGMA synchronous = 2; PRAGMA wal_autocheckpoint = 1000');
    db.exec('CREATE TABLE orders (id TEXT PRIMARY KEY, doc TEXT NOT NULL) STRICT');
    const insert = db.prepare('INSERT INTO orders (id, doc) VALUES (?, ?)');
    database = db;
    const to = new Pool(exchange, { connections: 64, pipelining: 1 });
    pool = to;
    let count = 0;
    const listening = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const body = Buffer.concat(chunks);
        const path = (request.url ?? '').slice('/api'.length);
        const head = Buffer.from(`${request.headers['x-svc-timestamp']}${request.method}${path}`);
        const signature = Buffer.from(String(request.headers['x-svc-sign']), 'base64url');
        const isSigned = verify(null, Buffer.concat([head, body]), key, signature);
        const { symbol, side, type, quantity, price, timeInForce } = JSON.parse(
          body.toString('utf8'),
        ) as OrderBody;
        const newClientOrderId = `bare-${Date.now().toString(36)}${count++}`;
        db.exec('BEGIN IMMEDIATE');
        insert.run(newClientOrderId, body.toString('utf8'));
        db.exec('COMMIT');
        const query = new URLSearchParams({
          symbol,
          side,
          type,
          quantity,
          price,
          timeInForce,
          newClientOrderId,
          recvWindow: '5000',
          timestamp: String(Date.now()),
        }).toString();
        const signed = createHmac('sha256', secret).update(query).digest('hex');
        const answer = await to.request({
          method: 'POST',
          path: `/api/v3/order?${query}&signature=${signed}`,
          headers: { 'X-MBX-APIKEY': apiKey },
        });
        const text = await answer.body.text();
        const status = isSigned ? answer.statusCode : 401;
        response
          .writeHead(status, {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          })
          .end(text);
      });
    });
    server = listening;
    return new Promise((done) =>
      listening.listen(0, '127.0.0.1', () => done((listening.address() as AddressInfo).port)),
    );
  },
  close: async () => {
    server?.closeAllConnections();
    server?.close();
    await pool?.destroy();
    database?.close();
  },
});
