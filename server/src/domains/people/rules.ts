import type { Role } from '@x-automated/contract/route'

/** How mails name what somebody is made. */
export const ROLE_WORDS: Record<Role, string> = {
  viewer: 'a viewer',
  member: 'a member',
  admin: 'an admin',
  owner: 'the owner',
}

/** Where a mailed invitation leads. The token stays in the fragment, which no log and no other site sees. */
export function invitationLink(origin: string, token: string): string {
  return `${origin}/invitation#token=${token}`
}
