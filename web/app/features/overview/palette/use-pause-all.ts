import { useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { api, client, errorText } from '../../../api'
import { useConfirm } from '../../../ui/confirm'
import { toast } from '../../../ui/toast'
import { allCampaigns } from '../../outreach/campaigns/all-campaigns'

/** Pauses every active campaign after a confirmation. */
export function usePauseAll(): () => void {
  const queries = useQueryClient()
  const confirm = useConfirm()

  /** @returns the campaigns that changed */
  async function change(campaigns: readonly Campaign[], status: 'active' | 'paused'): Promise<Campaign[]> {
    const changed = await Promise.allSettled(campaigns.map(({ id }) => client.campaigns.update({ id, status })))
    void queries.invalidateQueries({ queryKey: api.campaigns.key() })
    void queries.invalidateQueries({ queryKey: api.today.key() })
    const refused = changed.find((outcome) => outcome.status === 'rejected')
    if (refused) toast.error(errorText(refused.reason, 'Some campaigns did not change. Try again.'))
    return campaigns.filter((_, index) => changed[index]?.status === 'fulfilled')
  }

  async function pauseAll(): Promise<void> {
    const active = (await allCampaigns(new AbortController().signal)).filter(({ status }) => status === 'active')
    if (active.length === 0) {
      toast.info('No campaign is active.')
      return
    }
    const count = formatCount(active.length, 'active campaign')
    const rest =
      active.length === 1 ? 'It sends nothing until you resume it.' : 'They send nothing until you resume them.'
    const isSure = await confirm({
      title: 'Pause all campaigns?',
      body: `This pauses ${count}. ${rest}`,
      confirm: 'Pause all',
    })
    if (!isSure) return
    const paused = await change(active, 'paused')
    if (paused.length === 0) return
    toast.success(`Paused ${formatCount(paused.length, 'campaign')}.`, {
      action: { label: 'Undo', onClick: () => void change(paused, 'active') },
    })
  }

  return () => void pauseAll().catch((error) => toast.error(errorText(error, "Campaigns didn't load. Try again.")))
}
