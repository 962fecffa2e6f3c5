import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Lead } from '@x-automated/contract/leads'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api'
import { Avatar } from '../../ui/avatar'
import { IconButton } from '../../ui/button'
import { pictureOf } from '../leads/lead-picture'
import { exampleLead, type Piece, previewOf } from './message-template'

/** Leads of the list that the preview goes through. */
const SAMPLES = 10

/** What a lead of the list will read, as it is typed. @param listId '' while none is picked */
export function MessagePreview({ template, listId }: { template: string; listId: string }) {
  const [turn, setTurn] = useState(0)
  const leads = useQuery(
    api.lists.leads.queryOptions({
      input: { id: listId, page: 1, pageSize: SAMPLES },
      enabled: listId !== '',
      placeholderData: keepPreviousData,
    }),
  )
  const samples: readonly Pick<Lead, 'name' | 'twitterHandle' | 'metadata' | 'profileImageUrl'>[] =
    listId !== '' && leads.data ? leads.data.leads : []
  const index = samples.length === 0 ? 0 : ((turn % samples.length) + samples.length) % samples.length
  const lead = samples[index] ?? { ...exampleLead, profileImageUrl: null }
  return (
    <section aria-label="Preview" className="grid content-start gap-3 rounded-lg border border-line bg-sunken p-4">
      <header className="flex min-h-8 items-center justify-between gap-3">
        <h3 className="font-strong">Preview</h3>
        {samples.length > 1 && (
          <div className="-me-1 flex items-center">
            <IconButton size="sm" label="Previous lead" onClick={() => setTurn(index - 1)}>
              <ChevronLeft aria-hidden />
            </IconButton>
            <IconButton size="sm" label="Next lead" onClick={() => setTurn(index + 1)}>
              <ChevronRight aria-hidden />
            </IconButton>
          </div>
        )}
      </header>
      <div className="flex items-center gap-3">
        <Avatar name={lead.name || lead.twitterHandle} src={pictureOf(lead)} size="sm" />
        <p className="grid min-w-0 flex-1">
          <bdi className="truncate">{lead.name || `@${lead.twitterHandle}`}</bdi>
          <span className="truncate text-xs text-muted">
            @{lead.twitterHandle} {samples.length === 0 && '· an example'}
          </span>
        </p>
      </div>
      {template.trim() === '' ? (
        <p className="rounded-lg border border-line border-dashed px-4 py-3 text-muted">
          Your message appears here as this person will read it.
        </p>
      ) : (
        <p className="max-h-72 overflow-y-auto rounded-lg rounded-es-sm border border-line bg-surface px-4 py-3 whitespace-pre-wrap wrap-anywhere">
          <Pieces pieces={previewOf(template, lead)} />
        </p>
      )}
    </section>
  )
}

/** A message with what was filled in, and what nothing fills, set apart. */
export function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map(({ kind, text }, index) =>
    kind === 'words' ? (
      text
    ) : (
      <mark
        // biome-ignore lint/suspicious/noArrayIndexKey: a piece is known by its place alone
        key={index}
        title={kind === 'unknown' ? 'Nothing fills this placeholder' : undefined}
        className={
          kind === 'unknown'
            ? 'rounded-sm bg-bad/10 px-0.5 text-bad underline decoration-wavy underline-offset-4'
            : 'rounded-sm bg-accent-soft px-0.5 text-ink'
        }
      >
        {text}
      </mark>
    ),
  )
}
