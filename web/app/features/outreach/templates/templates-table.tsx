import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { Template } from '@x-automated/contract/outreach/templates'
import { Archive, ArchiveRestore, Copy, Ellipsis, Lock, Pencil, Trash2, Users } from 'lucide-react'
import type { Column } from '../../../paged-table'
import { Button, IconButton } from '../../../ui/button'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu'
import { authorText, firstText, rateText, stepsText } from './template-text'
import type { TemplateActions } from './use-template-actions'

interface TemplateColumns {
  actions: TemplateActions
  onView: (template: Template) => void
  onEdit: (template: Template) => void
}

/** On phones, the results are a line below the name. */
const UNLESS_NARROW = 'md:px-3 max-md:hidden!'

/** The columns of the table of templates. */
export const templateColumns = ({ actions, onView, onEdit }: TemplateColumns): Column<Template>[] => [
  {
    name: 'Name',
    bare: true,
    className: 'md:w-2/5 md:min-w-48',
    cell: (template) => <TemplateName template={template} onView={onView} />,
  },
  {
    name: 'Author',
    className: 'md:px-3 max-xl:hidden!',
    cell: (template) => <bdi className="wrap-anywhere">{authorText(template)}</bdi>,
  },
  {
    name: 'Campaigns',
    end: true,
    className: UNLESS_NARROW,
    cell: ({ campaignCount }) => formatNumber(campaignCount),
  },
  { name: 'Replied', end: true, className: UNLESS_NARROW, cell: ({ replyRate }) => rateText(replyRate) },
  { name: 'Positive', end: true, className: UNLESS_NARROW, cell: ({ positiveRate }) => rateText(positiveRate) },
  {
    name: 'Actions',
    bare: true,
    className: 'md:w-px',
    cell: (template) =>
      actions.mayUse && (
        <span className="flex items-center justify-end gap-1.5 max-md:pt-1 md:whitespace-nowrap">
          {template.isArchived ? (
            actions.mayChange(template) && (
              <Button size="sm" aria-describedby={nameId(template)} onClick={() => actions.restore.run(template)}>
                Restore
              </Button>
            )
          ) : (
            <Button size="sm" aria-describedby={nameId(template)} onClick={() => actions.start(template)}>
              Use
            </Button>
          )}
          <TemplateMenu template={template} actions={actions} onEdit={onEdit} />
        </span>
      ),
  },
]

const nameId = ({ id }: Template) => `template-${id}`

function TemplateName({ template, onView }: { template: Template; onView: (template: Template) => void }) {
  const { name, folder, isShared, isStarter, campaignCount, replyRate, positiveRate } = template
  return (
    <span className="grid w-full justify-items-start gap-0.5">
      <span className="flex flex-wrap items-baseline gap-x-3">
        <button
          id={nameId(template)}
          type="button"
          className="rounded-sm text-start font-strong wrap-anywhere underline-offset-4 hover:underline"
          onClick={() => onView(template)}
        >
          <bdi>{name}</bdi>
        </button>
        <span className="flex flex-wrap gap-x-2 text-xs text-muted">
          <span>{stepsText(template)}</span>
          {folder && <bdi className="wrap-anywhere">{folder}</bdi>}
          {isStarter ? <span>Starter</span> : isShared && <span>Shared</span>}
        </span>
      </span>
      <span className="line-clamp-2 text-muted wrap-anywhere">{firstText(template)}</span>
      {campaignCount > 0 && (
        <span className="text-xs text-muted md:hidden" data-numeric>
          {formatCount(campaignCount, 'campaign')} · {rateText(replyRate)} replied · {rateText(positiveRate)} positive
        </span>
      )}
    </span>
  )
}

interface TemplateMenuProps {
  template: Template
  actions: TemplateActions
  onEdit: (template: Template) => void
}

function TemplateMenu({ template, actions, onEdit }: TemplateMenuProps) {
  const mayChange = actions.mayChange(template)
  return (
    <Menu trigger={<IconButton size="sm" icon={<Ellipsis />} label={`More for ${template.name}`} variant="ghost" />}>
      {mayChange && (
        <MenuItem icon={<Pencil />} onSelect={() => onEdit(template)}>
          Edit
        </MenuItem>
      )}
      <MenuItem icon={<Copy />} onSelect={() => actions.duplicate.run(template)}>
        Duplicate
      </MenuItem>
      {mayChange && (
        <>
          <MenuItem icon={template.isShared ? <Lock /> : <Users />} onSelect={() => actions.share.run(template)}>
            {template.isShared ? 'Make private' : 'Share with the workspace'}
          </MenuItem>
          {template.isArchived ? (
            <MenuItem icon={<ArchiveRestore />} onSelect={() => actions.restore.run(template)}>
              Restore
            </MenuItem>
          ) : (
            <MenuItem icon={<Archive />} onSelect={() => actions.archive.run(template)}>
              Archive
            </MenuItem>
          )}
          <MenuSeparator />
          <MenuItem danger icon={<Trash2 />} onSelect={() => actions.remove.run(template)}>
            Delete
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
