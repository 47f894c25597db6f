/** Words for the API's documentation on a schema that is used in several places. No logic beyond the copy. */
import type { TSchema } from 'typebox';

/**
 * The same schema with a description of its own; types and validation stay. What a *refusal* says of a field is not this
 * text but `x-must-be`, or words made from the schema itself.
 */
export function described<S extends TSchema>(schema: S, description: string): S {
  // TypeBox keeps its kind and the optional mark as hidden properties: a spread would lose them.
  const copy: S = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as S;
  return Object.assign(copy, { description });
}
