import { contract } from '@x-automated/contract/contract'
import type { ErrorCode } from '@x-automated/contract/errors'
import type { OperationMeta } from '@x-automated/contract/route'
import { z } from 'zod'

/** One operation of the contract, as tests walk over all of them. */
export interface Operation extends OperationMeta {
  /** `leads.list` */
  name: string
  method: string
  /** With its parameters, `/lists/{id}`. */
  path: string
  declared: ErrorCode[]
  /** Something of what it is given can be malformed: an id in a path never is, only unknown. */
  takesInput: boolean
  /** What it is given, as JSON Schema. */
  input: JsonSchema
}

/** As much of JSON Schema as tests need to make wrong inputs. */
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

/** Every operation there is. */
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

/** Of `z.preprocess` what comes out of it: what goes in can be anything. */
function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { def } = (schema as z.ZodPipe)._zod
  const isPreprocessed = def.type === 'pipe' && def.in._zod.def.type === 'transform'
  const taken = isPreprocessed ? (def.out as z.ZodType) : schema
  return z.toJSONSchema(taken, { io: 'input', unrepresentable: 'any' }) as JsonSchema
}

/** Are all fields of a query's schema in the path? */
function isInPath(fields: object | undefined, path: string): boolean {
  return fields !== undefined && Object.keys(fields).every((field) => path.includes(`{${field}}`))
}

/** The path with every parameter filled by `id`. */
export function pathWith(operation: Operation, id: string): string {
  return operation.path.replace(/\{\w+\}/g, id)
}
