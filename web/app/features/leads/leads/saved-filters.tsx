import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SavedFilter, savedFilters } from '@x-automated/contract/leads/saved-filters'
import { Bookmark, BookmarkPlus, Link2, ListFilter, Pencil, Settings2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, errorText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { showProblems } from '../../../show-problems'
import { Button, IconButton } from '../../../ui/button'
import { useConfirm } from '../../../ui/confirm'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Input } from '../../../ui/input'
import { Menu, MenuItem, MenuNote, MenuSeparator } from '../../../ui/menu'
import { toast } from '../../../ui/toast'
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
  // Prefetched for the menu.
  useSavedFilters()
  const [open, setOpen] = useState<'save' | 'list' | 'manage' | null>(null)
  const mayWrite = useIsOffered('member')
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
        align="start"
        trigger={
          <Button size="sm" icon={<Bookmark aria-hidden />}>
            Saved filters
          </Button>
        }
      >
        <SavedItems onPick={onPick} />
        <MenuSeparator />
        {mayWrite && (
          <>
            <MenuItem icon={<BookmarkPlus aria-hidden />} disabled={!isFiltered} onSelect={() => setOpen('save')}>
              Save this filter
            </MenuItem>
            <MenuItem icon={<ListFilter aria-hidden />} disabled={!isFiltered} onSelect={() => setOpen('list')}>
              Save as smart list
            </MenuItem>
          </>
        )}
        <MenuItem icon={<Link2 aria-hidden />} onSelect={copyLink}>
          Copy link to this view
        </MenuItem>
        {mayWrite && <ManageItem onSelect={() => setOpen('manage')} />}
      </Menu>
      {open === 'list' && <ListFormDialog list={null} filter={view.filter} open onClose={() => setOpen(null)} />}
      <SaveFilter open={open === 'save'} onClose={() => setOpen(null)} view={view} />
      <ManageFilters open={open === 'manage'} onClose={() => setOpen(null)} />
    </>
  )
}

/** The saved filters, refetched each time the menu or the dialog opens. */
function useSavedFilters(isOpen = true): readonly SavedFilter[] {
  return useQuery(api.savedFilters.list.queryOptions({ enabled: isOpen, staleTime: 0 })).data?.filters ?? []
}

function SavedItems({ onPick }: Pick<SavedFiltersProps, 'onPick'>) {
  const saved = useSavedFilters()
  if (saved.length === 0) return <MenuNote>No saved filters yet.</MenuNote>
  return saved.map((one) => (
    <MenuItem key={one.id} icon={<Bookmark aria-hidden />} onSelect={() => onPick(one)}>
      <bdi className="truncate">{one.name}</bdi>
    </MenuItem>
  ))
}

function ManageItem({ onSelect }: { onSelect: () => void }) {
  if (useSavedFilters().length === 0) return null
  return (
    <MenuItem icon={<Settings2 aria-hidden />} onSelect={onSelect}>
      Manage saved filters
    </MenuItem>
  )
}

function useFilterChange() {
  const queries = useQueryClient()
  return { onSettled: () => queries.invalidateQueries({ queryKey: api.savedFilters.key() }) }
}

function SaveFilter({ open, onClose, view }: { open: boolean; onClose: () => void; view: LeadsView }) {
  const form = useForm({
    resolver: contractResolver(savedFilters.create),
    values: { name: '', filter: view.filter, sort: view.sort },
  })
  const { errors } = form.formState
  const close = () => {
    form.reset()
    onClose()
  }
  const save = useMutation(
    api.savedFilters.create.mutationOptions({
      ...useFilterChange(),
      onSuccess: ({ name }) => {
        toast.success(`Filter “${name}” saved`)
        close()
      },
      onError: (error) => showProblems(form, error),
    }),
  )
  return (
    <FormDialog
      open={open}
      onClose={close}
      title="Save this filter"
      description="Everyone in the workspace can use it from “Saved filters”."
      label="Save filter"
      loading={save.isPending}
      onSubmit={form.handleSubmit((input) => save.mutate(input))}
    >
      <Field label="Name" error={(errors.name ?? errors.root)?.message}>
        <Input maxLength={100} placeholder="Founders with 1,000 followers" {...form.register('name')} />
      </Field>
    </FormDialog>
  )
}

function ManageFilters({ open, onClose }: { open: boolean; onClose: () => void }) {
  const saved = useSavedFilters(open)
  const [renaming, setRenaming] = useState<{ id: string; name: string } | null>(null)
  const confirm = useConfirm()
  const change = useFilterChange()
  const onError = (error: unknown) => toast.error(`Failed to change the filter: ${errorText(error)}`)
  const rename = useMutation(
    api.savedFilters.update.mutationOptions({ ...change, onError, onSuccess: () => setRenaming(null) }),
  )
  const remove = useMutation(api.savedFilters.remove.mutationOptions({ ...change, onError }))
  const askToRemove = async ({ id, name }: SavedFilter) => {
    const sure = await confirm({
      title: `Delete the filter “${name}”?`,
      body: "This doesn't change any leads.",
      confirm: 'Delete filter',
      danger: true,
    })
    if (sure) remove.mutate({ id })
  }
  return (
    <Dialog open={open} onClose={onClose} title="Saved filters" footer={<Button onClick={onClose}>Done</Button>}>
      <ul className="grid divide-y divide-line">
        {saved.map((one) => (
          <li key={one.id} className="flex min-h-12 items-center gap-2 py-2">
            {renaming?.id === one.id ? (
              <form
                className="flex flex-1 items-start gap-2"
                onSubmit={(event) => {
                  event.preventDefault()
                  if (renaming.name.trim() !== '') rename.mutate(renaming)
                }}
              >
                <Field label={`New name for ${one.name}`} hideLabel className="flex-1">
                  <Input
                    value={renaming.name}
                    maxLength={100}
                    onChange={(event) => setRenaming({ id: one.id, name: event.currentTarget.value })}
                  />
                </Field>
                <Button onClick={() => setRenaming(null)}>Cancel</Button>
                <Button type="submit" variant="primary" disabled={renaming.name.trim() === ''}>
                  Rename
                </Button>
              </form>
            ) : (
              <>
                <bdi className="min-w-0 flex-1 truncate">{one.name}</bdi>
                <IconButton
                  label={`Rename ${one.name}`}
                  size="sm"
                  onClick={() => setRenaming({ id: one.id, name: one.name })}
                >
                  <Pencil aria-hidden />
                </IconButton>
                <IconButton label={`Delete ${one.name}`} size="sm" onClick={() => askToRemove(one)}>
                  <Trash2 aria-hidden />
                </IconButton>
              </>
            )}
          </li>
        ))}
      </ul>
      {saved.length === 0 && <p className="text-muted">No saved filters yet.</p>}
    </Dialog>
  )
}
