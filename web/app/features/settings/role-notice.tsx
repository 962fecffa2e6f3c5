import type { Role } from '@x-automated/contract/route'
import type { ReactNode } from 'react'
import { Callout } from '../../ui/callout'
import { useIsOffered } from './use-role'

/** Why what needs this role is not here. Nothing for whoever has it. */
export function RoleNotice({ needs, children }: { needs: Role; children: ReactNode }) {
  return useIsOffered(needs) ? null : <Callout>{children}</Callout>
}

/** Said where an X account could be connected. */
export const ADMINS_CONNECT = 'Only admins can connect X accounts. Ask an admin of this workspace.'

/** Said where a viewer finds less than others. */
export const VIEWER_WORDS =
  "You're a viewer in this workspace, so you can't make changes. An admin can change your role."
