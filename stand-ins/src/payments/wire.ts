import { z } from 'zod'
import type { Kind } from './objects.ts'

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
    let place = form
    for (const [depth, key] of keys.entries()) {
      const own = key === '' ? String(Object.keys(place).length) : key
      if (own === '__proto__') throw PaymentsProblem.invalid(name, 'Received unknown parameter')
      if (depth === keys.length - 1) place[own] = value
      else {
        const next = typeof place[own] === 'object' ? place[own] : {}
        place[own] = next
        place = next
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
/** A list, whose places are the keys of a form. */
export const list = <Item extends z.ZodType>(item: Item) =>
  z
    .record(z.string(), item)
    .default({})
    .transform((places) => Object.values(places))

/** Reads the fields that a call takes, ignoring others. @throws PaymentsProblem */
export function fieldsIn<Fields extends z.ZodType>(form: Form, fields: Fields): z.output<Fields> {
  const read = fields.safeParse(form, { reportInput: true })
  if (read.success) return read.data
  const [issue] = read.error.issues
  const [first = '', ...rest] = issue?.path ?? []
  const param = [String(first), ...rest.map((part) => `[${String(part)}]`)].join('')
  const isMissing = issue?.code === 'invalid_type' && issue.input === undefined
  throw isMissing
    ? PaymentsProblem.invalid(param, `Missing required param: ${param}.`, 'parameter_missing')
    : PaymentsProblem.invalid(param, `Invalid ${param}: ${issue?.message}`)
}

const Paging = z.object({
  limit: integer.pipe(z.int().min(1).max(100)).default(10),
  created: z.object({ gte: integer.optional() }).optional(),
  starting_after: z.string().optional(),
})

/** One page of a list, newest first. */
export function pageOf(all: { id: string; created: number }[], form: Form, url: string) {
  const { limit, created, starting_after: after } = fieldsIn(form, Paging)
  const place = all.findIndex(({ id }) => id === after)
  if (after && place === -1)
    throw PaymentsProblem.invalid('starting_after', `No such object: '${after}'`, 'resource_missing')
  const rest = all.slice(place + 1).filter((one) => one.created >= (created?.gte ?? 0))
  return { object: 'list' as const, url, has_more: rest.length > limit, data: rest.slice(0, limit) }
}

/** A copy without our own `_` fields, with the `expand` paths resolved from ids to objects. */
export function toResponse(thing: unknown, expand: readonly string[], find: (id: string) => unknown): unknown {
  const copy = withoutPrivateFields(thing)
  for (const path of expand) expandIn(copy, path.split('.'), find)
  return copy
}

function expandIn(value: unknown, [key, ...rest]: string[], find: (id: string) => unknown): void {
  if (key === undefined || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const one of value) expandIn(one, [key, ...rest], find)
    return
  }
  const holder = value as Record<string, unknown>
  if (typeof holder[key] === 'string') holder[key] = withoutPrivateFields(find(holder[key]) ?? holder[key])
  expandIn(holder[key], rest, find)
}

function withoutPrivateFields(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, one) => (key.startsWith('_') ? undefined : one)))
}
