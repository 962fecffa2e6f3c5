import { type QueryClient, skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { IMPORTS_KEPT } from '@x-automated/contract/leads/import-limits'
import type { Import } from '@x-automated/contract/leads/imports'
import { useEffect, useEffectEvent, useState } from 'react'
import { api, errorText } from '../../../api'
import { toast } from '../../../ui/toast'

const POLL_EVERY_MS = 1_000

const isRunning = (one: Import | undefined) => one?.status === 'running'

/** The running import to show, unless the user has left it. */
export function importToShow(imports: readonly Import[], leftId: string | null): Import | undefined {
  return imports.find((one) => isRunning(one) && one.id !== leftId)
}

/**
 * The import chosen or started here, or else a running one of the workspace. @param onEnded called
 * if it ends while it is shown
 */
export function useImport(onEnded: (ended: Import) => void) {
  const queries = useQueryClient()
  const [id, setId] = useState<string | null>(null)
  /** The import that the user has left: it doesn't reopen automatically. */
  const [leftId, setLeftId] = useState<string | null>(null)
  const list = useQuery(api.imports.list.queryOptions({ input: { page: 1, pageSize: IMPORTS_KEPT } }))
  const imports = list.data?.imports ?? []
  const running = importToShow(imports, leftId)
  if (id === null && running) setId(running.id)
  const found = useQuery(
    api.imports.find.queryOptions({
      input: id === null ? skipToken : { id },
      refetchInterval: ({ state }) => (isRunning(state.data) ? POLL_EVERY_MS : false),
    }),
  )
  const shown = id === null ? undefined : found.data
  const isShownRunning = isRunning(shown)
  const end = useEffectEvent(() => {
    if (!shown || isShownRunning) return
    void invalidateLeads(queries)
    onEnded(shown)
  })
  const [watched, setWatched] = useState<string | null>(null)
  if (isShownRunning && shown && watched !== shown.id) setWatched(shown.id)
  const hasEnded = shown !== undefined && !isShownRunning && watched === shown.id
  useEffect(() => {
    if (!hasEnded) return
    end()
    setWatched(null)
  }, [hasEnded])
  return {
    /** Undefined if there is none, or while it loads. */
    shown,
    isLoading: id !== null && found.isPending,
    /** The workspace's latest import. */
    newest: imports[0],
    /** @param next null shows none, unless another one is running */
    show(next: string | null) {
      setLeftId(id)
      setId(next)
    },
    /** Watches a newly started import until it ends. */
    watch(started: string) {
      setId(started)
      setWatched(started)
      void queries.invalidateQueries({ queryKey: api.imports.list.key() })
    },
  }
}

function invalidateLeads(queries: QueryClient): Promise<unknown> {
  return Promise.all(
    [api.imports.list, api.leads, api.lists, api.tags].map((part) =>
      queries.invalidateQueries({ queryKey: part.key() }),
    ),
  )
}

/** Stops an import; nothing is imported. */
export function useCancelImport() {
  const queries = useQueryClient()
  return useMutation(
    api.imports.cancel.mutationOptions({
      onError: (error) => toast.error(errorText(error)),
      onSettled: () => queries.invalidateQueries({ queryKey: api.imports.key() }),
    }),
  )
}
