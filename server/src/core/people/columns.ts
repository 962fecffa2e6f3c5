import type { CsvRecord } from '@x-automated/contract/csv'
import { isMoment, isStorable } from '@x-automated/contract/fields'
import { formatNumber } from '@x-automated/contract/format'
import { ownFullName } from '@x-automated/contract/leads/column-names'
import { IMPORT_COLUMNS_MAX } from '@x-automated/contract/leads/import-limits'
import { BIO_MAX, LEAD_VALUES_MAX } from '@x-automated/contract/leads/lead-limits'
import { CONTACT_BASES, type ContactBasis } from '@x-automated/contract/leads/leads'
import { messageValue } from '@x-automated/contract/message-value'
import { HANDLE_PROBLEMS, handleFault, handleIn } from '@x-automated/contract/x-handle'
import { readXUserId, X_USER_ID_PROBLEMS } from '@x-automated/contract/x-user-id'
import { invalidField, Refusal } from '../../refusal.ts'
import { firstNameColumns } from './first-names.ts'

/**
 * Reads a lead file's records: each becomes a row to stage or a problem; the header becomes null.
 * @param named each column's meaning, '' to skip it @throws Refusal INVALID_INPUT: bad header
 */
export function readLeadLines(named?: readonly string[]) {
  let columns: Columns | null = null
  return (
    record: CsvRecord,
    delimiter: string | null,
  ): { rows: object[]; warning: string | null } | { problem: string } | null => {
    if (!columns) {
      columns = columnsOf(record, named)
      return null
    }
    if ('problem' in record) return record
    const read = readLine(columns, record.fields, delimiter)
    return 'problem' in read ? read : { rows: [stagedRow(record.line, read.lead)], warning: read.warning }
  }
}

function columnsOf(record: CsvRecord, named: readonly string[] | undefined): Columns {
  if ('problem' in record) throw new Refusal('INVALID_INPUT', `The first line ${record.problem}.`)
  if (named && named.length !== record.fields.length)
    throw invalidField('columns', `must name the ${record.fields.length} columns of the file, not ${named.length}`)
  const columns = readHeader(named ?? record.fields)
  if ('problem' in columns) throw new Refusal('INVALID_INPUT', columns.problem)
  return columns
}

/** The maximum of PostgreSQL's integer. */
export const COUNT_MAX = 2_147_483_647

type TextField = 'xUserId' | 'name' | 'bio' | 'sourceProfile' | 'url' | 'profileImageUrl' | 'location' | 'website'

/** The known values of an incoming person. Null keeps the lead's value. */
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

/** Returns a person as a row of `incoming_leads`. Values for messages are stored as messages show them. */
export function stagedRow(line: number, lead: IncomingLead & Partial<ImportedLead>): object {
  const row: Record<string, unknown> = { line }
  for (const [name, field] of FIELDS) row[name] = lead[field]
  const name = messageValue(lead.name ?? '') || null
  const metadata = lead.metadata && messageValues(lead.metadata)
  const { twitterHandle } = lead
  const { firstName, firstNameFrom } = firstNameColumns({ name, twitterHandle, metadata }) ?? {}
  return { ...row, name, metadata, first_name: firstName, first_name_from: firstNameFrom }
}

/** Metadata without values that mean "no value". */
function messageValues(metadata: Record<string, unknown>): Record<string, unknown> {
  const values = Object.entries(metadata).map(([key, value]) => [
    key,
    typeof value === 'string' ? messageValue(value) : value,
  ])
  return Object.fromEntries(values.filter(([, value]) => value !== ''))
}

