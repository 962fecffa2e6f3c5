import { messageValue } from '../message-value.ts'

// Without schemas, so that screens can import it cheaply.

/** Normalizes a column name so that imports can compare it. */
export function columnKey(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
}

/** Headers of columns with first names. */
export const FIRST_NAME = /^first[\s_.-]*name$/i
const LAST_NAME = /^last[\s_.-]*name$/i

/** The first name in a lead's custom columns; null: there is none. */
export function ownFirstName(metadata: Record<string, unknown>): string | null {
  return ownValue(metadata, FIRST_NAME) || null
}

/** The first name in a lead's custom columns, joined with the last name if there is one; null: there is none. */
export function ownFullName(metadata: Record<string, unknown>): string | null {
  const first = ownValue(metadata, FIRST_NAME)
  return first === '' ? null : `${first} ${ownValue(metadata, LAST_NAME)}`.trim()
}

/** The first value by code point of the column's name. */
function ownValue(metadata: Record<string, unknown>, isWanted: RegExp): string {
  const columns = Object.keys(metadata).filter((column) => isWanted.test(column))
  for (const column of columns.sort()) {
    const value = metadata[column]
    const text = typeof value === 'string' ? messageValue(value) : ''
    if (text !== '') return text
  }
  return ''
}

/** Which of a person's columns a header names, in any case and with any separators; null if none. */
export function personColumnOf(header: string): 'twitter_handle' | 'x_user_id' | null {
  const words = header.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').replaceAll(/[./:]+/g, '_')
  const key = [header, words].map(columnKey).find((candidate) => Object.hasOwn(PERSON_COLUMNS, candidate))
  return key === undefined ? null : (PERSON_COLUMNS[key] ?? null)
}

/** Headers that name people, including those in other programs' exports. */
const PERSON_COLUMNS: Record<string, 'twitter_handle' | 'x_user_id'> = {
  twitter_handle: 'twitter_handle',
  handle: 'twitter_handle',
  username: 'twitter_handle',
  user_name: 'twitter_handle',
  screen_name: 'twitter_handle',
  twitter: 'twitter_handle',
  x_handle: 'twitter_handle',
  twitter_username: 'twitter_handle',
  twitter_user_name: 'twitter_handle',
  twitter_screen_name: 'twitter_handle',
  twitter_account: 'twitter_handle',
  x_username: 'twitter_handle',
  x_user_name: 'twitter_handle',
  author_user_name: 'twitter_handle',
  profile_url: 'twitter_handle',
  twitter_url: 'twitter_handle',
  twitter_profile: 'twitter_handle',
  twitter_profile_url: 'twitter_handle',
  twitter_link: 'twitter_handle',
  x_url: 'twitter_handle',
  x_profile: 'twitter_handle',
  x_profile_url: 'twitter_handle',
  x_user_id: 'x_user_id',
  user_id: 'x_user_id',
  twitter_id: 'x_user_id',
}
