// Without schemas, so that screens can import it cheaply.

/** Normalizes a column name so that imports can compare it. */
export function columnKey(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
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
