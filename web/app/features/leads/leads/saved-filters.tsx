import { useMutation, useQuery } from '@tanstack/react-query'
import { type SavedFilter, savedFilters } from '@x-automated/contract/leads/saved-filters'
import { Bookmark, BookmarkPlus, Link2, ListFilter, Pencil, Settings2, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, client, errorText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { showProblems } from '../../../show-problems'
import { Button, IconButton } from '../../../ui/button'
import { Dialog, type DialogProps } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { FormDialog } from '../../../ui/form-dialog'
import { Input } from '../../../ui/input'
import { Menu, MenuItem, MenuNote, MenuSeparator } from '../../../ui/menu'
import { toast } from '../../../ui/toast'
import { type ControlledDialogProps, useDialogs } from '../../../ui/use-dialogs'
import { useAction } from '../../../use-action'
import { useRefresh } from '../../../use-refresh'
import { useIsOffered } from '../../identity/people/use-role'
import { ListFormDialog } from '../lists/list-form-dialog'
import { type LeadsView, toLeadsParams } from './leads-url'

export interface SavedFiltersProps {
  view: LeadsView
  isFiltered: boolean
  onPick: (saved: Pick<SavedFilter, 'filter' | 'sort'>) => void
}

/** The workspace's saved filters, and a link to the current view. */
export function SavedFilters({ view, isFiltered, onPick }: SavedFiltersProps) {
  // Fetched here, so that the filters are ready when the menu opens.
  const saved = useSavedFilters()
  const dialogs = useDialogs<'save' | 'list' | 'manage'>()
  const mayWrite = useIsOffered('member')
  const button = useRef<HTMLButtonElement>(null)
  const returnsTo = () => button.current
  const copyLink = async () => {
    const address = new URL(location.pathname, location.origin)
    address.search = toLeadsParams(view.filter, 1, view.sort).toString()
    try {
      await navigator.clipboard.writeText(address.href)
      toast.success('Link copied')
    } catch {
      toast.error("Couldn't copy the link.")
    }
  }
  return (
    <>
      <Menu
        trigger={
          <Button
            ref={button}
            size="sm"
            variant="ghost"
            icon={<Bookmark />}
            className="text-ui! font-normal! max-md:px-2!"
          >
            <span className="max-md:sr-only">Saved filters</span>
          </Button>
        }
      >
        <SavedItems onPick={onPick} />
        <MenuSeparator />
        {mayWrite && (
          <>
            <MenuItem icon={<BookmarkPlus />} disabled={!isFiltered} onSelect={() => dialogs.show('save')}>
              Save this filter
            </MenuItem>
            <MenuItem icon={<ListFilter />} disabled={!isFiltered} onSelect={() => dialogs.show('list')}>
              Save as smart list
            </MenuItem>
          </>
        )}
        <MenuItem icon={<Link2 />} onSelect={copyLink}>
          Copy link to this view
        </MenuItem>
        {mayWrite && saved.length > 0 && (
          <MenuItem icon={<Settings2 />} onSelect={() => dialogs.show('manage')}>
            Manage saved filters
          </MenuItem>
        )}
      </Menu>
      {dialogs.render((kind, props) => {
        if (kind === 'manage') return <ManageFilters returnsTo={returnsTo} {...props} />
        if (kind === 'save') return <SaveFilter view={view} returnsTo={returnsTo} {...props} />
        return <ListFormDialog filter={view.filter} returnsTo={returnsTo} {...props} />
      })}
    </>
  )
}

/** The saved filters, refetched whenever the menu or the dialog opens. */
function useSavedFilters(): readonly SavedFilter[] {
  return useQuery(api.savedFilters.list.queryOptions({ staleTime: 0 })).data?.filters ?? []
}

function SavedItems({ onPick }: Pick<SavedFiltersProps, 'onPick'>) {
  const saved = useSavedFilters()
  if (saved.length === 0) return <MenuNote>No saved filters yet.</MenuNote>
  return saved.map((filter) => (
    <MenuItem key={filter.id} icon={<Bookmark />} onSelect={() => onPick(filter)}>
      <bdi className="truncate">{filter.name}</bdi>
    </MenuItem>
  ))
}

type FilterDialogProps = ControlledDialogProps & Pick<DialogProps, 'returnsTo'>

function SaveFilter({ view, ...dialog }: FilterDialogProps & { view: LeadsView }) {
  const refresh = useRefresh()
  const form = useForm({
    resolver: contractResolver(savedFilters.create),
    defaultValues: { name: '', filter: view.filter, sort: view.sort },
  })
  const { errors } = form.formState
  const save = useMutation(
    api.savedFilters.create.mutationOptions({
      onSuccess: ({ name }) => {
        toast.success(`Filter “${name}” saved`)
        dialog.onClose()
      },
      onError: (error) => showProblems(form, error),
      onSettled: () => refresh(api.savedFilters),
    }),
  )
  return (
    <FormDialog
      {...dialog}
      name="save-filter"
      title="Save this filter"
      description="Everyone in the workspace can use it from “Saved filters”."
      label="Save filter"
      loading={save.isPending}
      onSubmit={form.handleSubmit((input) => save.mutate(input))}
    >
      <Field label="Name" error={(errors.name ?? errors.root)?.message}>
        <Input placeholder="Founders with 1,000 followers" {...form.register('name')} />
      </Field>
    </FormDialog>
  )
}

function ManageFilters(dialog: FilterDialogProps) {
  const saved = useSavedFilters()
  const [renaming, setRenaming] = useState<{ id: string; name: string } | null>(null)
  const change = {
    onError: (error: Error) => toast.error(`Failed to change the filter: ${errorText(error)}`),
    refetches: [api.savedFilters],
  }
  const rename = useAction((input: { id: string; name: string }) => client.savedFilters.update(input), {
    ...change,
    onSuccess: () => setRenaming(null),
  })
  const remove = useAction(({ id }: SavedFilter) => client.savedFilters.remove({ id }), {
    ...change,
    question: ({ name }) => ({
      title: `Delete the filter “${name}”?`,
      body: "This doesn't change any leads.",
      confirm: 'Delete filter',
      danger: true,
    }),
  })
  return (
    <Dialog {...dialog} title="Saved filters" footer={<Button onClick={dialog.onClose}>Done</Button>}>
      <ul className="grid divide-y divide-line">
        {saved.map((filter) => (
          <li key={filter.id} className="flex min-h-12 items-center gap-2 py-2">
            {renaming?.id === filter.id ? (
              <Form
                name="filter-name"
                record={filter.id}
                className="flex flex-1 items-start gap-2"
                onSubmit={() => {
                  if (renaming.name.trim() !== '') void rename.run(renaming)
                }}
              >
                <Field label={`New name for ${filter.name}`} hideLabel className="flex-1">
                  <Input
                    autoFocus
                    value={renaming.name}
                    onChange={(event) => setRenaming({ id: filter.id, name: event.currentTarget.value })}
                  />
                </Field>
                <Button type="reset" onClick={() => setRenaming(null)}>
                  Cancel
                </Button>
                <Button type="submit" variant="primary" disabled={renaming.name.trim() === ''}>
                  Rename
                </Button>
              </Form>
            ) : (
              <>
                <bdi className="min-w-0 flex-1 truncate">{filter.name}</bdi>
                <IconButton
                  icon={<Pencil />}
                  label={`Rename ${filter.name}`}
                  size="sm"
                  onClick={() => setRenaming({ id: filter.id, name: filter.name })}
                />
                <IconButton
                  icon={<Trash2 />}
                  label={`Delete ${filter.name}`}
                  size="sm"
                  onClick={() => remove.run(filter)}
                />
              </>
            )}
          </li>
        ))}
      </ul>
      {saved.length === 0 && <p className="text-muted">No saved filters yet.</p>}
    </Dialog>
  )
}
