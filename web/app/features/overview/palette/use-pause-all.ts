import { useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { api, client, errorText } from '../../../api'
import { useConfirm } from '../../../ui/confirm'
import { toast } from '../../../ui/toast'
import { allCampaigns } from '../../outreach/campaigns/all-campaigns'

/** Pauses every active campaign after a confirmation, and pauses or resumes one. */
export function usePauseAll() {
  const queries = useQueryClient()
  const confirm = useConfirm()

  /** @returns the campaigns that changed */
  async function change<C extends Pick<Campaign, 'id'>>(
    campaigns: readonly C[],
    status: 'active' | 'paused',
  ): Promise<C[]> {
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

  async function changeCampaign(campaign: Pick<Campaign, 'id' | 'name'>, status: 'active' | 'paused'): Promise<void> {
    const changed = await change([campaign], status)
    if (changed.length === 0) return
    const undo = () => void change([campaign], status === 'active' ? 'paused' : 'active')
    toast.success(`“${campaign.name}” ${status === 'active' ? 'resumed' : 'paused'}.`, {
      action: { label: 'Undo', onClick: undo },
    })
  }

  const showError = (error: unknown) => toast.error(errorText(error, "Campaigns didn't load. Try again."))
  return {
    pauseAll: () => void pauseAll().catch(showError),
    changeCampaign: (campaign: Pick<Campaign, 'id' | 'name'>, status: 'active' | 'paused') =>
      void changeCampaign(campaign, status).catch(showError),
  }
}
