import { useQuery } from '@tanstack/react-query'
import type { ExtensionRequest } from '@x-automated/contract/outreach/extension'
import { api, client, errorText } from '../../../api'
import { toast } from '../../../ui/toast'
import { useSlow } from '../../../ui/use-slow'
import { useAction } from '../../../use-action'
import {
  askExtension,
  askStatus,
  type ExtensionHere,
  type ExtensionReply,
  setBackgroundSending,
} from '../real-send/extension-link'

const POLL_MS = 2_000

/** An installed extension responds within this time, even if it has to start first. */
const ANSWERS_WITHIN_MS = 1_000

export const statusKey = ['extension', 'here']

/** The extension in this browser. Null if there is none, undefined while unknown. Polls while `enabled`. */
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

/** Whether the extension's status is known, or took too long. */
export function useExtensionStatusLoaded(enabled: boolean): boolean {
  const here = useExtensionHere(enabled)
  const isLate = useSlow(enabled, ANSWERS_WITHIN_MS)
  return !enabled || here !== undefined || isLate
}

/** The extensions paired with the account, in any browser. */
export function usePairings() {
  return useQuery(api.extension.list.queryOptions({ refetchInterval: POLL_MS * 2, staleTime: 0 }))
}

/** Pairs and unpairs this browser, and allows background sending. */
export function useExtensionActions() {
  const ask = (request: ExtensionRequest) => requireSuccess(askExtension(request))
  const options = {
    onError: (error: Error) => toast.error(error instanceof ExtensionRefused ? error.message : errorText(error)),
    refetches: [{ key: () => statusKey }, api.extension],
  }
  const pair = useAction(
    async () => {
      const { code } = await client.extension.createCode()
      return ask({ action: 'PAIR', data: { code } })
    },
    { ...options, done: 'This browser is paired.' },
  )
  const sendInBackground = useAction((allowed: boolean) => requireSuccess(setBackgroundSending(allowed)), options)
  const unpairHere = useAction(() => ask({ action: 'UNPAIR' }), options)
  return { pair, sendInBackground, unpairHere }
}

class ExtensionRefused extends Error {}

async function requireSuccess(request: Promise<ExtensionReply<object>>): Promise<void> {
  const reply = await request
  if (!reply.success) throw new ExtensionRefused(reply.error)
}
