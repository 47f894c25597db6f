/** Routes for time, status, version (public), ping and the list of exchange accounts. */
import { Type } from 'typebox';
import { API_VERSION } from '../../domain/envelope.ts';
import { ok } from '../../domain/errors.ts';
import {
  ExchangeEntry,
  LegacyPing,
  Pong,
  ServerStatus,
  ServerTime,
  ServerVersion,
} from '../../schemas/portfolio.ts';
import { type Route, read } from '../route-table.ts';

const NoQuery = Type.Object({});
/** Name of the service (S22). */
const SERVICE = 'outcry';

export const serverRoutes: readonly Route[] = [
  read('GET /server/time', {
    summary: 'Time of the service',
    description: 'Keep the offset to your own clock if the two differ: signatures allow 5 s.',
    errors: [429, 500],
    query: NoQuery,
    response: ServerTime,
    async run({ desk }) {
      return ok<ServerTime>({ serverTime: desk.now(), timezone: 'UTC' });
    },
  }),
  read('GET /server/status', {
    summary: 'Whether the service works',
    errors: [429, 500],
    query: NoQuery,
    response: ServerStatus,
    async run({ desk }) {
      return ok<ServerStatus>({ status: 'operational', apiVersion: API_VERSION, timestamp: desk.now() });
    },
  }),
  read('GET /server/version', {
    summary: 'Versions and start of the service',
    errors: [429, 500],
    query: NoQuery,
    response: ServerVersion,
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
    summary: 'Tries a key',
    description:
      'Needs a key of any tier. Answers in the legacy envelope: `status` beside `data`, no `meta`. Errors have the usual envelope.',
    errors: [401, 429, 500],
    query: NoQuery,
    response: Pong,
    async run({ desk }) {
      return ok<Pong>({ message: 'pong', timestamp: desk.now() });
    },
    own: { render: (data) => JSON.stringify({ status: 'success', data }), schema: LegacyPing },
  }),
  read('GET /exchange/supported', {
    summary: 'The exchange accounts',
    description: 'Their ids are what `exchange` takes everywhere else.',
    errors: [400, 401, 403, 429, 500],
    query: NoQuery,
    response: Type.Array(ExchangeEntry),
    async run({ desk, user }) {
      return ok<ExchangeEntry[]>(desk.accounts(user).map(({ id, name, kind }) => ({ id, name, type: kind })));
    },
  }),
];
