import { z } from 'zod'
import { invalidField } from '../refusal.ts'

/** The top-level fields of input schemas, read once. */
const fieldsBySchema = new WeakMap<z.ZodType, ReadonlySet<string>>()

/**
 * Rejects fields of the body that a changing call passes in its query string, where they would be
 * ignored. Other query parameters are ignored. @param path the operation's, such as /lists/{id}
 * @throws Refusal INVALID_INPUT
 */
export function refuseFieldsInQuery(query: URLSearchParams, inputSchema: z.ZodType, path: string): void {
  for (const parameter of query.keys()) {
    const [name = ''] = parameter.split('[', 1)
    if (fieldsOf(inputSchema).has(name) && !path.includes(`{${name}}`))
      throw invalidField(name, 'must be in the body, not in the query string')
  }
}

function fieldsOf(schema: z.ZodType): ReadonlySet<string> {
  const fields =
    fieldsBySchema.get(schema) ?? new Set(namesIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })))
  fieldsBySchema.set(schema, fields)
  return fields
}

type JsonSchema = Pick<z.core.JSONSchema.BaseSchema, 'properties' | 'anyOf' | 'oneOf' | 'allOf'>

function namesIn({ properties = {}, anyOf = [], oneOf = [], allOf = [] }: JsonSchema): string[] {
  return [...Object.keys(properties), ...[...anyOf, ...oneOf, ...allOf].flatMap((part) => namesIn(part as JsonSchema))]
}
