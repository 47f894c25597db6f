/** `GET /api/openapi.json`: the documentation of the API, for everyone (S29). Made on the first request. */
import { Type } from 'typebox';
import { ok } from '../../domain/errors.ts';
import { openApiDocument } from '../openapi/document.ts';
import { type Route, read } from '../route-table.ts';

const Document = Type.Object({ openapi: Type.String() }, { additionalProperties: true });

/** @param routes every route that the document describes, this one too */
export function documentRoute(routes: () => readonly Route[]): Route {
  let text: string | null = null;
  return read('GET /openapi.json', {
    summary: 'This document',
    description: 'OpenAPI 3.1. Needs no signature.',
    errors: [429, 500],
    query: Type.Object({}),
    response: Document,
    async run() {
      return ok({ openapi: '3.1.0' });
    },
    own: {
      schema: Document,
      render: () => {
        text ??= JSON.stringify(openApiDocument(routes()));
        return text;
      },
    },
  });
}
