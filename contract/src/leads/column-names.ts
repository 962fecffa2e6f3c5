// Without schemas, so that screens can import it cheaply.

/** How imports compare the names of columns. */
export function columnKey(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
}

/** Names of the columns that say who a person is, also in the exports of other programs. */
export const PERSON_COLUMNS: Record<string, 'twitter_handle' | 'x_user_id'> = {
  twitter_handle: 'twitter_handle',
  handle: 'twitter_handle',
  username: 'twitter_handle',
  user_name: 'twitter_handle',
  screen_name: 'twitter_handle',
  twitter: 'twitter_handle',
  x_handle: 'twitter_handle',
  x_user_id: 'x_user_id',
  user_id: 'x_user_id',
  twitter_id: 'x_user_id',
}
