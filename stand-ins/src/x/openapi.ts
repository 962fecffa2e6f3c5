import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import type { FastifyRequest } from 'fastify'
import { invalidRequest } from './problems.ts'

// Checks requests and responses against X's own OpenAPI file (https://api.x.com/2/openapi.json,
// 2.167). Paths that are missing from the file are not checked.

type Schema = { type?: string; $ref?: string }
type Parameter = { name: string; in: string; required?: boolean; schema: Schema; explode?: boolean }
type Content = Record<string, { schema: Schema }>
type OperationObject = {
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: Content; required?: boolean }
  responses: Record<string, { content?: Content }>
}
type Document = {
  paths: Record<string, Record<string, OperationObject>>
  components: { parameters: Record<string, Parameter>; schemas: Record<string, object> }
}
type Check = (value: unknown) => string | undefined
type Operation = {
  parameters: Map<string, { in: string; isArray: boolean; isInteger: boolean; required: boolean; check: Check }>
  body: { check: Check; required: boolean; names: ReadonlySet<string> } | undefined
  answer: Check | undefined
}

/** Old names that X still accepts. */
const OLDER_NAMES: Record<string, string> = { 'tweet.fields': 'post.fields' }

const key = (method: string, path: string) => `${method} ${path.replace(/:\w+|\{\w+\}/g, '*')}`
const pointer = (...parts: string[]) =>
  `x#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`

let opened: ReturnType<typeof open> | undefined

/** Reads X's file. Called on the first request, so that reading does not delay the start. */
function open() {
  const document = JSON.parse(readFileSync(new URL('openapi.json', import.meta.url), 'utf8')) as Document
  const ajv = new Ajv({ strict: false, allErrors: false, logger: false })
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
  for (const format of ['int32', 'int64']) ajv.addFormat(format, true)
  ajv.addSchema(document, 'x')
  const paths = new Map<string, { path: string; method: string }>()
  for (const [path, methods] of Object.entries(document.paths))
    for (const method of Object.keys(methods)) paths.set(key(method.toUpperCase(), path), { path, method })
  return { document, ajv, paths, operations: new Map<string, Operation | undefined>() }
}

/** Returns a route's operation, or undefined if X does not document the route. */
function operationOf(method: string, route: string): Operation | undefined {
  opened ??= open()
  const { document, paths, operations } = opened
  const name = key(method, route)
  if (operations.has(name)) return operations.get(name)
  const entry = paths.get(name)
  const object = entry && document.paths[entry.path]?.[entry.method]
  const operation = object && readOperation(object, entry.path, entry.method)
  operations.set(name, operation)
  return operation
}

function readOperation(object: OperationObject, path: string, method: string): Operation {
  const parameters: Operation['parameters'] = new Map()
  for (const [index, entry] of (object.parameters ?? []).entries()) {
    const shared = '$ref' in entry ? (entry.$ref.split('/').at(-1) ?? '') : undefined
    const parameter = shared === undefined ? (entry as Parameter) : opened?.document.components.parameters[shared]
    if (!parameter) throw new Error(`X's file lacks the parameter ${shared}`)
    const schema =
      shared === undefined
        ? pointer('paths', path, method, 'parameters', String(index), 'schema')
        : pointer('components', 'parameters', shared, 'schema')
    parameters.set(parameter.name, {
      in: parameter.in,
      isArray: parameter.schema.type === 'array',
      isInteger: parameter.schema.type === 'integer',
      required: parameter.required ?? false,
      check: checkOf(schema),
    })
  }
  const bodySchema = object.requestBody?.content['application/json']?.schema
  const success = Object.keys(object.responses).find((status) => status.startsWith('2'))
  const hasAnswer = success !== undefined && object.responses[success]?.content?.['application/json'] !== undefined
  return {
    parameters,
    body: bodySchema && {
      check: checkOf(pointer('paths', path, method, 'requestBody', 'content', 'application/json', 'schema')),
      required: object.requestBody?.required ?? false,
      names: propertiesOf(bodySchema),
    },
    answer: hasAnswer
      ? checkOf(pointer('paths', path, method, 'responses', success, 'content', 'application/json', 'schema'))
      : undefined,
  }
}

