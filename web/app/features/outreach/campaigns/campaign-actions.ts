import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { api, client } from '../../../api'
import { useConfirm } from '../../../ui/confirm'
import { toast } from '../../../ui/toast'
import { HOLD_SECONDS, undoAction } from '../../../undo-queueing'
import { useFailureToast } from '../../platform/billing/use-failure-toast'
import { LONG_TEXT_MS, wakeRun } from '../real-send/extension-run'
import { invalidateCampaignNames } from './all-campaigns'
import { showOptimistically, updateCachedCampaign } from './campaign-cache'
import { changeProblem, launchProblem, type TargetStatus, undoProblem } from './campaign-text'
import { launchWithinPlan } from './launch-within-plan'
import type { RealSend } from './real-send'

const NO_LEADS = 'No leads in the selected list to queue DMs for.'

export interface CampaignActions {
  launch: (campaign: Campaign) => void
  /** Only works while the campaign has `undoUntil`. */
  undoLaunch: (campaign: Campaign) => void
  resume: (campaign: Campaign) => void
  pause: (campaign: Campaign) => void
  /** Archives the campaign, after asking for confirmation. */
  archive: (campaign: Campaign) => void
  /**
   * Starts sending. First resumes a paused campaign, or ends the hold after a launch. If the
   * campaign cannot be sent, shows the reason and changes nothing.
   */
  startRealSend: (campaign: Campaign) => void
  isSending: RealSend['isSending']
  /** The id of the campaign being changed. */
  busyId: string | null
}

interface Change {
  campaign: Campaign
  status: TargetStatus
}

/** Resuming a campaign that was never launched launches it. */
const isFirstLaunch = ({ campaign, status }: Change) => status === 'active' && campaign.totalLeadsInList === 0

/** The actions on campaigns. Changes appear immediately; a failure reverts them. */
export function useCampaignActions(realSend: RealSend): CampaignActions {
  const queries = useQueryClient()
  const confirm = useConfirm()
  const showFailure = useFailureToast()
  const launch = useLaunch(realSend)
  const undo = useUndoLaunch()
  const update = useMutation({
    mutationFn: (change: Change) => {
      const { campaign, status } = change
      return isFirstLaunch(change) ? launchHeld(campaign.id) : client.campaigns.update({ id: campaign.id, status })
    },
    onMutate: ({ campaign, status }) =>
      showOptimistically(queries, campaign.id, {
        status,
        pauseReason: null,
        reason: null,
        waiting: false,
        waitingFor: null,
      }),
    onSuccess(after, change) {
      const { campaign, status } = change
      updateCachedCampaign(queries, campaign.id, after)
      wakeRun(campaign.id)
      if (status === 'paused') {
        const onClick = () => update.mutate({ campaign, status: 'active' })
        toast.success('Campaign paused.', { action: { label: 'Undo', onClick } })
      } else if (status === 'archived') toast.success(`Campaign "${campaign.name}" archived.`)
      else if (after.totalLeadsInList === 0) toast.info(NO_LEADS)
      else {
        toast.success('Campaign resumed and set to active.', {
          id: undoToast(after.id),
          ...(isFirstLaunch(change) && { action: undoAction(() => undo.mutate(after)) }),
        })
        void realSend.autoStart(campaign.id)
      }
    },
    onError(error, { status }, rollBack) {
      rollBack?.()
      showFailure(error, changeProblem(error, status))
    },
    onSettled(_, __, { status }) {
      if (status === 'archived') invalidateCampaignNames(queries)
      return invalidateCampaigns(queries)
    },
  })
  const endHold = useMutation({
    mutationFn: ({ id }: Campaign) => client.campaigns.update({ id, status: 'active' }),
    onSuccess(after) {
      toast.dismiss(undoToast(after.id))
      updateCachedCampaign(queries, after.id, after)
      realSend.start(after)
      wakeRun(after.id)
    },
    onError: (error) => showFailure(error, changeProblem(error, 'active')),
  })
  const start = useMutation({
    mutationFn: ({ id }: Campaign) => realSend.findObstacle(id),
    onSuccess(obstacle, campaign) {
      if (obstacle) toast[obstacle.tone](obstacle.text, { duration: LONG_TEXT_MS })
      else if (campaign.status === 'paused') update.mutate({ campaign, status: 'active' })
      else endHold.mutate(campaign)
    },
    onError: (error) => showFailure(error, changeProblem(error, 'active')),
  })
  const startRealSend = (campaign: Campaign) => {
    if (campaign.status === 'paused' || campaign.undoUntil) start.mutate(campaign)
    else realSend.start(campaign)
  }
  const archive = async (campaign: Campaign) => {
    const sure = await confirm({
      title: 'Archive campaign?',
      body: `Are you sure you want to archive the campaign "${campaign.name}"? This action cannot be easily undone.`,
      confirm: 'Archive',
      danger: true,
    })
    if (sure) update.mutate({ campaign, status: 'archived' })
  }
  const changed = [launch, start, endHold, undo].find(({ isPending }) => isPending)?.variables
  const busyId = (update.isPending ? update.variables.campaign : changed)?.id ?? null
  return {
    launch: (campaign) => launch.mutate(campaign),
    undoLaunch: (campaign) => undo.mutate(campaign),
    resume: (campaign) => update.mutate({ campaign, status: 'active' }),
    pause: (campaign) => update.mutate({ campaign, status: 'paused' }),
    archive,
    startRealSend,
    isSending: realSend.isSending,
    busyId,
  }
}

