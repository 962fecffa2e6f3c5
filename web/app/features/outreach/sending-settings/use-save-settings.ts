import { useQueryClient } from '@tanstack/react-query'
import type { SendingSettings } from '@x-automated/contract/outreach/sending-settings'
import { api } from '../../../api'
import { type ActionOptions, useAction } from '../../../use-action'

/** An action that saves sending settings, then displays what the server returns. */
export function useSaveSettings<Input = void>(
  save: (input: Input) => Promise<SendingSettings>,
  { onSuccess, ...options }: ActionOptions<Input, SendingSettings>,
) {
  const queries = useQueryClient()
  return useAction(save, {
    failed: 'Failed to save the settings. Please try again.',
    onSuccess(settings, input) {
      queries.setQueryData(api.sendingSettings.find.queryKey(), settings)
      onSuccess?.(settings, input)
    },
    ...options,
  })
}
