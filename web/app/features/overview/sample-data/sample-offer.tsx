import { useMutation } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import { api, errorText } from '../../../api'
import { Button, type ButtonProps } from '../../../ui/button'
import { toast } from '../../../ui/toast'
import { useRefresh } from '../../../use-refresh'
import { useIsOffered } from '../../identity/people/use-role'

/**
 * Loads the sample data. Only visible to owners. Does not use `useAction`, because this is part of
 * Home's initial code.
 */
export default function SampleOffer({ size = 'md' }: Pick<ButtonProps, 'size'>) {
  const isOffered = useIsOffered('owner')
  const refresh = useRefresh()
  const load = useMutation(
    api.sampleData.load.mutationOptions({
      onSuccess({ leads, lists, campaigns }) {
        toast.success(
          `Sample data is loaded: ${formatCount(leads, 'lead')}, ${formatCount(lists, 'list')} and ${formatCount(campaigns, 'campaign')}.`,
        )
        // The focused button disappears.
        document.getElementById('content')?.focus({ preventScroll: true })
      },
      onError: (error) => toast.error(errorText(error, 'Failed to load sample data. Please try again.')),
      onSettled: () => refresh(api),
    }),
  )
  if (!isOffered) return null
  return (
    <Button size={size} loading={load.isPending} onClick={() => load.mutate(undefined)}>
      Load sample data
    </Button>
  )
}
