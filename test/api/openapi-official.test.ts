import { expect, it } from 'vitest';
import { DOCUMENT } from '../support/openapi-check.ts';

interface Official {
  readonly Validator: new () => {
    readonly version: string;
    validate(document: object): Promise<{ valid: boolean; errors?: unknown }>;
  };
}

/** The package with the schema that the OpenAPI Initiative publishes. */
const PACKAGE = '@seriousme/openapi-schema-validator';

it('the document is OpenAPI 3.1 by the official schema', async () => {
  const { Validator }: Official = await import(PACKAGE);
  const validator = new Validator();
  const result = await validator.validate(structuredClone(DOCUMENT));
  expect(result.errors ?? []).toEqual([]);
  expect([result.valid, validator.version]).toEqual([true, '3.1']);

  const broken = JSON.parse(JSON.stringify(DOCUMENT).replace('"in":"query"', '"in":"nowhere"'));
  expect((await new Validator().validate(broken)).valid).toBe(false);
});
