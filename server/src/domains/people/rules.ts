import type { GivenRole } from '@x-automated/contract/people'

/** How mails name what somebody is made. */
export const ROLE_WORDS: Record<GivenRole, string> = {
  viewer: 'a viewer',
  member: 'a member',
  admin: 'an admin',
}

/** Where a mailed invitation leads. The token stays in the fragment, which no log and no other site sees. */
export function invitationLink(origin: string, token: string): string {
  return `${origin}/invitation#token=${token}`
}
