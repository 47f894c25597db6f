/** Time, status, version (public), ping and the list of exchange accounts. */
import { Type } from 'typebox';
import { API_VERSION } from '../../domain/envelope.ts';
import { ok } from '../../domain/errors.ts';
import type { ExchangeEntry, ServerStatus, ServerTime, ServerVersion } from '../../schemas/portfolio.ts';
import { type Route, read } from '../route-table.ts';

const NoQuery = Type.Object({});
/** S22. */
const SERVICE = 'outcry';

export const serverRoutes: readonly Route[] = [
  read('GET /server/time', {
    query: NoQuery,
    async run({ desk }) {
      return ok<ServerTime>({ serverTime: desk.now(), timezone: 'UTC' });
    },
  }),
  read('GET /server/status', {
    query: NoQuery,
    async run({ desk }) {
      return ok<ServerStatus>({ status: 'operational', apiVersion: API_VERSION, timestamp: desk.now() });
    },
  }),
  read('GET /server/version', {
    query: NoQuery,
    async run({ desk }) {
      return ok<ServerVersion>({
        service: SERVICE,
        apiVersion: API_VERSION,
        node: process.version,
        startedAt: desk.startedAt,
        uptimeSec: Math.max(0, Math.floor((desk.now() - desk.startedAt) / 1000)),
      });
    },
  }),
  read('GET /ping', {
    query: NoQuery,
    async run({ desk }) {
      return ok({ message: 'pong', timestamp: desk.now() });
    },
    /** The legacy envelope (S21). */
    render: (data) => JSON.stringify({ status: 'success', data }),
  }),
  read('GET /exchange/supported', {
    query: NoQuery,
    async run({ desk }) {
      return ok<ExchangeEntry[]>(desk.accounts().map(({ id, name, kind }) => ({ id, name, type: kind })));
    },
  }),
];
