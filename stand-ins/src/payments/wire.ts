import { z } from 'zod'
import type { Inner, Kind } from './objects.ts'

/** The version of Stripe's API. */
export const API_VERSION = '2026-10-28.endive'

/** An error in Stripe's format: `{ error: { type, code, message, param } }`. */
export class PaymentsProblem extends Error {
  readonly status: number
  readonly body: { error: { type: string; code?: string; message: string; param?: string } }

  constructor(status: number, message: string, more: { type?: string; code?: string; param?: string } = {}) {
    super(message)
    this.status = status
    const type = more.type ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
    this.body = { error: { ...more, type, message } }
  }

  static missing(kind: Kind, id: string): PaymentsProblem {
    const message = `No such ${kind.replace(/[._]/g, ' ')}: '${id}'`
    return new PaymentsProblem(404, message, { code: 'resource_missing', param: 'id' })
  }

  static invalid(param: string, message: string, code = 'parameter_invalid'): PaymentsProblem {
    return new PaymentsProblem(400, message, { code, param })
  }
}

export type Form = { [key: string]: string | Form | undefined }

/**
 * Reads Stripe's form encoding: `items[0][price]=a&expand[]=b` → { items: { 0: { price: 'a' } },
 * expand: { 0: 'b' } }.
 */
export function readForm(text: string): Form {
  const form: Form = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const keys = name.split('[').map((part) => part.replace(/\]$/, ''))
    let target = form
    for (const [depth, key] of keys.entries()) {
      const own = key === '' ? String(Object.keys(target).length) : key
      if (own === '__proto__') throw PaymentsProblem.invalid(name, 'Received unknown parameter')
      if (depth === keys.length - 1) target[own] = value
      else {
        const next = typeof target[own] === 'object' ? target[own] : {}
        target[own] = next
        target = next
      }
    }
  }
  return form
}

export const integer = z
  .string()
  .regex(/^-?\d+$/)
  .transform(Number)
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true')
/** Returns a schema for a list. Forms encode lists with indexes as keys. */
export const list = <Item extends z.ZodType>(item: Item) =>
  z
    .record(z.string(), item)
    .default({})
    .transform((places) => Object.values(places))

export const text = z.string().optional()
export const metadata = z.record(z.string(), z.string()).optional()

/** Returns metadata after an update. As with Stripe, an empty value removes its key. */
export function merged(before: Record<string, string>, changes: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value !== ''))
}

/** Returns a schema for the parameters of a call. Each parameter must exist in Stripe's type. */
export const parameters =
  <Theirs>() =>
  <Shape extends { [Key in keyof Shape]: Key extends keyof Theirs ? z.ZodType : never }>(shape: Shape) =>
    z.strictObject(shape)

/** Reads the parameters of a call. @throws PaymentsProblem for unknown, missing and invalid ones */
export function fieldsIn<Fields extends z.ZodType>(form: Form, fields: Fields): z.output<Fields> {
  const read = fields.safeParse(form, { reportInput: true })
  if (read.success) return read.data
  const issues = read.error.issues
  const unknown = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => paramAt([...issue.path, key])) : [],
  )
  if (unknown.length > 0) {
    const message = `Received unknown parameter${unknown.length > 1 ? 's' : ''}: ${unknown.join(', ')}`
    throw PaymentsProblem.invalid(unknown[0] ?? '', message, 'parameter_unknown')
  }
  const [issue] = issues
  const param = paramAt(issue?.path ?? [])
  const isMissing = issue?.code === 'invalid_type' && issue.input === undefined
  throw isMissing
    ? PaymentsProblem.invalid(param, `Missing required param: ${param}.`, 'parameter_missing')
    : PaymentsProblem.invalid(param, `Invalid ${param}: ${issue?.message}`)
}

/** Returns a parameter's name in Stripe's notation: `items[0][price]`. */
function paramAt([first, ...rest]: readonly PropertyKey[]): string {
  return [String(first), ...rest.map((part) => `[${String(part)}]`)].join('')
}

