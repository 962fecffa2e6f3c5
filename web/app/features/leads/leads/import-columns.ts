import { type CsvRecord, openCsv } from '@x-automated/contract/csv'
import { columnKey, personColumnOf } from '@x-automated/contract/leads/column-names'
import { IMPORT_COLUMNS_MAX } from '@x-automated/contract/leads/import-limits'
import { HANDLE_PROBLEMS, handleFault, handleIn } from '@x-automated/contract/x-handle'
import { readXUserId, X_USER_ID_PROBLEMS } from '@x-automated/contract/x-user-id'
import { parse } from 'csv-parse/browser/esm/sync'
import { shorten } from '../../../ui/shorten'

/** The fields that a column can map to. Others become custom fields, or are skipped. */
export const columnLabels = {
  twitter_handle: 'Handle',
  name: 'Name',
  first_name: 'First name',
  bio: 'Bio',
  follower_count: 'Followers',
  following_count: 'Following',
  location: 'Location',
  website: 'Website',
  url: 'Profile URL',
  profile_image_url: 'Picture URL',
  source_profile: 'Source',
  x_user_id: 'X user ID',
  tags: 'Tags',
  basis: 'Contact basis',
  basis_at: 'Basis since',
  basis_source: 'Basis evidence',
  metadata: 'Extra data (JSON)',
} as const
type ImportColumn = keyof typeof columnLabels

/** Column names in the exports of other programs. */
const aliases: Record<string, ImportColumn> = {
  full_name: 'name',
  display_name: 'name',
  firstname: 'first_name',
  given_name: 'first_name',
  description: 'bio',
  about: 'bio',
  followers: 'follower_count',
  followers_count: 'follower_count',
  following: 'following_count',
  friends_count: 'following_count',
  avatar: 'profile_image_url',
  tag: 'tags',
  contact_basis: 'basis',
}
/** Columns of our own export, which imports ignore. */
const exportOnly = new Set(['id', 'dm_status', 'created_at', 'updated_at'])

export const CUSTOM_FIELD = '*custom*'
export const SKIP = ''

export interface Preview {
  headers: string[]
  /** The first rows after the header. */
  rows: string[][]
}

const PREVIEW_BYTES = 256 * 1024
/** Enough to contain the first rows of most files. */
const FIRST_BYTES = 16 * 1024
const PREVIEW_ROWS = 5
const HANDLE_SHOWN = 60
/** Limits the time spent on unreadable rows. Each takes up to a millisecond. */
const ROWS_TRIED_MAX = 100
const UNREADABLE = "We couldn't read the first rows of this file as CSV."

/**
 * Reads the header and the first rows as an import would, or returns the problem.
 * @param needsRows false if the first row is enough
 */
export async function readPreview(file: Blob, { needsRows = true } = {}): Promise<Preview | string> {
  const start = new Uint8Array(await file.slice(0, PREVIEW_BYTES).arrayBuffer())
  try {
    // `stream`, because the first bytes may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true })
  } catch {
    return 'The file is not UTF-8 text. Save it as CSV UTF-8 and try again.'
  }
  const records = recordsOf(start, start.length === file.size)
  const header = records.next().value
  if (!header || 'problem' in header || header.fields.every((name) => name.trim() === '')) return UNREADABLE
  if (header.fields.length > IMPORT_COLUMNS_MAX) return `The file has more than ${IMPORT_COLUMNS_MAX} columns.`
  const rows: string[][] = []
  let tried = 0
  for (const record of records) {
    tried += 1
    if ('fields' in record) rows.push(record.fields)
    if (rows.length === PREVIEW_ROWS || tried === ROWS_TRIED_MAX) break
  }
  if (needsRows && tried === 0 && start.length === file.size) return 'This file has a header but no rows.'
  return { headers: header.fields, rows }
}

/** Parses records lazily: reads little beyond the last one requested. */
function* recordsOf(start: Uint8Array, isWhole: boolean): Generator<CsvRecord, undefined> {
  const csv = openCsv(parse)
  let used = 0
  // Doubling limits how often a long record is parsed again.
  for (let end = FIRST_BYTES; ; end *= 2) {
    const isLast = end >= start.length
    used += yield* csv.read(start.subarray(used, end), isLast && isWhole)
    if (isLast) return
  }
}

/** Guesses each column's field by its name. Each field is used once. */
export function guessColumns(headers: readonly string[]): string[] {
  const used = new Set<string>()
  return headers.map((header) => {
    const name = columnKey(header)
    if (name === '' || exportOnly.has(name)) return SKIP
    const alias = personColumnOf(header) ?? (Object.hasOwn(aliases, name) ? aliases[name] : undefined)
    const standardField = Object.hasOwn(columnLabels, name) ? name : alias
    const field = standardField === undefined || used.has(standardField) ? name : standardField
    if (used.has(field)) return SKIP
    used.add(field)
    return field === standardField ? standardField : CUSTOM_FIELD
  })
}

/** What is wrong with the mapping, or null. */
export function columnsProblem(headers: readonly string[], chosen: readonly string[]): string | null {
  const mapped = chosen.filter((column) => Object.hasOwn(columnLabels, column)) as ImportColumn[]
  if (!mapped.includes('twitter_handle')) return 'Choose the column with the handles.'
  const duplicate = mapped.find((column, index) => mapped.indexOf(column) !== index)
  if (duplicate) return `Two columns map to “${columnLabels[duplicate]}”. Skip one of them.`
  const names = columnNames(headers, chosen).map(columnKey)
  const twice = names.find((name, index) => name !== SKIP && names.indexOf(name) !== index)
  return twice === undefined ? null : `Two columns are named “${twice}”. Skip one of them.`
}

/** A warning about the first handle in the preview that X does not allow, or null. */
export function handlesWarning({ rows }: Preview, chosen: readonly string[]): string | null {
  const column = chosen.indexOf('twitter_handle')
  const handles = rows.flatMap((row) => row[column]?.trim() || [])
  const wrong = handles.find((handle) => handleFault(handleIn(handle)))
  if (wrong === undefined) return null
  const problem = handleFault(handleIn(wrong)) === 'page' ? HANDLE_PROBLEMS.page : "isn't a valid X handle"
  return `“${shorten(wrong, HANDLE_SHOWN)}” ${problem}. Rows without a valid handle are skipped.`
}

/** A warning about the first X user ID in the preview that the import will ignore, or null. */
export function idsWarning({ rows }: Preview, chosen: readonly string[]): string | null {
  const column = chosen.indexOf('x_user_id')
  for (const row of rows) {
    const text = row[column]?.trim() ?? ''
    const read = text === '' ? null : readXUserId(text)
    if (read && 'fault' in read)
      return `“${shorten(text, HANDLE_SHOWN)}” ${X_USER_ID_PROBLEMS[read.fault]}. Such IDs are left out, and their people are found by handle.`
  }
  return null
}

/** The column names for the API. */
export function columnNames(headers: readonly string[], chosen: readonly string[]): string[] {
  return headers.map((header, index) => (chosen[index] === CUSTOM_FIELD ? header.trim() : (chosen[index] ?? SKIP)))
}
