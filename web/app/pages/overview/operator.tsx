import { useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import { api } from '../../api'
import { ExportMembers } from '../../features/overview/operator/export-members'
import { Growth } from '../../features/overview/operator/growth'
import { HeldReferrals } from '../../features/overview/operator/held-referrals'
import { Members } from '../../features/overview/operator/members'
import { OperatorLog } from '../../features/overview/operator/operator-log'
import { UnreadableFromX } from '../../features/overview/operator/unreadable-from-x'
import { Views } from '../../features/overview/operator/views'
import { XCredits } from '../../features/overview/operator/x-credits'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { Webhooks } from '../../features/platform/webhooks/webhooks'
import { Badge } from '../../ui/badge'
import { PageHeader } from '../../ui/page-header'
import { Tabs, useTabParam } from '../../ui/tabs'

// For everyone else, this is a 404. operators-only.tsx sets the title for operators.
export const meta = () => pageMeta('Page not found', "This page doesn't exist.")

export default function OperatorPage() {
  const [tab, openTab] = useTabParam(['overview', 'held', 'members', 'views', 'webhooks', 'x-credits', 'x', 'log'])
  const growth = useQuery(api.operator.growth.queryOptions({ input: {} }))
  const held = growth.data?.held ?? 0
  return (
    <>
      <PageHeader
        title="Operator"
        description="Waitlist growth, members and pending decisions."
        actions={<ExportMembers />}
      />
      <Tabs
        label="Operator"
        value={tab}
        onChange={openTab}
        tabs={[
          { value: 'overview', label: 'Overview', content: <Growth /> },
          {
            value: 'held',
            label: (
              <>
                Held referrals
                {held > 0 && <Badge tone="warn">{formatNumber(held)}</Badge>}
              </>
            ),
            content: <HeldReferrals />,
          },
          { value: 'members', label: 'Members', content: <Members /> },
          { value: 'views', label: 'Views and joins', content: <Views /> },
          { value: 'webhooks', label: 'Webhooks', content: <Webhooks /> },
          { value: 'x-credits', label: 'X credits', content: <XCredits /> },
          { value: 'x', label: 'Unreadable from X', content: <UnreadableFromX /> },
          { value: 'log', label: 'Log', content: <OperatorLog /> },
        ]}
      />
    </>
  )
}
