import { Upload } from 'lucide-react'
import { useState } from 'react'
import { ExportButton } from '../features/leads/export-button'
import { ImportDialog } from '../features/leads/import-dialog'
import { Leads } from '../features/leads/leads'
import { pageMeta } from '../features/shell/page-meta'
import { Button } from '../ui/button'
import { PageHeader } from '../ui/page-header'

const text = 'Everyone you have found, and how far you are with each.'

export const meta = () => pageMeta('Twitter Leads', text)

export default function LeadsPage() {
  const [importing, setImporting] = useState(false)
  return (
    <>
      <PageHeader
        title="Twitter Leads"
        description={text}
        actions={
          <>
            <Button icon={<Upload aria-hidden />} onClick={() => setImporting(true)}>
              Import CSV
            </Button>
            <ExportButton />
          </>
        }
      />
      <Leads />
      <ImportDialog open={importing} onClose={() => setImporting(false)} />
    </>
  )
}
