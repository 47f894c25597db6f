/** The envelopes of every answer (specification, "Conventions" and "Errors"), for the documentation. `domain/envelope.ts` writes them. No logic. */
import { type Static, Type } from 'typebox';

const requestId = Type.String({
  format: 'uuid',
  description: 'Names this request in the log of the service.',
});
const timestamp = Type.Integer({ format: 'int64', description: "The service's time, Unix ms." });
const version = Type.String({ description: 'Of the API.' });

export const Meta = Type.Object({ requestId, timestamp, version }, { title: 'Meta' });

/** Of a request that changes something. */
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

/** Every code that an error answer can carry is listed in the component by the generator. */
export const ErrorMeta = Type.Object({ requestId });

export type Meta = Static<typeof Meta>;
export type WriteMeta = Static<typeof WriteMeta>;
