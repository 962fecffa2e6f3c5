import { LeadLists } from '../../features/leads/lists/lead-lists'
import { Scraper } from '../../features/leads/scrapes/scraper'
import { ResultsMessage } from '../../features/outreach/campaigns/results-message'
import { Messenger } from '../../features/outreach/messenger/messenger'
import { ReplyDetectionNotice } from '../../features/outreach/replies/reply-detection'
import { Analytics } from '../../features/overview/analytics/analytics'
import { pageMeta } from '../../features/overview/shell/page-meta'
import type { SignedInHandle } from '../../features/overview/shell/signed-in'
import { ConnectX } from '../../features/platform/x-account/connect-x'
import { PageHeader } from '../../ui/page-header'
import { Tabs, useTabParam } from '../../ui/tabs'

const text = 'Connect your X account, scrape followers, and send automated DMs.'

export const meta = () => pageMeta('X Automation', text)

/** The loading screen says that loading is slow one second later than on other pages. */
export const handle: SignedInHandle = { slowAfterMs: 3000 }

export default function XAutomation() {
  const [tab, openTab] = useTabParam(['connect', 'scraper', 'messenger', 'analytics', 'lists'])
  return (
    <Tabs
      header={<PageHeader title="X Automation" description={text} />}
      label="X Automation"
      value={tab}
      onChange={openTab}
      tabs={[
        { value: 'connect', label: 'Connect X', content: <ConnectX notice={<ReplyDetectionNotice />} /> },
        {
          value: 'scraper',
          label: 'X Scraper',
          content: <Scraper renderMessage={(input) => <ResultsMessage {...input} />} />,
        },
        { value: 'messenger', label: 'X Messenger', content: <Messenger /> },
        { value: 'analytics', label: 'X Analytics', content: <Analytics /> },
        { value: 'lists', label: 'Lead Lists', content: <LeadLists /> },
      ]}
    />
  )
}
