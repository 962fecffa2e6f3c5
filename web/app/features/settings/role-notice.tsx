import type { Role } from '@x-automated/contract/route'
import type { ReactNode } from 'react'
import { Callout } from '../../ui/callout'
import { useIsOffered } from './use-role'

/** Why what needs this role is not here. Nothing for whoever has it. */
export function RoleNotice({ needs, children }: { needs: Role; children: ReactNode }) {
  return useIsOffered(needs) ? null : <Callout>{children}</Callout>
}

/** Said where an X account could be connected. */
export const ADMINS_CONNECT = 'X accounts are connected by the admins of this workspace. Ask one of them.'

/** Said where a viewer finds less than others. */
export const VIEWER_WORDS =
  'You are a viewer in this workspace: you see everything here and change nothing. An admin can give you another role.'
