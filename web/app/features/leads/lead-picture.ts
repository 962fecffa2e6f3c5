import type { Lead } from '@x-automated/contract/leads'

/** X's own host. An imported address may be anyone's, and the content security policy lets in no other. */
const PICTURES = 'https://pbs.twimg.com/'

/** Where else this server's policy lets pictures come from: it says so in the page. */
function otherPictures(): string | null {
  return document.querySelector<HTMLMetaElement>('meta[name="pictures"]')?.content || null
}

export function profilePictureUrl({ profileImageUrl }: Pick<Lead, 'profileImageUrl'>): string | null {
  if (!profileImageUrl) return null
  const other = otherPictures()
  const isLetIn = profileImageUrl.startsWith(PICTURES) || (other !== null && profileImageUrl.startsWith(`${other}/`))
  return isLetIn ? profileImageUrl : null
}
