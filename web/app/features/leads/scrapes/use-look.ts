import { useMutation } from '@tanstack/react-query'
import { api, client } from '../../../api'
import { useRefresh } from '../../../use-refresh'
import type { ScrapeSource } from './scrape-text'

interface Wanted {
  source: ScrapeSource
  /** Connects X first. */
  credentials?: { username: string; password: string }
}

/** Looks at a source without saving anyone, and keeps the last look until it is reset. */
export function useLook() {
  const refresh = useRefresh()
  return useMutation({
    async mutationFn({ source, credentials }: Wanted) {
      if (credentials) {
        await client.xAccount.connect(credentials)
        void refresh(api.xAccount)
      }
      return { source, ...(await client.scrapes.look(source)) }
    },
  })
}

export type LookState = ReturnType<typeof useLook>
export type Look = NonNullable<LookState['data']>
