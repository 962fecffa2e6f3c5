import { lazy, Suspense } from 'react'
import { RoleNotice, VIEWER_TEXT } from '../../features/identity/people/role-notice'
import { useIsOffered } from '../../features/identity/people/use-role'
import { ExportButton } from '../../features/leads/leads/export-button'
import { ImportButton } from '../../features/leads/leads/import-button'
import { Leads } from '../../features/leads/leads/leads'
import SampleBar from '../../features/overview/sample-data/sample-bar'
import SampleOffer from '../../features/overview/sample-data/sample-offer'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { paths } from '../../paths'
import { ButtonLink } from '../../ui/button'
import { PageHeader } from '../../ui/page-header'

// Loaded when the first conversation is opened.
const thread = () => import('../../features/outreach/inbox/lead-thread')
const LeadThread = lazy(async () => ({ default: (await thread()).LeadThread }))
const LeadNotes = lazy(async () => ({ default: (await thread()).LeadNotes }))

const text = "Everyone you've found, and where things stand."

export const meta = () => pageMeta('Twitter Leads', text)

export default function LeadsPage() {
  const mayWrite = useIsOffered('member')
  return (
    <>
      <PageHeader
        title="Twitter Leads"
        description={text}
        actions={
          <>
            <ButtonLink variant="ghost" to={`${paths.settings}?tab=suppression-list`}>
              Suppression list
            </ButtonLink>
            {mayWrite && <ImportButton />}
            <ExportButton />
          </>
        }
      />
      <div className="pb-4 empty:hidden">
        <RoleNotice needs="member">{VIEWER_TEXT}</RoleNotice>
      </div>
      <Leads
        sampleBar={<SampleBar />}
        sampleOffer={<SampleOffer />}
        renderThread={(id, textarea) => (
          <Suspense fallback={<div className="flex-1" />}>
            <LeadThread conversationId={id} textarea={textarea} />
          </Suspense>
        )}
        renderNotes={(id) => (
          <Suspense>
            <LeadNotes conversationId={id} />
          </Suspense>
        )}
      />
    </>
  )
}
