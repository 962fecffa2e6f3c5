import { contract } from '@x-automated/contract/contract'
import type { ErrorCode } from '@x-automated/contract/errors'
import type { OperationMeta } from '@x-automated/contract/route'

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
}

interface Procedure {
  '~orpc': {
    route: { method: string; path: string }
    meta: OperationMeta
    errorMap: Record<string, unknown>
    inputSchema?: { shape?: object }
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
      takesInput: inputSchema !== undefined && !(route.method === 'GET' && isInPath(inputSchema.shape, route.path)),
      ...meta,
    }
  }),
)

/** Are all fields of a query's schema in the path? */
function isInPath(fields: object | undefined, path: string): boolean {
  return fields !== undefined && Object.keys(fields).every((field) => path.includes(`{${field}}`))
}

/** The path with every parameter filled by `id`. */
export function pathWith(operation: Operation, id: string): string {
  return operation.path.replace(/\{\w+\}/g, id)
}
