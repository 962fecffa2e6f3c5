import { type QueryClient, skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { IMPORTS_KEPT } from '@x-automated/contract/import-limits'
import type { Import } from '@x-automated/contract/imports'
import { useEffect, useEffectEvent, useState } from 'react'
import { api, errorText } from '../../api'
import { toast } from '../../ui/toast'

/** While one is under way, its figures move. */
const POLL_EVERY_MS = 1_000

const isUnderWay = (one: Import | undefined) => one?.status === 'running'

/** Of all that are known, newest first, the one that shows itself. @param left the one that is not to */
export function toShow(imports: readonly Import[], left: string | null): Import | undefined {
  return imports.find((one) => isUnderWay(one) && one.id !== left)
}

/**
 * The import that is shown: the one that was chosen or begun here, or else one that is under way in the workspace, also when the page is
 * opened again.
 * @param onEnded called when it ends while it is watched
 */
export function useImport(onEnded: (ended: Import) => void) {
  const queries = useQueryClient()
  const [id, setId] = useState<string | null>(null)
  /** The one that was shown last and is not to come back by itself. */
  const [left, setLeft] = useState<string | null>(null)
  const list = useQuery(api.imports.list.queryOptions({ input: { page: 1, pageSize: IMPORTS_KEPT } }))
  const imports = list.data?.imports ?? []
  const coming = toShow(imports, left)
  if (id === null && coming) setId(coming.id)
  const found = useQuery(
    api.imports.find.queryOptions({
      input: id === null ? skipToken : { id },
      refetchInterval: ({ state }) => (isUnderWay(state.data) ? POLL_EVERY_MS : false),
    }),
  )
  const shown = id === null ? undefined : found.data
  const underWay = isUnderWay(shown)
  const end = useEffectEvent(() => {
    if (!shown || underWay) return
    void leadsChanged(queries)
    onEnded(shown)
  })
  const [watched, setWatched] = useState<string | null>(null)
  if (underWay && shown && watched !== shown.id) setWatched(shown.id)
  const hasEnded = shown !== undefined && !underWay && watched === shown.id
  useEffect(() => {
    if (!hasEnded) return
    end()
    setWatched(null)
  }, [hasEnded])
  return {
    /** Undefined: none, or it is still asked for. */
    shown,
    isAsked: id !== null && found.isPending,
    /** The last one of the workspace. */
    newest: imports[0],
    /** @param next null: none, unless another one is under way */
    show(next: string | null) {
      setLeft(id)
      setId(next)
    },
    /** One was begun here: it is watched until it ends, however quickly that is. */
    begin(begun: string) {
      setId(begun)
      setWatched(begun)
      void queries.invalidateQueries({ queryKey: api.imports.list.key() })
    },
  }
}

function leadsChanged(queries: QueryClient): Promise<unknown> {
  return Promise.all(
    [api.imports.list, api.leads, api.lists, api.tags].map((part) =>
      queries.invalidateQueries({ queryKey: part.key() }),
    ),
  )
}

/** Stops an import; nothing of its file is kept. */
export function useCancelImport() {
  const queries = useQueryClient()
  return useMutation(
    api.imports.cancel.mutationOptions({
      onError: (error) => toast.error(errorText(error)),
      onSettled: () => queries.invalidateQueries({ queryKey: api.imports.key() }),
    }),
  )
}
