import { useInfiniteQuery } from '@tanstack/react-query'
import { formatMoney } from '@x-automated/contract/format'
import type { Invoice } from '@x-automated/contract/platform/billing'
import { Download, ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { api, errorText } from '../../../api'
import { QueryError } from '../../../query-error'
import { Badge, type Tone } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { LoadingText } from '../../../ui/skeleton'
import { Table, Td, Tr } from '../../../ui/table'

const looks: Record<Invoice['status'], { label: string; tone: Tone }> = {
  draft: { label: 'Draft', tone: 'neutral' },
  open: { label: 'Open', tone: 'warn' },
  paid: { label: 'Paid', tone: 'good' },
  uncollectible: { label: 'Not paid', tone: 'bad' },
  void: { label: 'Void', tone: 'neutral' },
}

/** Invoices, newest first, with links to the provider's pages and PDFs. For owners only. */
export function Invoices() {
  const query = useInfiniteQuery(
    api.billing.invoices.infiniteOptions({
      input: (cursor: string | null) => (cursor ? { cursor } : {}),
      initialPageParam: null,
      getNextPageParam: (page) => page.cursor,
    }),
  )
  const invoices = query.data?.pages.flatMap((page) => page.invoices)
  return (
    <section aria-labelledby="invoices" className="grid gap-4">
      <h2 id="invoices" className="text-lg">
        Invoices
      </h2>
      {query.isError && <QueryError query={query}>Failed to load invoices. {errorText(query.error)}</QueryError>}
      {query.isPending && <LoadingText>Loading invoices…</LoadingText>}
      {invoices?.length === 0 ? (
        <p className="text-muted">No invoices yet.</p>
      ) : (
        (invoices || query.isPending) && (
          <Table
            label="Invoices"
            columns={['Date', 'Number', 'Status', { name: 'Amount', end: true }, { name: 'Files', hidden: true }]}
            skeletonRows={2}
          >
            {invoices?.map((invoice) => (
              <InvoiceRow key={invoice.id} invoice={invoice} />
            ))}
          </Table>
        )
      )}
      {query.hasNextPage && (
        <Button
          className="justify-self-center"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show older invoices
        </Button>
      )}
    </section>
  )
}

function InvoiceRow({ invoice }: { invoice: Invoice }) {
  const { label, tone } = looks[invoice.status]
  const name = invoice.number ?? 'Draft'
  return (
    <Tr>
      <Td label="Date">
        <DateTime value={invoice.createdAt} precision="day" />
      </Td>
      <Td label="Number" data-numeric>
        {name}
      </Td>
      <Td label="Status">
        <Badge tone={tone}>{label}</Badge>
      </Td>
      <Td label="Amount" end data-numeric>
        {formatMoney(invoice.totalCents, invoice.currency)}
      </Td>
      <Td>
        <span className="flex flex-wrap justify-end gap-x-4 gap-y-1">
          <FileLink url={invoice.url} icon={<ExternalLink aria-hidden className="size-4" />}>
            {invoice.status === 'open' ? 'Pay' : 'View'}
            <span className="sr-only"> invoice {name}, in a new tab</span>
          </FileLink>
          <FileLink url={invoice.pdfUrl} icon={<Download aria-hidden className="size-4" />}>
            PDF<span className="sr-only"> of invoice {name}</span>
          </FileLink>
        </span>
      </Td>
    </Tr>
  )
}

function FileLink({ url, icon, children }: { url: string | null; icon: ReactNode; children: ReactNode }) {
  if (!url) return null
  const className = 'text-link inline-flex items-center gap-1.5 pointer-coarse:min-h-11'
  return (
    <a href={url} target="_blank" rel="noopener" className={className}>
      {icon}
      {children}
    </a>
  )
}
