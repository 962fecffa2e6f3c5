import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ExtensionRequest } from '@x-automated/contract/outreach/extension'
import { api, client, errorText } from '../../../api'
import { toast } from '../../../ui/toast'
import { useSlow } from '../../../ui/use-slow'
import {
  askExtension,
  askStatus,
  type ExtensionHere,
  type ExtensionReply,
  setBackgroundSending,
} from '../real-send/extension-link'

const POLL_MS = 2_000

/** An installed extension answers within this time, even if it has to start. */
const ANSWERS_WITHIN_MS = 1_000

const statusKey = ['extension', 'here']

/**
 * Polls the status of the extension in this browser: null if there is none, undefined until known.
 * @param enabled false while nothing depends on it: a request wakes the extension
 */
export function useExtensionHere(enabled = true): ExtensionHere | null | undefined {
  return useQuery({
    queryKey: statusKey,
    enabled,
    queryFn: async () => {
      const reply = await askStatus()
      return reply.success ? reply.status : null
    },
    networkMode: 'always',
    refetchInterval: POLL_MS,
    staleTime: 0,
  }).data
}

/**
 * Whether the status is known, or the extension took too long to answer. @param enabled false if
 * nothing depends on it
 */
export function useIsExtensionKnown(enabled: boolean): boolean {
  const here = useExtensionHere(enabled)
  const isLate = useSlow(enabled, ANSWERS_WITHIN_MS)
  return !enabled || here !== undefined || isLate
}

/** The extensions paired with the account, in any browser. */
export function usePairings() {
  return useQuery(api.extension.list.queryOptions({ refetchInterval: POLL_MS * 2, staleTime: 0 }))
}

/** Pairing, unpairing and background sending. */
export function useExtensionActions() {
  const queries = useQueryClient()
  const refresh = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: statusKey }),
      queries.invalidateQueries({ queryKey: api.extension.key() }),
    ])
  const ask = (request: ExtensionRequest) => requireSuccess(askExtension(request))
  const onError = (error: Error) => toast.error(error instanceof ExtensionRefused ? error.message : errorText(error))
  const pair = useMutation({
    async mutationFn() {
      const { code } = await client.extension.createCode()
      return ask({ action: 'PAIR', data: { code } })
    },
    onSuccess: () => toast.success('This browser is paired.'),
    onError,
    onSettled: refresh,
  })
  const sendInBackground = useMutation({
    mutationFn: (allowed: boolean) => requireSuccess(setBackgroundSending(allowed)),
    onError,
    onSettled: refresh,
  })
  const unpairHere = useMutation({ mutationFn: () => ask({ action: 'UNPAIR' }), onError, onSettled: refresh })
  const unpair = useMutation({
    mutationFn: (id: string) => client.extension.remove({ id }),
    onSuccess: () => toast.success('Unpaired. Its key no longer works.'),
    onError,
    onSettled: refresh,
  })
  return { pair, sendInBackground, unpairHere, unpair }
}

class ExtensionRefused extends Error {}

async function requireSuccess(asked: Promise<ExtensionReply<object>>): Promise<void> {
  const reply = await asked
  if (!reply.success) throw new ExtensionRefused(reply.error)
}
