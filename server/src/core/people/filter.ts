import { isDeepStrictEqual } from 'node:util'
import { isId, isMoment, isStorable } from '@x-automated/contract/fields'
import type { LeadRule, LeadRules, RuleMatch } from '@x-automated/contract/leads/lead-rules'
import { LEAD_STANDINGS, type LeadFilter, type LeadQuery, type LeadSort } from '@x-automated/contract/leads/leads'
import { asCustomField, type RuleOp } from '@x-automated/contract/leads/rule-fields'
import { COUNT_MAX } from './columns.ts'

/** A position in a sorted list: the sort value and id of a page's last lead. */
export interface Position {
  value: string | number
  id: string
}

/** Encodes a position as an opaque cursor for one order. */
export function writeCursor(sort: LeadSort, { value, id }: Position): string {
  return Buffer.from(JSON.stringify([sort, value, id])).toString('base64url')
}

/** Decodes a cursor; null if it is not a cursor of this order. */
export function readCursor(sort: LeadSort, cursor: string): Position | null {
  try {
    const [of, value, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    if (of !== sort || typeof id !== 'string' || !isId(id)) return null
    if (sort.endsWith('followerCount')) {
      const isCount = Number.isInteger(value) && Math.abs(value as number) <= COUNT_MAX
      return isCount ? { value: value as number, id } : null
    }
    if (typeof value !== 'string' || !isStorable(value)) return null
    if (sort.endsWith('createdAt') && !isMoment(value)) return null
    if (sort.endsWith('dmStatus') && !isStanding(value)) return null
    return { value, id }
  } catch {
    return null
  }
}

/** Whether a cursor's value is a filter status and a creation date. */
function isStanding(value: string): boolean {
  const [status = '', moment = ''] = value.split(' ')
  return (LEAD_STANDINGS as readonly string[]).includes(status) && isMoment(moment)
}

/** A filter whose lists, including those in its rules, are all manual. `within` is the filter of a smart list. */
export type ResolvedFilter = Omit<LeadQuery, 'rules' | 'filterId'> & {
  rules?: RuleNode | undefined
  within?: LeadFilter | undefined
}

/** A rule, or a group of any depth. */
export type RuleNode = LeadRule | { match: RuleMatch; rules: RuleNode[]; isNot?: boolean }

/** The operator with which a rule means the same as the plain field. */
const PLAIN_OPS = {
  keyword: 'contains',
  minFollowers: 'at_least',
  maxFollowers: 'at_most',
  status: 'is',
  listId: 'is',
  tag: 'is',
  tags: 'is',
  basis: 'is',
  label: 'is',
  scrapeId: 'is',
  contactedAfter: 'after',
  contactedBefore: 'before',
} as const satisfies Record<Exclude<keyof LeadFilter, 'fields' | 'rules'>, RuleOp>

/** Rules that mean the same as a filter, if a lead must meet all of them. */
export function rulesOf({ fields = [], rules, ...plain }: LeadFilter): RuleNode[] {
  const own = Object.entries(PLAIN_OPS).flatMap(([field, op]) => {
    const value = plain[field as keyof typeof plain]
    return value === undefined || value === '' ? [] : [{ field, op, value }]
  })
  return [
    ...own,
    ...fields.map(({ name, op, value }) => ({ field: asCustomField(name), op, value })),
    ...(rules ? [rules] : []),
  ]
}

/** Every rule of a filter, over all groups. */
export function flatRules(rules: LeadRules | undefined): LeadRule[] {
  return rules?.rules.flatMap((rule) => ('rules' in rule ? rule.rules : [rule])) ?? []
}

/** The fields of "Advanced filtering". */
const ADVANCED = ['label', 'tags', 'fields', 'contactedAfter', 'contactedBefore'] as const
/** Fields that need a paid plan. */
const PAID = [...ADVANCED, 'rules'] as const

/** The fields of a filter that need a paid plan and differ from `saved`. */
export function paidFields(filter: LeadFilter, saved: LeadFilter = {}): Pick<LeadFilter, (typeof PAID)[number]> {
  const paid = PAID.filter((name) => filter[name] !== undefined && !isDeepStrictEqual(filter[name], saved[name]))
  return Object.fromEntries(paid.map((name) => [name, filter[name]]))
}

/** Whether a filter uses "Advanced filtering" and "Custom filtering rules". */
export function paidIn(filter: LeadFilter): { fields: boolean; rules: boolean } {
  return { fields: ADVANCED.some((name) => filter[name] !== undefined), rules: filter.rules !== undefined }
}

/**
 * The filter with one tag replaced by another; null if it does not use the tag. @param names the id
 * and name of the tag to replace
 */
export function withTagReplaced(filter: LeadFilter, names: readonly string[], into: string): LeadFilter | null {
  const folded = names.map((name) => name.toLowerCase())
  let isChanged = false
  const replace = (tag: string) => {
    if (!folded.includes(tag.toLowerCase())) return tag
    isChanged = true
    return into
  }
  const inAll = (ids: string[]) => [...new Set(ids.map(replace))]
  const inRule = (rule: LeadRule): LeadRule => {
    const { field, value } = rule
    if (field === 'tag' && typeof value === 'string') return { ...rule, value: replace(value) }
    return field === 'tags' && Array.isArray(value) ? { ...rule, value: inAll(value) } : rule
  }
  const { tag, tags, rules } = filter
  const replaced: LeadFilter = {
    ...filter,
    ...(tag !== undefined && { tag: replace(tag) }),
    ...(tags && { tags: inAll(tags) }),
    ...(rules && {
      rules: {
        ...rules,
        rules: rules.rules.map((rule) => ('rules' in rule ? { ...rule, rules: rule.rules.map(inRule) } : inRule(rule))),
      },
    }),
  }
  return isChanged ? replaced : null
}

/** Combines two filters. If both set the same field, the inner filter goes into `within`. */
export function narrow({ listId: _, ...outer }: LeadQuery, inner: LeadFilter): LeadQuery & { within?: LeadFilter } {
  const fields = Object.entries(outer).filter(([, value]) => value !== undefined && value !== '')
  const speaksOf = (key: string) => inner[key as keyof LeadFilter] !== undefined
  const bounds =
    fields.some(([key]) => key.endsWith('Followers')) && (speaksOf('minFollowers') || speaksOf('maxFollowers'))
  const merged: LeadQuery = Object.fromEntries(fields)
  return bounds || fields.some(([key]) => speaksOf(key)) ? { ...merged, within: inner } : { ...inner, ...merged }
}

/** A LIKE pattern that finds the text anywhere, with its wildcards escaped. */
export function anywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
