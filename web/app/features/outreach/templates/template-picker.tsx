import type { Template } from '@x-automated/contract/outreach/templates'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { QueryError } from '../../../query-error'
import { Dialog } from '../../../ui/dialog'
import { Input } from '../../../ui/input'
import { Pager } from '../../../ui/pager'
import { LoadingText, SkeletonText } from '../../../ui/skeleton'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { authorText, firstText, rateText, stepsText } from './template-text'
import { TEMPLATES_PAGE_SIZE, useTemplates } from './use-templates'

/** Chooses a template. */
export function TemplatePicker({
  open,
  onClose,
  description = 'Its messages replace those in the form.',
  onPick,
}: ControlledDialogProps & { description?: string; onPick: (template: Template) => void }) {
  const [q, setQ] = useState('')
  const [page, setPage] = useState(1)
  const query = useTemplates({ q, folder: '', isArchived: false }, page)
  const search = (typed: string) => {
    setQ(typed)
    setPage(1)
  }
  const pick = (template: Template) => {
    onClose()
    onPick(template)
  }
  return (
    <Dialog open={open} onClose={onClose} title="Start from a template" description={description}>
      <div className="grid gap-3">
        <Input
          type="search"
          aria-label="Search templates"
          placeholder="Search by name, folder or text"
          leading={<Search aria-hidden />}
          maxLength={200}
          value={q}
          onChange={(event) => search(event.currentTarget.value)}
        />
        {query.isError && !query.data ? (
          <QueryError query={query} fallback="Failed to load the templates. Please try again." />
        ) : !query.data ? (
          <>
            <LoadingText>Loading templates…</LoadingText>
            <SkeletonText lines={6} />
          </>
        ) : query.data.total === 0 ? (
          <p className="py-8 text-center text-muted">No matching templates. Try another word.</p>
        ) : (
          <ul aria-label="Templates" aria-busy={query.isPlaceholderData} className="grid divide-y divide-line">
            {query.data.templates.map((template) => (
              <li key={template.id}>
                <button
                  type="button"
                  className="-mx-2 grid w-[calc(100%+1rem)] gap-0.5 rounded-md px-2 py-2.5 text-start transition-colors hover:bg-hover"
                  onClick={() => pick(template)}
                >
                  <span className="font-strong wrap-anywhere">
                    <bdi>{template.name}</bdi>
                  </span>
                  <span className="line-clamp-2 text-muted wrap-anywhere">{firstText(template)}</span>
                  <span className="text-xs text-muted wrap-anywhere">
                    {[
                      template.folder,
                      stepsText(template),
                      template.isStarter ? 'Starter' : authorText(template),
                      template.replyRate !== null && `${rateText(template.replyRate)} replied`,
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
        <Pager page={page} pageSize={TEMPLATES_PAGE_SIZE} query={query} onChange={setPage} noun="templates" />
      </div>
    </Dialog>
  )
}
