import { skipToken, useQuery } from '@tanstack/react-query'
import { IMPORTS_KEPT } from '@x-automated/contract/leads/import-limits'
import type { Import } from '@x-automated/contract/leads/imports'
import { useState } from 'react'
import { api, client } from '../../../api'
import { useAction } from '../../../use-action'
import { useEnded } from '../../../use-ended'
import { useRefresh } from '../../../use-refresh'

const POLL_EVERY_MS = 1_000

const isRunning = (item: Import | undefined) => item?.status === 'running'

/** The running import to display, unless the user has closed it. */
export function importToShow(imports: readonly Import[], leftId: string | null): Import | undefined {
  return imports.find((item) => isRunning(item) && item.id !== leftId)
}

/** The import that was started here, or a running one. @param onEnded called if it ends while displayed */
export function useImport(onEnded: (ended: Import) => void) {
  const refresh = useRefresh()
  const [id, setId] = useState<string | null>(null)
  /** The import that the user closed. It doesn't reopen automatically. */
  const [leftId, setLeftId] = useState<string | null>(null)
  const list = useQuery(api.imports.list.queryOptions({ input: { page: 1, pageSize: IMPORTS_KEPT } }))
  const imports = list.data?.imports ?? []
  const running = importToShow(imports, leftId)
  if (id === null && running) setId(running.id)
  const query = useQuery(
    api.imports.find.queryOptions({
      input: id === null ? skipToken : { id },
      refetchInterval: ({ state }) => (isRunning(state.data) ? POLL_EVERY_MS : false),
    }),
  )
  const visibleImport = id === null ? undefined : query.data
  const expectEnd = useEnded(visibleImport, isRunning(visibleImport), (ended) => {
    void refresh(api.imports.list, api.leads, api.lists, api.tags)
    onEnded(ended)
  })
  return {
    /** Undefined if there is none, or while loading. */
    shown: visibleImport,
    isLoading: id !== null && query.isPending,
    /** The workspace's latest import. */
    newest: imports[0],
    /** Displays an import. @param next its id; null closes the displayed import, unless another one is running */
    show(next: string | null) {
      setLeftId(id)
      setId(next)
    },
    /** Watches a newly started import until it ends. */
    watch(started: string) {
      setId(started)
      expectEnd(started)
      void refresh(api.imports.list)
    },
  }
}

/** Cancels an import. Nothing is imported. */
export function useCancelImport() {
  return useAction((id: string) => client.imports.cancel({ id }), { refetches: [api.imports] })
}
