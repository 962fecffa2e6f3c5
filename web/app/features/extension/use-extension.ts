import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ExtensionRequest } from '@x-automated/contract/extension'
import { api, client, errorText } from '../../api'
import { toast } from '../../ui/toast'
import { useSlow } from '../../ui/use-slow'
import {
  askExtension,
  askStatus,
  type ExtensionHere,
  type ExtensionReply,
  setBackgroundSending,
} from '../real-send/extension-link'

const LOOK_EVERY_MS = 2_000

/** An extension that is there has answered by then, its start included. */
const ANSWERS_WITHIN_MS = 1_000

const statusKey = ['extension', 'here']

/**
 * The extension of this browser: how it is, null where there is none, undefined while that is not known. KeyValueStorage fresh while it is looked at.
 * @param asks false while nothing depends on it: asking wakes it
 */
export function useExtensionHere(asks = true): ExtensionHere | null | undefined {
  return useQuery({
    queryKey: statusKey,
    enabled: asks,
    queryFn: async () => {
      const reply = await askStatus()
      return reply.success ? reply.status : null
    },
    networkMode: 'always',
    refetchInterval: LOOK_EVERY_MS,
    staleTime: 0,
  }).data
}

/**
 * Is there nothing to wait for any more, for what stands below a word about the extension of this browser?
 * @param asks as above: false where nothing is said of it
 */
export function useExtensionToldOf(asks: boolean): boolean {
  const here = useExtensionHere(asks)
  const isLate = useSlow(asks, ANSWERS_WITHIN_MS)
  return !asks || here !== undefined || isLate
}

/** The extensions that are paired with the account, in whatever browser. */
export function usePairings() {
  return useQuery(api.extension.list.queryOptions({ refetchInterval: LOOK_EVERY_MS * 2, staleTime: 0 }))
}

/** What one can have the extension of this browser do. */
export function useExtensionActions() {
  const queries = useQueryClient()
  const reread = () =>
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
    onSettled: reread,
  })
  const sendInBackground = useMutation({
    mutationFn: (allowed: boolean) => requireSuccess(setBackgroundSending(allowed)),
    onError,
    onSettled: reread,
  })
  const unpairHere = useMutation({ mutationFn: () => ask({ action: 'UNPAIR' }), onError, onSettled: reread })
  const unpair = useMutation({
    mutationFn: (id: string) => client.extension.remove({ id }),
    onSuccess: () => toast.success('Unpaired. Its key opens nothing any more.'),
    onError,
    onSettled: reread,
  })
  return { pair, sendInBackground, unpairHere, unpair }
}

class ExtensionRefused extends Error {}

async function requireSuccess(asked: Promise<ExtensionReply<object>>): Promise<void> {
  const reply = await asked
  if (!reply.success) throw new ExtensionRefused(reply.error)
}