/** `warning`: why the value is left out. */
type Cell = { value: unknown } | { problem: string } | { warning: string }
interface Column {
  field: keyof ImportedLead
  /** Parses a cell. @param delimiter the file's cell separator; null if unknown */
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
    // JSON.stringify escapes characters that cannot be stored, however the file wrote them.
    // PostgreSQL rejects deep nesting.
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

/** The maximum number of tags of one lead in a file. */
const TAGS_OF_ONE_MAX = 20
const TAG_NAME_MAX = 50
const tagNames = (text: string): Cell => {
  const names = text.split(/[,;|]/).flatMap((name) => name.trim() || [])
  const unlike = names.filter((name, index) => names.findIndex((n) => n.toLowerCase() === name.toLowerCase()) === index)
  if (unlike.length > TAGS_OF_ONE_MAX) return { problem: `names more than ${TAGS_OF_ONE_MAX} tags` }
  if (unlike.some((name) => name.length > TAG_NAME_MAX))
    return { problem: `has a tag that is longer than ${TAG_NAME_MAX} characters` }
  return isStorable(text) ? { value: unlike } : { problem: 'contains characters that cannot be stored' }
}

const NAME_MAX = 200

/** Columns by name. */
const COLUMNS: Record<string, Column | null> = {
  twitter_handle: { field: 'twitterHandle', read: handle },
  x_user_id: { field: 'xUserId', read: xUserId },
  name: { field: 'name', read: within(NAME_MAX) },
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

/** Reads a header: column names in upper or lower case and in any order. Other columns become metadata. */
export function readHeader(fields: readonly string[]): Columns | { problem: string } {
  if (fields.length > IMPORT_COLUMNS_MAX) return { problem: `The file has more than ${IMPORT_COLUMNS_MAX} columns.` }
  const names = fields.map((field) => field.trim())
  const normalized = names.map((name) => name.toLowerCase().replaceAll(/[\s-]+/g, '_'))
  if (!normalized.includes('twitter_handle')) return { problem: 'The first line must name a column twitter_handle.' }
  const long = names.find((name) => name.length > KEY_MAX)
  if (long !== undefined) return { problem: `A column's name is longer than ${KEY_MAX} characters.` }
  const double = normalized.find((name, index) => name !== '' && normalized.indexOf(name) !== index)
  if (double !== undefined) return { problem: `The file has two columns named ${double}.` }
  // A JSON mapping can contain characters that a UTF-8 file cannot.
  if (!names.every(isStorable)) return { problem: "A column's name contains characters that cannot be stored." }
  return normalized.map((name, index) => {
    if (name === '') return null
    const column = Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined
    return column === undefined ? { metadataKey: keyOf(names[index] as string, normalized) } : column
  })
}

/** `ai_opener` is a variable of the product, so a column of this name becomes `ai_opener_1`. */
function keyOf(name: string, columnNames: readonly string[]): string {
  if (name.toLowerCase() !== 'ai_opener') return name
  let number = 1
  while (columnNames.includes(`ai_opener_${number}`)) number += 1
  return `ai_opener_${number}`
}

/**
 * Reads one row into a lead, with a warning if its X id was left out. Returns a text to show if the
 * row has a problem. Blank and missing cells keep the lead's values. @param delimiter the file's
 * cell separator; null if unknown
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
  for (const [index, column] of columns.entries()) {
    const text = withoutGuard(fields[index] ?? '').trim()
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
  if (!columns.some((column) => column !== null && 'field' in column && column.field === 'name'))
    lead.name = joinedName(extra)
  if (valueBytes(lead) > LEAD_VALUES_MAX) return { problem: `has ${TOO_FULL}` }
  return { lead, warning: warning && `${warning}, so it was left out` }
}

/**
 * Joins a row's first and last name, in a file without a name column; null: neither is known, or it
 * is too long.
 */
function joinedName(cells: readonly [column: string, text: string][]): string | null {
  const name = ownFullName(Object.fromEntries(cells))
  return name !== null && name.length <= NAME_MAX ? name : null
}

/** The text about a lead with too many values. */
export const TOO_FULL = `more than ${formatNumber(LEAD_VALUES_MAX)} bytes besides the bio`

/** The bytes of a lead's values except its bio, as `valueBytes` in tables.ts counts them. */
function valueBytes({ bio: _, xUserId: __, metadata, ...lead }: IncomingLead): number {
  const texts = Object.values(lead).filter((value) => typeof value === 'string')
  return Buffer.byteLength(texts.join('') + (metadata ? JSON.stringify(metadata) : ''))
}

/** Removes the apostrophe with which exports escape formulas. */
function withoutGuard(text: string): string {
  return /^'[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? text.slice(1) : text
}

function snakeCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
