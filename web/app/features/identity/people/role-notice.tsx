import type { Role } from '@x-automated/contract/route'
import type { ReactNode } from 'react'
import { Callout } from '../../../ui/callout'
import { useIsOffered } from './use-role'

/** Explains that content requires this role. Users who have the role see nothing. */
export function RoleNotice({ needs, children }: { needs: Role; children: ReactNode }) {
  return useIsOffered(needs) ? null : <Callout>{children}</Callout>
}

/** Shown to users who are not admins, instead of the form that connects X. */
export const ADMINS_CONNECT = 'Only admins can connect X accounts. Ask an admin of this workspace.'

/** Shown to viewers instead of actions. */
export const VIEWER_TEXT =
  "You're a viewer in this workspace, so you can't make changes. An admin can change your role."
