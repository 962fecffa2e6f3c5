import { isDeepStrictEqual } from 'node:util'
import { isId, isMoment, isStorable } from '@x-automated/contract/fields'
import { formatNumber } from '@x-automated/contract/format'
import { IMPORT_COLUMNS_MAX } from '@x-automated/contract/leads/import-limits'
import { BIO_MAX, LEAD_VALUES_MAX } from '@x-automated/contract/leads/lead-limits'
import type { LeadRule, LeadRules, RuleMatch } from '@x-automated/contract/leads/lead-rules'
import {
  CONTACT_BASES,
  type ContactBasis,
  LEAD_STANDINGS,
  type LeadFilter,
  type LeadQuery,
  type LeadSort,
} from '@x-automated/contract/leads/leads'
import { asCustomField, type RuleOp } from '@x-automated/contract/leads/rule-fields'
import { messageValue } from '@x-automated/contract/message-value'
import { HANDLE_PROBLEMS, handleFault, handleIn } from '@x-automated/contract/x-handle'
import { readXUserId, X_USER_ID_PROBLEMS } from '@x-automated/contract/x-user-id'

/** The last lead of a page: its sort value and id. */
export interface Place {
  value: string | number
  id: string
}

/** Encodes a place as an opaque cursor for one order. */
export function writeCursor(sort: LeadSort, { value, id }: Place): string {
  return Buffer.from(JSON.stringify([sort, value, id])).toString('base64url')
}

/** Returns null if it is not a cursor of this order. */
export function readCursor(sort: LeadSort, cursor: string): Place | null {
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

/** Whether the value is a filter status and a creation date. */
function isStanding(value: string): boolean {
  const [status = '', moment = ''] = value.split(' ')
  return (LEAD_STANDINGS as readonly string[]).includes(status) && isMoment(moment)
}

/** The maximum of PostgreSQL's integer. */
const COUNT_MAX = 2_147_483_647

/** A filter that names only manual lists, also in its rules. `within` is the filter of a smart list. */
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

/** Rules that mean the same as a filter if a lead must meet all of them. */
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
  return rules?.rules.flatMap((one) => ('rules' in one ? one.rules : [one])) ?? []
}

/** The fields of "Advanced filtering". */
const ADVANCED = ['label', 'tags', 'fields', 'contactedAfter', 'contactedBefore'] as const
/** Fields that need a paid plan. */
const PAID = [...ADVANCED, 'rules'] as const

/** The fields of a filter that need a paid plan and differ from `kept`. */
export function paidFields(filter: LeadFilter, kept: LeadFilter = {}): Pick<LeadFilter, (typeof PAID)[number]> {
  const paid = PAID.filter((name) => filter[name] !== undefined && !isDeepStrictEqual(filter[name], kept[name]))
  return Object.fromEntries(paid.map((name) => [name, filter[name]]))
}

/** What a filter uses of "Advanced filtering" and of "Custom filtering rules". */
export function paidIn(filter: LeadFilter): { fields: boolean; rules: boolean } {
  return { fields: ADVANCED.some((name) => filter[name] !== undefined), rules: filter.rules !== undefined }
}

/** The filter with one tag instead of another, or null if it does not use it. @param names its id and name */
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
        rules: rules.rules.map((one) => ('rules' in one ? { ...one, rules: one.rules.map(inRule) } : inRule(one))),
      },
    }),
  }
  return isChanged ? replaced : null
}

/** Combines two filters. If both set the same fields, the inner one goes into `within`. */
export function narrow({ listId: _, ...outer }: LeadQuery, inner: LeadFilter): LeadQuery & { within?: LeadFilter } {
  const asked = Object.entries(outer).filter(([, value]) => value !== undefined && value !== '')
  const speaksOf = (key: string) => inner[key as keyof LeadFilter] !== undefined
  const bounds =
    asked.some(([key]) => key.endsWith('Followers')) && (speaksOf('minFollowers') || speaksOf('maxFollowers'))
  const merged: LeadQuery = Object.fromEntries(asked)
  return bounds || asked.some(([key]) => speaksOf(key)) ? { ...merged, within: inner } : { ...inner, ...merged }
}

