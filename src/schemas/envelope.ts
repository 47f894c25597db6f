/**
 * The envelopes of every response (specification, "Conventions" and "Errors"), for the documentation.
 * `domain/envelope.ts` writes them. No logic.
 */
import { type Static, Type } from 'typebox';

const requestId = Type.String({
  format: 'uuid',
  description: 'Names this request in the log of the service.',
});
const timestamp = Type.Integer({ format: 'int64', description: "The service's time, Unix ms." });
const version = Type.String({ description: 'Of the API.' });

export const Meta = Type.Object({ requestId, timestamp, version }, { title: 'Meta' });

/** Metadata of the response to a request that changes something. */
export const WriteMeta = Type.Object(
  {
    requestId,
    timestamp,
    version,
    idempotencyKey: Type.Optional(
      Type.String({ format: 'uuid', description: 'The X-Idempotency-Key, when the request carried one.' }),
    ),
  },
  { title: 'WriteMeta' },
);

/** The generator lists every code that an error response can have in this component. */
export const ErrorMeta = Type.Object({ requestId });

export type Meta = Static<typeof Meta>;
export type WriteMeta = Static<typeof WriteMeta>;
