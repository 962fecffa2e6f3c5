import { session } from './session'

/** A value that outlives its component, but only within the workspace in which it was set. */
export function workspaceValue<T>(initial: T) {
  let current = { workspaceId: session.workspaceId(), value: initial }
  return {
    get: (): T => (current.workspaceId === session.workspaceId() ? current.value : initial),
    set(value: T): void {
      current = { workspaceId: session.workspaceId(), value }
    },
  }
}
