import type { Kind, Stored } from './objects.ts'

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
    return new PaymentsProblem(404, `No such ${kind.replace(/[._]/g, ' ')}: '${id}'`, {
      code: 'resource_missing',
      param: 'id',
    })
  }

  static invalid(param: string, message: string): PaymentsProblem {
    return new PaymentsProblem(400, message, { code: 'parameter_invalid', param })
  }
}

export type Form = { [key: string]: Field }
export type Field = string | Form | undefined

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
        const next = typeof place[own] === 'object' ? (place[own] as Form) : {}
        place[own] = next
        place = next
      }
    }
  }
  return form
}

/** A text field, or undefined. */
export function textIn(form: Form, key: string): string | undefined {
  const value = form[key]
  return typeof value === 'string' ? value : undefined
}

/** @throws PaymentsProblem if the field is missing or empty */
export function requiredIn(form: Form, key: string): string {
  const value = textIn(form, key)
  if (!value)
    throw new PaymentsProblem(400, `Missing required param: ${key}.`, { code: 'parameter_missing', param: key })
  return value
}

/** A nested form, or {}. */
export function formIn(form: Form, key: string): Form {
  const value = form[key]
  return typeof value === 'object' ? value : {}
}

/** A list of texts. */
export function textsIn(form: Form, key: string): string[] {
  return Object.values(formIn(form, key)).filter((value): value is string => typeof value === 'string')
}

/** A list of forms. */
export function formsIn(form: Form, key: string): Form[] {
  return Object.values(formIn(form, key)).filter((value): value is Form => typeof value === 'object')
}

export function numberIn(form: Form, key: string): number | undefined {
  const value = textIn(form, key)
  if (value === undefined || value === '') return undefined
  const number = Number(value)
  if (!Number.isInteger(number)) throw PaymentsProblem.invalid(key, `Invalid integer: ${value}`)
  return number
}

export function flagIn(form: Form, key: string): boolean | undefined {
  const value = textIn(form, key)
  return value === undefined ? undefined : value === 'true'
}

export function metadataIn(form: Form): Record<string, string> {
  return Object.fromEntries(
    Object.entries(formIn(form, 'metadata')).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** One page of a list, newest first. */
export function pageOf<T extends Stored>(all: T[], query: Form, url: string) {
  const limit = Math.min(100, Math.max(1, numberIn(query, 'limit') ?? 10))
  const created = formIn(query, 'created')
  const from = numberIn(created, 'gte') ?? (numberIn(created, 'gt') ?? Number.NEGATIVE_INFINITY) + 1
  const to = numberIn(created, 'lte') ?? (numberIn(created, 'lt') ?? Number.POSITIVE_INFINITY) - 1
  let chosen = all.filter((one) => one.created >= from && one.created <= to)
  const after = textIn(query, 'starting_after')
  const before = textIn(query, 'ending_before')
  for (const id of [after, before])
    if (id && !all.some((one) => one.id === id))
      throw new PaymentsProblem(400, `No such object: '${id}'`, { code: 'resource_missing', param: 'starting_after' })
  if (after) chosen = chosen.slice(chosen.findIndex((one) => one.id === after) + 1)
  if (before)
    chosen = chosen
      .slice(
        0,
        chosen.findIndex((one) => one.id === before),
      )
      .slice(-limit)
  return { object: 'list' as const, url, has_more: chosen.length > limit, data: chosen.slice(0, limit) }
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
  if (Array.isArray(value)) return value.map(withoutPrivateFields)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !key.startsWith('_'))
      .map(([key, one]) => [key, withoutPrivateFields(one)]),
  )
}
