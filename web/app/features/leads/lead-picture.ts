import type { Lead } from '@x-automated/contract/leads'

/** Pictures come from X's own host, the only one that the content security policy lets in; an imported address may be anyone's. */
const PICTURES = 'https://pbs.twimg.com/'

export function pictureOf({ profileImageUrl }: Pick<Lead, 'profileImageUrl'>): string | null {
  return profileImageUrl?.startsWith(PICTURES) ? profileImageUrl : null
}
