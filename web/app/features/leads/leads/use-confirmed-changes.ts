import { formatCount, pluralize } from '@x-automated/contract/format'
import { useConfirm } from '../../../ui/confirm'
import { isSingle, type Picked, pickedCount } from './lead-selection'
import { useRemoveLeads, useSuppressLeads } from './use-bulk'

/** Deletes or suppresses leads once the user has confirmed. */
export function useConfirmedChanges(onDone: () => void) {
  const confirm = useConfirm()
  const remove = useRemoveLeads(onDone)
  const suppress = useSuppressLeads(onDone)
  const askToRemove = async (picked: Picked, name?: string) => {
    const count = pickedCount(picked)
    const sure = await confirm({
      title: name ? `Delete @${name}?` : `Delete ${formatCount(count, 'lead')}?`,
      body: `Are you sure you want to delete ${pluralize(count, 'this lead', 'these leads')}? This also removes ${pluralize(count, 'it', 'them')} from every list. Sent messages aren't affected.${'everyone' in picked ? ' This includes contacted and suppressed leads.' : ''} ${isSingle(picked) ? 'You can undo this for 10 seconds.' : 'You can undo this for an hour, under Jobs.'}`,
      confirm: `Delete ${pluralize(count, 'lead')}`,
      danger: true,
    })
    if (sure) remove.mutate({ picked, input: null })
  }
  const askToSuppress = async (picked: Picked, name?: string) => {
    const count = pickedCount(picked)
    const sure = await confirm({
      title: name ? `Suppress @${name}?` : `Suppress ${formatCount(count, 'lead')}?`,
      body: 'No one in this workspace can message them, in any campaign. Their queued messages are stopped.',
      confirm: `Suppress ${pluralize(count, 'lead')}`,
      danger: true,
    })
    if (sure) suppress.mutate({ picked, input: null })
  }
  return { askToRemove, askToSuppress }
}
