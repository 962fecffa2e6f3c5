import { session } from './session'

/** A value that outlives its component, in the workspace in which it was set. */
export function keptPerWorkspace<T>(initial: T) {
  let kept = { workspaceId: session.workspaceId(), value: initial }
  return {
    get: (): T => (kept.workspaceId === session.workspaceId() ? kept.value : initial),
    set(value: T): void {
      kept = { workspaceId: session.workspaceId(), value }
    },
  }
}
