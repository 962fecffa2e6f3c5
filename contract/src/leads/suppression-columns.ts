import { handleFault, handleIn } from '../x-handle.ts'
import { readXUserId } from '../x-user-id.ts'
import { columnKey, personColumnOf } from './column-names.ts'

// The server uses this to read suppression files, the screen to map their columns. It imports no schemas.

export const SUPPRESSION_COLUMNS = ['twitter_handle', 'x_user_id', 'reason', 'note'] as const
export type SuppressionColumn = (typeof SUPPRESSION_COLUMNS)[number]

/** Headers of single-column files that could also be handles. */
const HEADER_WORDS = new Set([
  'handles',
  'usernames',
  'twitter_handles',
  'name',
  'full_name',
  'display_name',
  'email',
  'id',
  'ids',
  'user',
  'users',
  'account',
  'accounts',
  'profile',
  'profiles',
  'contact',
  'contacts',
  'person',
  'people',
  'url',
  'link',
  'blocked',
  'suppressed',
  'opted_out',
  'unsubscribed',
  'author_id',
  'rest_id',
  'id_str',
  'account_id',
  'follower_id',
  'twitteruserid',
  'reason',
  'note',
])

/** Returns what a column with this header contains; null if unknown. */
export function suppressionColumnOf(header: string): SuppressionColumn | null {
  const key = columnKey(header)
  if (key === 'reason' || key === 'note') return key
  return personColumnOf(header)
}

/** Guesses whether the first row of a suppression file is a header rather than a person. */
export function hasHeader(first: readonly string[]): boolean {
  if (namesPeople(first)) return true
  if (first.some(isClearlyPerson)) return false
  if (first.length > 1) return true
  const [cell = ''] = first
  // A person with a stray quote is still a person: `ana"`.
  return HEADER_WORDS.has(columnKey(cell)) || handleFault(handleIn(cell.replaceAll('"', ''))) !== null
}

/** Whether a row is certainly a header: it names a column of people. */
export function namesPeople(row: readonly string[]): boolean {
  return row.some((cell) => personColumnOf(cell) !== null)
}

/** Whether a row could be a title above the header: a single cell that is neither a header nor a person. */
export function isTitle(row: readonly string[]): boolean {
  const [cell = '', ...others] = row.filter((value) => value.trim() !== '')
  return others.length === 0 && !namesPeople(row) && !HEADER_WORDS.has(columnKey(cell)) && !isClearlyPerson(cell)
}

/** Whether a cell can only be a person: it has an @, or is a profile URL or an id. */
function isClearlyPerson(cell: string): boolean {
  const handle = handleIn(cell)
  const isMarked = handle.toLowerCase() !== cell.trim().toLowerCase()
  return (isMarked && handleFault(handle) === null) || 'id' in readXUserId(cell)
}
