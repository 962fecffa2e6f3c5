import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { MESSAGE_MAX } from '@x-automated/contract/outreach/template'
import { api } from '../../../api'
import { useDebouncedValue } from '../../../ui/use-debounced-value'
import { useHasRole } from '../../identity/people/use-role'

/** The server's remarks on a text. Empty while the user is typing. */
export function useLint(text: string, campaignId?: string) {
  const isMember = useHasRole('member')
  const settled = useDebouncedValue(text, 800)
  const lint = useQuery(
    api.writer.lint.queryOptions({
      input: { text: settled, ...(campaignId ? { campaignId } : {}) },
      enabled: isMember === true && settled.trim() !== '' && settled.length <= MESSAGE_MAX,
      placeholderData: keepPreviousData,
      retry: false,
    }),
  )
  return settled === text && text.trim() !== '' && !lint.isPlaceholderData ? (lint.data?.problems ?? []) : []
}