function propertiesOf(schema: Schema): ReadonlySet<string> {
  const name = schema.$ref?.split('/').at(-1)
  const resolved = name === undefined ? schema : opened?.document.components.schemas[name]
  return new Set(Object.keys((resolved as { properties?: object } | undefined)?.properties ?? {}))
}

/** Compiles a schema when it is first needed. @returns a function that returns the problem of a value */
function checkOf(schema: string): Check {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= opened?.ajv.compile({ $ref: schema })
    if (!validate || validate(value)) return undefined
    const [error] = validate.errors ?? []
    const at = error?.instancePath.slice(1).replaceAll('/', '.') || String(error?.params.missingProperty ?? 'value')
    return `${at} ${error?.message ?? 'is not valid'}`
  }
}

/** Checks a request. @throws a 400 that names the first parameter or field that X's file does not allow */
export function checkRequest(request: FastifyRequest): void {
  const operation = operationOf(request.method, request.routeOptions.url ?? '')
  if (!operation) return
  const query = withNewNames(request.query as Record<string, unknown>, operation)
  for (const [name, value] of Object.entries(query)) {
    if (operation.parameters.get(name)?.in !== 'query')
      throw invalidRequest(name, value, `The query parameter [${name}] is not one of the parameters of this endpoint`)
  }
  const path = request.params as Record<string, string>
  for (const [name, parameter] of operation.parameters) {
    const value = parameter.in === 'path' ? pathValue(path, name) : query[name]
    if (value === undefined && !parameter.required) continue
    const problem = parameter.check(typed(value, parameter))
    if (problem === undefined) continue
    throw invalidRequest(name, value, `The \`${name}\` query parameter value [${value}] is not valid: ${problem}`)
  }
  if (operation.body) checkBody(request.body, operation.body)
}

/** Returns a path parameter. X's file names a few of them differently, but a path has at most one. */
const pathValue = (path: Record<string, string>, name: string) => path[name] ?? Object.values(path)[0]

function withNewNames(query: Record<string, unknown>, { parameters }: Operation): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const newer = OLDER_NAMES[name]
      return newer !== undefined && parameters.has(newer) ? [newer, value] : [name, value]
    }),
  )
}

/** Converts a parameter's text to the schema's type. A repeated parameter becomes a value that fails the check. */
function typed(value: unknown, { isArray, isInteger }: { isArray: boolean; isInteger: boolean }): unknown {
  if (typeof value !== 'string') return isArray ? undefined : value
  if (isArray) return value.split(',')
  return isInteger && /^-?\d{1,9}$/.test(value) ? Number(value) : value
}

function checkBody(body: unknown, { check, required, names }: NonNullable<Operation['body']>): void {
  if ((body === null || body === undefined) && !required) return
  for (const name of Object.keys(body ?? {})) {
    if (names.has(name)) continue
    throw invalidRequest(name, (body as Record<string, unknown>)[name], `The field [${name}] is not one of the body's`)
  }
  const problem = check(body)
  if (problem === undefined) return
  const field = /^[\w.]+/.exec(problem)?.[0] ?? 'body'
  throw invalidRequest(field, (body as Record<string, unknown> | null)?.[field], `The body is not valid: ${problem}`)
}

/** Returns what X's file does not allow in a route's response, if anything. Only successes are checked. */
export function answerProblem(method: string, route: string, status: number, body: unknown): string | undefined {
  if (status < 200 || status > 299) return undefined
  const problem = operationOf(method, route)?.answer?.(body)
  return problem === undefined ? undefined : `${method} ${route}: ${problem}`
}

/** Whether X's file has a route. */
export const isDocumented = (method: string, route: string): boolean => operationOf(method, route) !== undefined
