import { messageValue } from '../message-value.ts'

// This file imports no schemas, so that screens can import it cheaply.

/** Normalizes a column name so that imports can compare it. */
export function columnKey(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
}

/** Matches the headers of columns with first names. */
export const FIRST_NAME = /^first[\s_.-]*name$/i
const LAST_NAME = /^last[\s_.-]*name$/i

/** Returns the first name in a lead's custom columns, or null if there is none. */
export function ownFirstName(metadata: Record<string, unknown>): string | null {
  return ownValue(metadata, FIRST_NAME) || null
}

/** Returns the first name in a lead's custom columns, with the last name if there is one; null without a first name. */
export function ownFullName(metadata: Record<string, unknown>): string | null {
  const first = ownValue(metadata, FIRST_NAME)
  return first === '' ? null : `${first} ${ownValue(metadata, LAST_NAME)}`.trim()
}

/** Returns the first value that is not empty, in the order of the columns' names; '' if there is none. */
function ownValue(metadata: Record<string, unknown>, isWanted: RegExp): string {
  const columns = Object.keys(metadata).filter((column) => isWanted.test(column))
  for (const column of columns.sort()) {
    const value = metadata[column]
    const text = typeof value === 'string' ? messageValue(value) : ''
    if (text !== '') return text
  }
  return ''
}

/** Returns the kind of person identifier that a header names, ignoring case and separators; null if none. */
export function personColumnOf(header: string): 'twitter_handle' | 'x_user_id' | null {
  const words = header.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').replaceAll(/[./:]+/g, '_')
  const key = [header, words].map(columnKey).find((candidate) => Object.hasOwn(PERSON_COLUMNS, candidate))
  return key === undefined ? null : (PERSON_COLUMNS[key] ?? null)
}

/** Headers of columns that identify people, including those in other programs' exports. */
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
