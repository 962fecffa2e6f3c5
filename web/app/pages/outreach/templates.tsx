import type { Template } from '@x-automated/contract/outreach/templates'
import { BookText, Plus, Search } from 'lucide-react'
import { useState } from 'react'
import { refusalText } from '../../api'
import { RoleNotice } from '../../features/identity/people/role-notice'
import { EditTemplateDialog } from '../../features/outreach/templates/edit-template-dialog'
import { TemplateSheet } from '../../features/outreach/templates/template-sheet'
import { templateColumns } from '../../features/outreach/templates/templates-table'
import { useTemplateActions } from '../../features/outreach/templates/use-template-actions'
import { TEMPLATES_PAGE_SIZE, type TemplateFilter, useTemplates } from '../../features/outreach/templates/use-templates'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { PagedTable } from '../../paged-table'
import { paths } from '../../paths'
import { BackLink } from '../../ui/back-link'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Input } from '../../ui/input'
import { PageHeader } from '../../ui/page-header'
import { Segments } from '../../ui/segments'
import { Select } from '../../ui/select'
import { useDialogs } from '../../ui/use-dialogs'
import { useFocusFallback } from '../../ui/use-focus-fallback'

const DESCRIPTION = 'Messages to start campaigns from.'

export const meta = () => pageMeta('Templates', DESCRIPTION)

const NO_FILTER: TemplateFilter = { q: '', folder: '', isArchived: false }

/** The Templates page, which is reached from Campaigns. */
export default function Templates() {
  const [filter, setFilter] = useState(NO_FILTER)
  const [page, setPage] = useState(1)
  const templates = useTemplates(filter, page)
  const actions = useTemplateActions()
  const focusFallback = useFocusFallback<HTMLDivElement>()
  const dialogs = useDialogs<{ kind: 'view'; template: Template } | { kind: 'edit'; template: Template | null }>()
  const change = (part: Partial<TemplateFilter>) => {
    setFilter((now) => ({ ...now, ...part }))
    setPage(1)
  }
  const folders = templates.data?.folders ?? []
  return (
    <>
      <PageHeader
        title="Templates"
        description={DESCRIPTION}
        actions={
          actions.mayUse && (
            <Button
              variant="primary"
              icon={<Plus aria-hidden />}
              onClick={() => dialogs.show({ kind: 'edit', template: null })}
            >
              New template
            </Button>
          )
        }
      />
      <div {...focusFallback} className="grid gap-4">
        <BackLink to={paths.campaigns}>Campaigns</BackLink>
        <RoleNotice needs="member">You see templates shared with the workspace.</RoleNotice>
        <search aria-label="Filter templates" className="flex flex-wrap items-center gap-3">
          <div className="min-w-48 flex-1 max-sm:basis-full">
            <Input
              type="search"
              aria-label="Search templates"
              placeholder="Search by name, folder or text"
              leading={<Search aria-hidden />}
              maxLength={200}
              value={filter.q}
              onChange={(event) => change({ q: event.currentTarget.value })}
            />
          </div>
          <Select
            aria-label="Folder"
            className="w-44 max-sm:w-auto max-sm:flex-1"
            options={[
              { value: '', label: 'All folders' },
              ...folders.map((folder) => ({ value: folder, label: folder })),
            ]}
            value={filter.folder}
            onChange={(event) => change({ folder: event.currentTarget.value })}
          />
          <Segments
            label="Templates to show"
            options={[
              { value: 'active', label: 'Active' },
              { value: 'archived', label: 'Archived' },
            ]}
            value={filter.isArchived ? 'archived' : 'active'}
            onChange={(value) => change({ isArchived: value === 'archived' })}
          />
        </search>
        <PagedTable
          label="Templates"
          query={templates}
          rows={templates.data?.templates}
          columns={templateColumns({
            actions,
            onView: (template) => dialogs.show({ kind: 'view', template }),
            onEdit: (template) => dialogs.show({ kind: 'edit', template }),
          })}
          loading="Loading templates…"
          failure={(error) => refusalText(error, 'Failed to load the templates. Please try again.')}
          skeletonRows={6}
          page={page}
          pageSize={TEMPLATES_PAGE_SIZE}
          onChange={setPage}
          noun="templates"
          empty={
            <EmptyState
              icon={<BookText aria-hidden />}
              title={
                filter.isArchived && !filter.q && !filter.folder ? 'No archived templates' : 'No matching templates'
              }
              action={filter !== NO_FILTER && <Button onClick={() => change(NO_FILTER)}>Show all templates</Button>}
            />
          }
        />
      </div>
      {dialogs.render((dialog, props) =>
        dialog.kind === 'edit' ? (
          <EditTemplateDialog template={dialog.template} {...props} />
        ) : (
          <TemplateSheet
            template={dialog.template}
            onUse={actions.mayUse && !dialog.template.isArchived ? () => actions.start(dialog.template) : undefined}
            {...props}
          />
        ),
      )}
    </>
  )
}