/** A LIKE pattern that finds the text anywhere, with its wildcards escaped. */
export function anywhere(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

type TextField = 'xUserId' | 'name' | 'bio' | 'sourceProfile' | 'url' | 'profileImageUrl' | 'location' | 'website'

/** What is known of an incoming person. Null keeps the lead's value. */
export type IncomingLead = Record<TextField, string | null> &
  Record<'followerCount' | 'followingCount', number | null> & {
    twitterHandle: string
    metadata: Record<string, unknown> | null
  }

/** Additional values from a file. */
type ImportedLead = IncomingLead & {
  basis: ContactBasis | null
  /** A date or a timestamp. */
  basisAt: string | null
  basisSource: string | null
  tags: string[] | null
}

/** A person as a row of `incoming_leads`. Values that go into messages are stored as they are sent. */
export function stagedRow(line: number, lead: IncomingLead & Partial<ImportedLead>): object {
  const row: Record<string, unknown> = { line }
  for (const [name, field] of FIELDS) row[name] = lead[field]
  row.name = messageValue(lead.name ?? '') || null
  row.metadata = lead.metadata && messageValues(lead.metadata)
  return row
}

/** Metadata without texts that say nothing. */
function messageValues(metadata: Record<string, unknown>): Record<string, unknown> {
  const values = Object.entries(metadata).map(([key, value]) => [
    key,
    typeof value === 'string' ? messageValue(value) : value,
  ])
  return Object.fromEntries(values.filter(([, value]) => value !== ''))
}

/** `warning`: the value is left out, and why. */
type Cell = { value: unknown } | { problem: string } | { warning: string }
interface Column {
  field: keyof ImportedLead
  /** @param delimiter the file's cell separator; null if unknown */
  read: (text: string, delimiter: string | null) => Cell
}

/** The meaning of each column; null if ignored. */
export type Columns = (Column | { metadataKey: string } | null)[]

const within =
  (max: number) =>
  (text: string): Cell =>
    text.length > max
      ? { problem: `is longer than ${max} characters` }
      : isStorable(text)
        ? { value: text }
        : { problem: 'contains characters that cannot be stored' }

const count = (text: string, delimiter: string | null): Cell => {
  // Semicolon files write thousands with dots. In other files, a single dot is ambiguous.
  const dotted = /^[1-9]\d{0,2}((?:\.\d{3})+)(,0+)?$/.exec(text)
  if (dotted) {
    const isSure = delimiter === ';' || (dotted[1] ?? '').length > 4 || dotted[2] !== undefined
    if (!isSure) return { problem: 'is ambiguous with a dot. Write 1200 instead of 1.200.' }
    return count(text.replace(/,.*/, '').replaceAll('.', ''), delimiter)
  }
  // Thousands may be separated by a comma, an apostrophe or any space.
  const digits = /^\d{1,3}([,'\u2019 \u00a0\u2009\u202f]\d{3})+(\.0+)?$/.test(text)
    ? text.replaceAll(/[^\d.]/g, '')
    : text
  // Some programs write whole numbers with a fraction of zero.
  return /^\d{1,10}(\.0+)?$/.test(digits) && Number(digits) <= COUNT_MAX
    ? { value: Number(digits) }
    : { problem: 'is not a whole number' }
}

const handle = (text: string): Cell => {
  const bare = handleIn(text)
  const fault = handleFault(bare)
  return fault ? { problem: HANDLE_PROBLEMS[fault] } : { value: bare }
}

const METADATA_DEPTH = 20
const depthOf = (json: string) => {
  let depth = 0
  let deepest = 0
  for (const character of json) {
    if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth)
    else if (character === '}' || character === ']') depth -= 1
  }
  return deepest
}
const metadata = (text: string): Cell => {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    // JSON.stringify escapes what cannot be stored, however the file wrote it. PostgreSQL rejects
    // deep nesting.
    const storable = !/\\u(0000|d[89a-f])/.test(JSON.stringify(value))
    if (isObject && text.length <= LEAD_VALUES_MAX && depthOf(text) <= METADATA_DEPTH && storable) return { value }
  } catch {}
  return { problem: `is not a JSON object of at most ${LEAD_VALUES_MAX} characters` }
}

const xUserId = (text: string): Cell => {
  const read = readXUserId(text)
  return 'id' in read ? { value: read.id } : { warning: X_USER_ID_PROBLEMS[read.fault] }
}

const basis = (text: string): Cell => {
  const word = text.toLowerCase().replaceAll(/[\s-]+/g, '_')
  return (CONTACT_BASES as readonly string[]).includes(word)
    ? { value: word }
    : { problem: 'must be asked, wrote_first, customer or none' }
}

const day = (text: string): Cell => {
  const moment = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text
  return isMoment(moment) ? { value: moment } : { problem: 'is not a day such as 2026-01-31' }
}

/** Tags per lead in a file. */
const TAGS_OF_ONE_MAX = 20
const TAG_NAME_MAX = 50
const tagNames = (text: string): Cell => {
  const names = text.split(/[,;|]/).flatMap((name) => name.trim() || [])
  const unlike = names.filter((name, place) => names.findIndex((n) => n.toLowerCase() === name.toLowerCase()) === place)
  if (unlike.length > TAGS_OF_ONE_MAX) return { problem: `names more than ${TAGS_OF_ONE_MAX} tags` }
  if (unlike.some((name) => name.length > TAG_NAME_MAX))
    return { problem: `has a tag that is longer than ${TAG_NAME_MAX} characters` }
  return isStorable(text) ? { value: unlike } : { problem: 'contains characters that cannot be stored' }
}

/** Columns by name. */
const COLUMNS: Record<string, Column | null> = {
  twitter_handle: { field: 'twitterHandle', read: handle },
  x_user_id: { field: 'xUserId', read: xUserId },
  name: { field: 'name', read: within(200) },
  bio: { field: 'bio', read: within(BIO_MAX) },
  follower_count: { field: 'followerCount', read: count },
  following_count: { field: 'followingCount', read: count },
  source_profile: { field: 'sourceProfile', read: within(200) },
  url: { field: 'url', read: within(2_000) },
  profile_image_url: { field: 'profileImageUrl', read: within(2_000) },
  location: { field: 'location', read: within(500) },
  website: { field: 'website', read: within(2_000) },
  metadata: { field: 'metadata', read: metadata },
  basis: { field: 'basis', read: basis },
  basis_at: { field: 'basisAt', read: day },
  basis_source: { field: 'basisSource', read: within(500) },
  tags: { field: 'tags', read: tagNames },
  // Written by exports, ignored by imports.
  id: null,
  user_id: null,
  dm_status: null,
  created_at: null,
  updated_at: null,
}

/** The fields of a lead by column. */
const FIELDS = Object.entries(COLUMNS).flatMap(([name, column]) => (column ? [[name, column.field] as const] : []))
const NOTHING = {
  ...(Object.fromEntries(FIELDS.map(([, field]) => [field, null])) as { [K in keyof ImportedLead]: null }),
  twitterHandle: '',
}

const KEY_MAX = 100
const VALUE_MAX = 5_000

/** Reads a header: column names in any case and order. Other columns become metadata. */
export function readHeader(fields: readonly string[]): Columns | { problem: string } {
  if (fields.length > IMPORT_COLUMNS_MAX) return { problem: `The file has more than ${IMPORT_COLUMNS_MAX} columns.` }
  const names = fields.map((field) => field.trim())
  const known = names.map((name) => name.toLowerCase().replaceAll(/[\s-]+/g, '_'))
  if (!known.includes('twitter_handle')) return { problem: 'The first line must name a column twitter_handle.' }
  const long = names.find((name) => name.length > KEY_MAX)
  if (long !== undefined) return { problem: `A column's name is longer than ${KEY_MAX} characters.` }
  const double = known.find((name, place) => name !== '' && known.indexOf(name) !== place)
  if (double !== undefined) return { problem: `The file has two columns named ${double}.` }
  // A JSON mapping can contain characters that a UTF-8 file cannot.
  if (!names.every(isStorable)) return { problem: "A column's name contains characters that cannot be stored." }
  return known.map((name, place) => {
    if (name === '') return null
    const column = Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined
    return column === undefined ? { metadataKey: keyOf(names[place] as string, known) } : column
  })
}

/** Messages have a variable `ai_opener` of their own, so a column of this name becomes `ai_opener_1`. */
function keyOf(name: string, known: readonly string[]): string {
  if (name.toLowerCase() !== 'ai_opener') return name
  let number = 1
  while (known.includes(`ai_opener_${number}`)) number += 1
  return `ai_opener_${number}`
}

/**
 * Reads one row into a lead, with a warning if its X id was left out, or returns its problem, as texts to
 * show. Blank and missing cells keep the lead's values. @param delimiter the file's cell separator; null if unknown
 */
export function readLine(
  columns: Columns,
  fields: readonly string[],
  delimiter: string | null = null,
): { lead: ImportedLead; warning: string | null } | { problem: string } {
  if (fields.every((field) => field.trim() === '')) return { problem: 'is empty' }
  const lead: ImportedLead = { ...NOTHING }
  const extra: [key: string, text: string][] = []
  let warning: string | null = null
  for (const [place, column] of columns.entries()) {
    const text = withoutGuard(fields[place] ?? '').trim()
    if (column === null || text === '') continue
    if (text.includes('\u0000')) return { problem: 'contains a NUL character' }
    if ('metadataKey' in column) {
      if (text.length > VALUE_MAX) return { problem: `${column.metadataKey} is longer than ${VALUE_MAX} characters` }
      extra.push([column.metadataKey, text])
      continue
    }
    const cell = column.read(text, delimiter)
    if ('problem' in cell) return { problem: `${snakeCase(column.field)} ${cell.problem}` }
    if ('warning' in cell) {
      warning = `${snakeCase(column.field)} ${cell.warning}`
      continue
    }
    Object.assign(lead, { [column.field]: cell.value })
  }
  if (lead.twitterHandle === '')
    return { problem: warning ? `twitter_handle is missing, and ${warning}` : 'twitter_handle is missing' }
  if (lead.basis === null && (lead.basisAt !== null || lead.basisSource !== null))
    return { problem: 'has details of a contact basis but no basis' }
  // A column may be called __proto__.
  if (extra.length > 0) lead.metadata = { ...lead.metadata, ...Object.fromEntries(extra) }
  if (valueBytes(lead) > LEAD_VALUES_MAX) return { problem: `has ${TOO_FULL}` }
  return { lead, warning: warning && `${warning}, so it was left out` }
}

/** What the problem of a lead with too many values says. */
export const TOO_FULL = `more than ${formatNumber(LEAD_VALUES_MAX)} bytes besides the bio`

/** The bytes of a lead's values without its bio, as `valueBytes` in tables.ts counts them. */
function valueBytes({ bio: _, xUserId: __, metadata, ...lead }: IncomingLead): number {
  const texts = Object.values(lead).filter((value) => typeof value === 'string')
  return Buffer.byteLength(texts.join('') + (metadata ? JSON.stringify(metadata) : ''))
}

/** Removes the apostrophe by which an export escapes formulas. */
function withoutGuard(text: string): string {
  return /^'[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? text.slice(1) : text
}

function snakeCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
