import { session } from './session'

/** A value that outlives its component, until the workspace changes. */
export function keptPerWorkspace<T>(initial: T) {
  let kept = { workspaceId: session.workspaceId(), value: initial }
  return {
    get: (): T => (kept.workspaceId === session.workspaceId() ? kept.value : initial),
    set(value: T): void {
      kept = { workspaceId: session.workspaceId(), value }
    },
  }
}
