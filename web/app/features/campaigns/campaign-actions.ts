import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/campaigns'
import { api, client, errorWords } from '../../api'
import { useConfirm } from '../../ui/confirm'
import { toast } from '../../ui/toast'

type Wish = 'active' | 'paused' | 'archived'

/** What failed, in the specification's words (§8). */
const failures: Record<Wish, string> = {
  active: 'Failed to resume campaign:',
  paused: 'Failed to pause campaign:',
  archived: 'Failed to archive campaign:',
}

/** Said where a list has nobody in it: the campaign is over before it began. */
const NO_LEADS = 'No leads in the selected list to queue DMs for.'

export interface CampaignActions {
  launch: (campaign: Campaign) => void
  resume: (campaign: Campaign) => void
  pause: (campaign: Campaign) => void
  /** Asks first. */
  archive: (campaign: Campaign) => void
  /** The campaign that is being changed. */
  busyId: string | null
}

/** What one can do to a campaign. Each change shows at once and is taken back where it fails. */
export function useCampaignActions(): CampaignActions {
  const queries = useQueryClient()
  const confirm = useConfirm()
  const launch = useLaunch()
  const update = useMutation({
    mutationFn: ({ campaign, status }: { campaign: Campaign; status: Wish }) =>
      client.campaigns.update({ id: campaign.id, status }),
    onMutate: ({ campaign, status }) => showAtOnce(queries, campaign.id, { status, pauseReason: null, waiting: false }),
    onSuccess(after, { campaign, status }) {
      showEverywhere(queries, campaign.id, after)
      if (status === 'paused') toast.success('Campaign paused.')
      else if (status === 'archived') toast.success(`Campaign "${campaign.name}" archived.`)
      else if (after.totalLeadsInList === 0) toast.info(NO_LEADS)
      else toast.success('Campaign resumed and set to active.')
    },
    onError(error, { status }, takeBack) {
      takeBack?.()
      toast.error(`${failures[status]} ${errorWords(error)}`)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.campaigns.key() }),
  })
  const archive = async (campaign: Campaign) => {
    const sure = await confirm({
      title: 'Archive campaign?',
      body: `Are you sure you want to archive the campaign "${campaign.name}"? This action cannot be easily undone.`,
      confirm: 'Archive',
      danger: true,
    })
    if (sure) update.mutate({ campaign, status: 'archived' })
  }
  return {
    launch: (campaign) => launch.mutate(campaign),
    resume: (campaign) => update.mutate({ campaign, status: 'active' }),
    pause: (campaign) => update.mutate({ campaign, status: 'paused' }),
    archive,
    busyId: launch.isPending ? launch.variables.id : update.isPending ? update.variables.campaign.id : null,
  }
}

/** Queues one message for each lead of the campaign's list; whether or not it worked, the campaigns are read again. */
export function useLaunch() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: Pick<Campaign, 'id' | 'name'>) => client.campaigns.queue({ id }),
    onSuccess({ dmsQueued, totalLeads }, { name }) {
      if (totalLeads === 0) toast.info(NO_LEADS)
      else
        toast.success(
          `Campaign "${name}" launched! ${dmsQueued.toLocaleString('en-US')} DMs queued for ${totalLeads.toLocaleString('en-US')} leads.`,
        )
    },
    onError: (error) => toast.error(`Failed to launch campaign or queue DMs: ${errorWords(error)}`),
    onSettled: () => queries.invalidateQueries({ queryKey: api.campaigns.key() }),
  })
}

/** Puts a new campaign on top of the first page, before the server is asked again. */
export function showNewCampaign(queries: QueryClient, campaign: Campaign): void {
  queries.setQueriesData(
    { queryKey: api.campaigns.list.key({ type: 'query' }) },
    (page: ListedCampaigns | undefined) =>
      page && page.page === 1
        ? {
            ...page,
            total: page.total + 1,
            campaigns: [campaign, ...page.campaigns.filter(({ id }) => id !== campaign.id)],
          }
        : page,
  )
}

interface ListedCampaigns {
  campaigns: Campaign[]
  total: number
  page: number
}

function showEverywhere(queries: QueryClient, id: string, change: Partial<Campaign>): void {
  queries.setQueriesData(
    { queryKey: api.campaigns.list.key({ type: 'query' }) },
    (page: ListedCampaigns | undefined) =>
      page && { ...page, campaigns: page.campaigns.map((one) => (one.id === id ? { ...one, ...change } : one)) },
  )
  queries.setQueryData(
    api.campaigns.find.queryKey({ input: { id } }),
    (before: Campaign | undefined) => before && { ...before, ...change },
  )
}

/** Shows a change before the server has agreed. @returns how to take it back */
async function showAtOnce(queries: QueryClient, id: string, change: Partial<Campaign>): Promise<() => void> {
  const watched = [api.campaigns.list.key({ type: 'query' }), api.campaigns.find.queryKey({ input: { id } })]
  // An answer that is on its way would show the old state again.
  await Promise.all(watched.map((queryKey) => queries.cancelQueries({ queryKey })))
  const before = watched.flatMap((queryKey) => queries.getQueriesData({ queryKey }))
  showEverywhere(queries, id, change)
  return () => {
    for (const [queryKey, data] of before) queries.setQueryData(queryKey, data)
  }
}
