import { TYPED } from './browser-storage'
import { session } from './session'

/** The storage key of what the user has typed into a form, in this workspace. */
export function typedKey(form: string): string {
  const state = session.state()
  return `${TYPED}${form}.${state.status === 'signed-in' ? state.user.id : ''}.${session.workspaceId()}`
}
