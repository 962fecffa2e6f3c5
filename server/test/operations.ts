import { contract } from '@x-automated/contract/contract'
import type { ErrorCode } from '@x-automated/contract/errors'
import type { OperationMeta } from '@x-automated/contract/route'
import { z } from 'zod'

/** One operation of the contract, for tests that cover all of them. */
export interface Operation extends OperationMeta {
  /** `leads.list` */
  name: string
  method: string
  /** With its parameters, such as `/lists/{id}`. */
  path: string
  declared: ErrorCode[]
  /** Whether the operation has input that can be malformed. Ids in paths can only be unknown. */
  takesInput: boolean
  /** The input as JSON Schema. */
  input: JsonSchema
}

/** The part of JSON Schema that tests need to generate invalid input. */
export interface JsonSchema {
  type?: string
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
}

interface Procedure {
  '~orpc': {
    route: { method: string; path: string }
    meta: OperationMeta
    errorMap: Record<string, unknown>
    inputSchema?: z.ZodType & { shape?: object }
  }
}

/** All operations of the contract. */
export const operations: Operation[] = Object.entries(contract).flatMap(([domain, procedures]) =>
  Object.entries(procedures as unknown as Record<string, Procedure>).map(([key, procedure]) => {
    const { route, meta, errorMap, inputSchema } = procedure['~orpc']
    return {
      name: `${domain}.${key}`,
      method: route.method,
      path: route.path,
      declared: Object.keys(errorMap) as ErrorCode[],
      input: inputSchema ? jsonSchemaOf(inputSchema) : {},
      takesInput: inputSchema !== undefined && !(route.method === 'GET' && isInPath(inputSchema.shape, route.path)),
      ...meta,
    }
  }),
)

/** Describes the output of `z.preprocess`, because its input can be anything. */
function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { def } = (schema as z.ZodPipe)._zod
  const isPreprocessed = def.type === 'pipe' && def.in._zod.def.type === 'transform'
  const inputSchema = isPreprocessed ? (def.out as z.ZodType) : schema
  return z.toJSONSchema(inputSchema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
}

/** Whether all fields of the schema are path parameters. */
function isInPath(fields: object | undefined, path: string): boolean {
  return fields !== undefined && Object.keys(fields).every((field) => path.includes(`{${field}}`))
}

/** The path with every parameter replaced by `id`. */
export function pathWith(operation: Operation, id: string): string {
  return operation.path.replace(/\{\w+\}/g, id)
}