const MOMENT = z.strictObject({
  gt: integer.optional(),
  gte: integer.optional(),
  lt: integer.optional(),
  lte: integer.optional(),
})
const PAGING = {
  limit: integer.pipe(z.int().min(1).max(100)).default(10),
  created: z.union([integer.transform((at) => ({ gte: at, lte: at })), MOMENT]).optional(),
  starting_after: text,
  ending_before: text,
}

/**
 * Reads the parameters of a list, and returns one page, newest first.
 * @param filters further parameters that select objects
 */
export function pageOf<One extends { id: string; created: number }>(
  all: One[],
  form: Form,
  { url, filters }: { url: string; filters: Filters<One> },
) {
  const shape = Object.fromEntries(Object.entries(filters).map(([name, { type }]) => [name, type.optional()]))
  const wanted = fieldsIn(form, z.strictObject({ ...shape, ...PAGING }))
  const { limit, created = {}, starting_after: after, ending_before: before } = wanted
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = created as Partial<Record<string, number>>
  const matching = all.filter(
    (object) =>
      object.created > gt &&
      object.created >= gte &&
      object.created < lt &&
      object.created <= lte &&
      Object.entries(filters).every(([name, { matches }]) =>
        matches(object, (wanted as Record<string, unknown>)[name]),
      ),
  )
  const indexOfId = (id: string | undefined, name: string) => {
    if (id === undefined) return undefined
    const index = matching.findIndex((object) => object.id === id)
    if (index === -1) throw PaymentsProblem.invalid(name, `No such object: '${id}'`, 'resource_missing')
    return index
  }
  const end = indexOfId(before, 'ending_before')
  const start = (indexOfId(after, 'starting_after') ?? -1) + 1
  const rest = matching.slice(start, end)
  const data = end === undefined ? rest.slice(0, limit) : rest.slice(-limit)
  return { object: 'list' as const, url, has_more: rest.length > limit, data }
}

/** Filters of a list, by the name of their parameter. `value` is undefined if the parameter is missing. */
export type Filters<One> = Record<string, { type: z.ZodType; matches: (object: One, value: unknown) => boolean }>

/** Returns a filter whose parameter must equal `of(object)`. */
export function equal<One>(type: z.ZodType, of: (object: One) => unknown): Filters<One>[string] {
  return { type, matches: (object, value) => value === undefined || of(object) === value }
}

/** Returns a filter whose parameter is a list: `of(object)` must equal one of its values. */
export function oneOf<One>(of: (object: One) => unknown): Filters<One>[string] {
  return {
    type: list(z.string()),
    matches: (object, value) => {
      const values = value as unknown[]
      return values.length === 0 || values.includes(of(object))
    },
  }
}

/** Returns a copy without internal `_` fields, in which the `expand` paths are objects instead of ids. */
export function toResponse(thing: unknown, expand: readonly string[], find: (id: string) => unknown): unknown {
  const copy = withoutPrivateFields(thing)
  for (const path of expand) expandIn(copy, path.split('.'), { path, find })
  return copy
}

function expandIn(
  value: unknown,
  [key, ...rest]: string[],
  context: { path: string; find: (id: string) => unknown },
): void {
  if (key === undefined || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) expandIn(item, [key, ...rest], context)
    return
  }
  const holder = value as Record<string, unknown>
  if (!(key in holder))
    throw new PaymentsProblem(400, `This property cannot be expanded (${context.path}).`, { param: 'expand' })
  if (typeof holder[key] === 'string') holder[key] = withoutPrivateFields(context.find(holder[key]) ?? holder[key])
  expandIn(holder[key], rest, context)
}

function withoutPrivateFields(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, nested) => (key.startsWith('_') ? undefined : nested)))
}

/** Returns a list inside an object. @param url where Stripe serves the list */
export function innerList<Item>(url: string, data: Item[]): Inner<Item> {
  return { object: 'list', data, has_more: false, url }
}