/** Launches a campaign, but holds its messages so that the launch can be undone. @returns the campaign */
async function launchHeld(id: string): Promise<Campaign> {
  await launchWithinPlan({ id, holdSeconds: HOLD_SECONDS })
  return client.campaigns.find({ id })
}

/** The id of the toast that offers to undo a launch. */
const undoToast = (campaignId: string) => `launched-${campaignId}`

/** Undoes a launch, as long as the server holds its messages. */
function useUndoLaunch() {
  const queries = useQueryClient()
  const showFailure = useFailureToast()
  return useMutation({
    mutationFn: ({ id }: Pick<Campaign, 'id' | 'name'>) => client.campaigns.undoLaunch({ id }),
    onSuccess(campaign) {
      toast.dismiss(undoToast(campaign.id))
      updateCachedCampaign(queries, campaign.id, campaign)
      wakeRun(campaign.id)
      toast.success(`Launch of "${campaign.name}" undone. Nothing was sent.`)
    },
    onError: (error) => showFailure(error, undoProblem(error)),
    onSettled: () => invalidateCampaigns(queries),
  })
}

/** Queues messages for as many leads as the plan allows, and starts sending. Offers to undo the launch. */
export function useLaunch(realSend: RealSend) {
  const queries = useQueryClient()
  const showFailure = useFailureToast()
  const undo = useUndoLaunch()
  return useMutation({
    mutationFn: ({ id, draftId }: Pick<Campaign, 'id' | 'name'> & { draftId?: string | undefined }) =>
      launchWithinPlan({ id, holdSeconds: HOLD_SECONDS, draftId }),
    onSuccess({ dmsQueued, totalLeads }, { id, name }) {
      if (totalLeads === 0) toast.info(NO_LEADS)
      else
        toast.success(
          `Campaign "${name}" launched! ${formatNumber(dmsQueued)} DMs queued for ${formatNumber(totalLeads)} leads.`,
          { id: undoToast(id), ...(dmsQueued > 0 && { action: undoAction(() => undo.mutate({ id, name })) }) },
        )
      void realSend.autoStart(id)
    },
    onError: (error) => showFailure(error, launchProblem(error)),
    onSettled: () => invalidateCampaigns(queries),
  })
}

/** Refetches campaigns, the plan's usage and what is sent next, because messages may have been queued. */
function invalidateCampaigns(queries: QueryClient): Promise<void> {
  void queries.invalidateQueries({ queryKey: api.billing.overview.key() })
  void queries.invalidateQueries({ queryKey: api.today.key() })
  return queries.invalidateQueries({ queryKey: api.campaigns.key() })
}
