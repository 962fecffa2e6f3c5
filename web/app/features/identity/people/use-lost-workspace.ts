import { useEffect } from 'react'
import { consumeLostWorkspace } from '../../../session'
import { toast } from '../../../ui/toast'
import { useWorkspaces } from './use-workspaces'

const SHOWN_MS = 60_000

/** Says that the user was removed from their workspace, and which one is open now. */
export function useLostWorkspace(): void {
  const name = useWorkspaces()?.current.name
  useEffect(() => {
    if (name === undefined || !consumeLostWorkspace()) return
    toast.info(`You no longer have access to your previous workspace. You're now in “${name}”.`, { duration: SHOWN_MS })
  }, [name])
}
