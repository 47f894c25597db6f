/**
 * Adds a description for the API document to a schema that is used in several places. No logic beyond the
 * copy.
 */
import type { TSchema } from 'typebox';

/**
 * Returns the same schema with a description of its own; types and validation stay the same. A *refusal* does
 * not use this text for a field but `x-must-be`, or words made from the schema itself.
 */
export function described<S extends TSchema>(schema: S, description: string): S {
  // TypeBox keeps its kind and the optional mark as hidden properties: a spread would lose them.
  const copy: S = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as S;
  return Object.assign(copy, { description });
}
