import { TYPED } from './browser-storage'
import { session } from './session'

/** The storage key of what the user has typed into a form, in this workspace; null if nobody is signed in. */
export function typedKey(form: string): string | null {
  const state = session.state()
  return state.status === 'signed-in' ? `${TYPED}${form}.${state.user.id}.${session.workspaceId()}` : null
}
