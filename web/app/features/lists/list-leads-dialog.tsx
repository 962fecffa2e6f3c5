import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { List } from '@x-automated/contract/lists'
import { Users } from 'lucide-react'
import { useState } from 'react'
import { api, errorWords } from '../../api'
import { StatusBadge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Dialog } from '../../ui/dialog'
import { EmptyState } from '../../ui/empty-state'
import { Pager } from '../../ui/pager'
import { LoadingWords, SkeletonRows } from '../../ui/skeleton'
import { Table, Td, Th, Tr } from '../../ui/table'
import { LeadFollowers, LeadIdentity } from '../leads/lead-parts'

const PAGE_SIZE = 25

interface ListLeadsDialogProps {
  list: List
  open: boolean
  onClose: () => void
  /** Goes on to picking leads. */
  onManage: () => void
}

/** Who is in a list, to read. */
export function ListLeadsDialog({ list, open, onClose, onManage }: ListLeadsDialogProps) {
  const [page, setPage] = useState(1)
  const leads = useQuery(
    api.lists.leads.queryOptions({
      input: { id: list.id, page, pageSize: PAGE_SIZE },
      placeholderData: keepPreviousData,
    }),
  )
  return (
    <Dialog
      open={open}
      onClose={onClose}
      size="wide"
      title={`Leads in ${list.name}`}
      description={list.description}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {leads.isError ? (
        <Callout
          tone="bad"
          action={
            <Button size="sm" onClick={() => leads.refetch()}>
              Try Again
            </Button>
          }
        >
          Failed to fetch leads for list: {errorWords(leads.error)}
        </Callout>
      ) : leads.data?.total === 0 ? (
        <EmptyState
          icon={<Users aria-hidden />}
          title="No leads in this list yet"
          action={<Button onClick={onManage}>Manage Leads</Button>}
        >
          Pick them from the leads you have scraped or imported.
        </EmptyState>
      ) : (
        <>
          {leads.isPending && <LoadingWords>Loading leads...</LoadingWords>}
          <Table label={`Leads in ${list.name}`} maxHeight="min(26rem, 55dvh)" stale={leads.isPlaceholderData}>
            <thead>
              <tr>
                <Th>Lead</Th>
                <Th end>Followers</Th>
                <Th>Status</Th>
              </tr>
            </thead>
            <tbody>
              {leads.data ? (
                leads.data.leads.map((lead) => (
                  <Tr key={lead.id}>
                    <Td>
                      <LeadIdentity lead={lead} />
                    </Td>
                    <Td label="Followers" end>
                      <LeadFollowers followerCount={lead.followerCount} />
                    </Td>
                    <Td label="Status">
                      <StatusBadge status={lead.dmStatus} />
                    </Td>
                  </Tr>
                ))
              ) : (
                <SkeletonRows columns={3} rows={Math.min(list.leadCount || 3, 5)} />
              )}
            </tbody>
          </Table>
          <Pager page={page} pageSize={PAGE_SIZE} total={leads.data?.total ?? 0} onChange={setPage} noun="leads" />
        </>
      )}
    </Dialog>
  )
}
