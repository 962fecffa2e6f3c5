import { type QueryKey, useMutation } from '@tanstack/react-query'
import { showFailure, useReauthentication } from './reauthentication'
import { useConfirm } from './ui/confirm'
import type { Question } from './ui/confirm-dialog'
import { toast } from './ui/toast'
import { usePageRestored } from './ui/use-page-restored'
import { useRefresh } from './use-refresh'

export interface ActionOptions<Input, Output> {
  /** Asked first. Nothing happens unless the user confirms. */
  question?: Question | ((input: Input) => Question)
  /** The toast after a success. */
  done?: string | ((output: Output, input: Input) => string)
  onSuccess?: (output: Output, input: Input) => unknown
  /** The error toast's text, unless the server sent a message. */
  failed?: string | undefined
  /** Replaces the error toast. */
  onError?: (error: Error) => void
  /** Parts of the API (`api.people`) to refetch after success and failure. */
  refetches?: readonly { key: () => QueryKey }[]
}

/**
 * An API call for a button. `run` asks the question, reauthenticates if needed, calls, shows a
 * toast and refetches. It stays pending until all of that is done.
 */
export function useAction<Input = void, Output = unknown>(
  call: (input: Input) => Promise<Output>,
  { question, done, onSuccess, failed, onError, refetches = [] }: ActionOptions<Input, Output> = {},
) {
  const refresh = useRefresh()
  const confirm = useConfirm()
  const withReauthentication = useReauthentication()
  const action = useMutation({
    mutationFn: (input: Input) => withReauthentication(() => call(input)),
    onSuccess(output, input) {
      if (done) toast.success(typeof done === 'string' ? done : done(output, input))
      return onSuccess?.(output, input)
    },
    onError: onError ?? ((error) => showFailure(error, failed)),
    onSettled: () => refresh(...refetches),
  })
  const run = async (input: Input) => {
    if (!question || (await confirm(typeof question === 'function' ? question(input) : question))) action.mutate(input)
  }
  return { ...action, run }
}

/** An action that opens the URL returned by its call. `isLeaving` is true until the browser has left the page. */
export function useRedirect<Input = void>(call: (input: Input) => Promise<{ url: string }>, failed?: string) {
  const action = useAction(call, { failed, onSuccess: ({ url }) => location.assign(url) })
  usePageRestored(action.reset)
  return { ...action, isLeaving: action.isPending || action.isSuccess }
}
