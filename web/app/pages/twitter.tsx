import { Scraper } from '../features/scrapes/scraper'
import { pageMeta } from '../features/shell/page-meta'
import { ConnectX } from '../features/x-account/connect-x'
import { PageHeader } from '../ui/page-header'
import { Tabs, useTabParam } from '../ui/tabs'

const text = 'Connect your X account, scrape followers, and send automated DMs.'

export const meta = () => pageMeta('X Automation', text)

export default function XAutomation() {
  const [tab, openTab] = useTabParam(['connect', 'scraper'])
  return (
    <>
      <PageHeader title="X Automation" description={text} />
      <Tabs
        label="X Automation"
        value={tab}
        onChange={openTab}
        tabs={[
          { value: 'connect', label: 'Connect X', content: <ConnectX /> },
          { value: 'scraper', label: 'X Scraper', content: <Scraper /> },
        ]}
      />
    </>
  )
}
