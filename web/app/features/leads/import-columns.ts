import { type CsvRecord, openCsv } from '@x-automated/contract/csv'
import { IMPORT_COLUMNS_MAX } from '@x-automated/contract/import-limits'
import { parse } from 'csv-parse/browser/esm/sync'

/** What a column of a file can become: a column of ours, one of the lead's own (kept under its name), or nothing. */
export const columnLabels = {
  twitter_handle: 'Handle',
  name: 'Name',
  bio: 'Bio',
  follower_count: 'Followers',
  following_count: 'Following',
  location: 'Location',
  website: 'Website',
  url: 'Profile address',
  profile_image_url: 'Picture address',
  source_profile: 'Found at',
  x_user_id: "X's user id",
  tags: 'Tags',
  basis: 'Contact basis',
  basis_at: 'Basis since',
  basis_source: 'How the basis is known',
  metadata: 'More, as JSON',
} as const
type Known = keyof typeof columnLabels

/** Other names that such columns have in the exports of other programs. */
const alsoCalled: Record<string, Known> = {
  handle: 'twitter_handle',
  username: 'twitter_handle',
  user_name: 'twitter_handle',
  screen_name: 'twitter_handle',
  twitter: 'twitter_handle',
  x_handle: 'twitter_handle',
  full_name: 'name',
  display_name: 'name',
  description: 'bio',
  about: 'bio',
  followers: 'follower_count',
  followers_count: 'follower_count',
  following: 'following_count',
  friends_count: 'following_count',
  user_id: 'x_user_id',
  twitter_id: 'x_user_id',
  avatar: 'profile_image_url',
  tag: 'tags',
  contact_basis: 'basis',
}
/** Written by our own export, and never taken back. */
const ours = new Set(['id', 'dm_status', 'created_at', 'updated_at'])

export const KEEP = '*keep*'
export const LEAVE_OUT = ''

export interface Preview {
  headers: string[]
  /** The first lines behind the header. */
  rows: string[][]
}

const PREVIEW_BYTES = 256 * 1024
/** Most files have their first lines in these. */
const FIRST_BYTES = 16 * 1024
const PREVIEW_ROWS = 5
/** Lines that are looked at for them: one that cannot be read takes up to a millisecond. */
const PREVIEW_LINES = 100
const UNREADABLE = 'The first lines of this file could not be read as CSV.'

/** Reads a file's header and first lines as an import does, or says why it cannot. However large it is, only its beginning is read. */
export async function readPreview(file: Blob): Promise<Preview | string> {
  const beginning = new Uint8Array(await file.slice(0, PREVIEW_BYTES).arrayBuffer())
  try {
    // The beginning may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(beginning, { stream: true })
  } catch {
    return 'The file is not UTF-8 text. Save it as CSV UTF-8 and try again.'
  }
  const records = recordsOf(beginning, beginning.length === file.size)
  const header = records.next().value
  if (!header || 'problem' in header || header.fields.every((name) => name.trim() === '')) return UNREADABLE
  if (header.fields.length > IMPORT_COLUMNS_MAX) return `The file has more than ${IMPORT_COLUMNS_MAX} columns.`
  const rows: string[][] = []
  let looked = 0
  for (const record of records) {
    looked += 1
    if ('fields' in record) rows.push(record.fields)
    if (rows.length === PREVIEW_ROWS || looked === PREVIEW_LINES) break
  }
  if (looked === 0 && beginning.length === file.size) return 'This file has a header and no lines below it.'
  return { headers: header.fields, rows }
}

/** The records of a file's beginning. What is behind the last one that is asked for is hardly read. */
function* recordsOf(beginning: Uint8Array, isWhole: boolean): Generator<CsvRecord, undefined> {
  const csv = openCsv(parse)
  let used = 0
  // Each time twice as much: where one record is long, it is not begun anew too often.
  for (let end = FIRST_BYTES; ; end *= 2) {
    const isLast = end >= beginning.length
    used += yield* csv.read(beginning.subarray(used, end), isLast && isWhole)
    if (isLast) return
  }
}

/** What each column most likely is, by its name; each of ours is taken once. */
export function guessColumns(headers: readonly string[]): string[] {
  const taken = new Set<string>()
  return headers.map((header) => {
    const name = header
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_')
    if (name === '' || ours.has(name)) return LEAVE_OUT
    const known = Object.hasOwn(columnLabels, name)
      ? name
      : Object.hasOwn(alsoCalled, name)
        ? alsoCalled[name]
        : undefined
    if (known === undefined || taken.has(known)) return KEEP
    taken.add(known)
    return known
  })
}

/** What is wrong with the choice, in words to show; null: nothing. */
export function columnsProblem(headers: readonly string[], chosen: readonly string[]): string | null {
  const known = chosen.filter((one) => Object.hasOwn(columnLabels, one)) as Known[]
  if (!known.includes('twitter_handle')) return 'Choose which column holds the handle.'
  const double = known.find((one, place) => known.indexOf(one) !== place)
  if (double) return `Two columns are “${columnLabels[double]}”. Leave one of them out.`
  const kept = headers.filter((_, place) => chosen[place] === KEEP).map((name) => name.trim().toLowerCase())
  const twice = kept.find((name, place) => kept.indexOf(name) !== place)
  return twice === undefined ? null : `Two columns are named “${twice}”. Leave one of them out.`
}

/** The columns as the API takes them. */
export function columnNames(headers: readonly string[], chosen: readonly string[]): string[] {
  return headers.map((header, place) => (chosen[place] === KEEP ? header.trim() : (chosen[place] ?? LEAVE_OUT)))
}
