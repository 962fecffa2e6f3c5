import { useMemo, useState } from 'react'
import { useNoSender } from '../real-send/no-sender'
import { useRunNoticeLoaded } from '../real-send/run-notice'
import { useReplyDetectionLoaded } from '../replies/reply-detection'
import { useCampaignActions } from './campaign-actions'
import { isDisconnected } from './campaign-progress'
import { useCampaign, useSecondsLeft, useXConnections, useXConnectionsLoaded } from './campaign-watch'
import { useRealSend } from './real-send'

/** The data of a campaign's page. `campaign` is undefined until the page can be displayed. */
export function useCampaignPage(campaignId: string) {
  const query = useCampaign(campaignId)
  const { data } = query
  const watched = useMemo(() => (data ? [data] : undefined), [data])
  const noticesKnown = [useReplyDetectionLoaded(), useXConnectionsLoaded(), useRunNoticeLoaded(watched)].every(Boolean)
  // Waits for the notices above, so that nothing shifts. Once displayed, the page stays.
  const [isShown, setShown] = useState(false)
  if (!isShown && data && noticesKnown) setShown(true)
  const actions = useCampaignActions(useRealSend(watched))
  const connected = useXConnections(watched)(data)
  const disconnected = data !== undefined && isDisconnected(data, connected)
  const hasNoSender = useNoSender(watched, query.dataUpdatedAt)
  const noSender = data !== undefined && hasNoSender(data)
  const secondsLeft = useSecondsLeft(data, disconnected || noSender)
  return { query, campaign: isShown ? data : undefined, actions, connected, disconnected, noSender, secondsLeft }
}
