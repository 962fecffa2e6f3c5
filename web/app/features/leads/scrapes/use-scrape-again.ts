import { useMutation } from '@tanstack/react-query'
import type { Scrape } from '@x-automated/contract/leads/scrapes'
import { client, errorCode, errorText } from '../../../api'
import { toast } from '../../../ui/toast'
import { useCostConfirmation } from './cost-confirmation'
import { requestOf, sourceOf } from './scrape-text'

interface Options {
  onStarted: (scrape: Scrape) => void
  onAskCredentials: () => void
}

/** Repeats a scrape, possibly with other bounds, once its cost is confirmed. */
export function useScrapeAgain({ onStarted, onAskCredentials }: Options) {
  const confirmStart = useCostConfirmation()
  return useMutation({
    async mutationFn(scrape: Scrape) {
      const pasted = scrape.type === 'handles' ? await client.scrapes.handles({ id: scrape.id }) : {}
      const isConfirmed = await confirmStart({ ...sourceOf(scrape), ...pasted, maxResults: scrape.maxResults })
      return isConfirmed ? client.scrapes.create({ ...requestOf(scrape), ...pasted }) : null
    },
    onSuccess: (scrape) => {
      if (scrape) onStarted(scrape)
    },
    onError: (error) => {
      if (errorCode(error) === 'X_SESSION_EXPIRED') onAskCredentials()
      toast.error(errorText(error, 'Failed to scrape X followers'))
    },
  })
}
