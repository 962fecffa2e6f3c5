import type { AssignableRole } from '@x-automated/contract/identity/people'

/** Role names with their article, for emails. */
export const ROLE_NAMES: Record<AssignableRole, string> = {
  viewer: 'a viewer',
  member: 'a member',
  admin: 'an admin',
}

/** The link in the email. Its token is in the fragment, which no log or Referer contains. */
export function invitationLink(origin: string, token: string): string {
  return `${origin}/invitation#token=${token}`
}
