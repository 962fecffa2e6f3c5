import { Upload } from 'lucide-react'
import { useState } from 'react'
import { ExportButton } from '../features/leads/export-button'
import { ImportDialog } from '../features/leads/import-dialog'
import { Leads } from '../features/leads/leads'
import { RoleNotice, VIEWER_WORDS } from '../features/settings/role-notice'
import { useIsOffered } from '../features/settings/use-role'
import { pageMeta } from '../features/shell/page-meta'
import { Button } from '../ui/button'
import { PageHeader } from '../ui/page-header'

const text = 'Everyone you have found, and how far you are with each.'

export const meta = () => pageMeta('Twitter Leads', text)

export default function LeadsPage() {
  const [importing, setImporting] = useState(false)
  const mayWrite = useIsOffered('member')
  return (
    <>
      <PageHeader
        title="Twitter Leads"
        description={text}
        actions={
          <>
            {mayWrite && (
              <Button icon={<Upload aria-hidden />} onClick={() => setImporting(true)}>
                Import CSV
              </Button>
            )}
            <ExportButton />
          </>
        }
      />
      <div className="pb-4 empty:hidden">
        <RoleNotice needs="member">{VIEWER_WORDS}</RoleNotice>
      </div>
      <Leads />
      <ImportDialog open={importing} onClose={() => setImporting(false)} />
    </>
  )
}
