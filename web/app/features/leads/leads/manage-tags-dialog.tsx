import { useMutation } from '@tanstack/react-query'
import type { InputOf } from '@x-automated/contract/contract'
import { formatCount } from '@x-automated/contract/format'
import type { Tag, TagColor } from '@x-automated/contract/leads/tags'
import { Ellipsis, Merge, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, client, errorText } from '../../../api'
import { usePending } from '../../../pending'
import { Button, IconButton } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { Menu, MenuItem } from '../../../ui/menu'
import { Select } from '../../../ui/select'
import { toast } from '../../../ui/toast'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useAction } from '../../../use-action'
import { useRefresh } from '../../../use-refresh'
import { TagBadge, tagColorLabels, useTagsToPick } from './tag-badge'
import { NewTag } from './tag-dialog'

/** Renames, recolors, merges and deletes tags. */
export function ManageTagsDialog({ open, onClose }: ControlledDialogProps) {
  const tags = useTagsToPick().data?.tags ?? []
  const [changing, setChanging] = useState<{ id: string; mode: 'name' | 'merge' } | null>(null)
  const refresh = useRefresh()
  const done = () => setChanging(null)
  const onError = (error: Error) => toast.error(`Failed to change the tag: ${errorText(error)}`)
  const change = { onError, refetches: [api.tags, api.leads] }
  const update = useAction((input: InputOf<'tags', 'update'>) => client.tags.update(input), {
    ...change,
    onSuccess: done,
  })
  const merge = useMutation(
    api.tags.merge.mutationOptions({ onError, onSuccess: done, onSettled: () => refresh(api.tags, api.leads) }),
  )
  // Merging tags of many leads takes a while, and continues after the dialog closes.
  const merging = usePending<{ id: string; into: string }>(api.tags.merge.mutationKey())
  const nameOf = (id: string) => tags.find((tag) => tag.id === id)?.name
  const remove = useAction(({ id }: Tag) => client.tags.remove({ id }), {
    ...change,
    question: ({ name, leadCount }) => ({
      title: `Delete the tag “${name}”?`,
      body: `This removes it from ${formatCount(leadCount, 'lead')} and keeps the leads. Smart lists and saved filters that use it won't match anyone.`,
      confirm: 'Delete tag',
      danger: true,
    }),
  })
  return (
    <Dialog open={open} onClose={onClose} title="Manage tags" footer={<Button onClick={onClose}>Done</Button>}>
      <div className="grid gap-4">
        <ul className="grid divide-y divide-line">
          {tags.map((tag) => (
            <li key={tag.id} className="flex min-h-12 flex-wrap items-center gap-2 py-2">
              {merging.some(({ id }) => id === tag.id) ? (
                <>
                  <TagBadge tag={tag} />
                  <span role="status" className="text-muted">
                    Merging into {merging.flatMap(({ id, into }) => (id === tag.id ? (nameOf(into) ?? []) : []))}… This
                    can take a minute or two.
                  </span>
                </>
              ) : changing?.id === tag.id && changing.mode === 'name' ? (
                <Rename tag={tag} onSave={(name) => void update.run({ id: tag.id, name })} onCancel={done} />
              ) : changing?.id === tag.id ? (
                <MergeInto
                  tag={tag}
                  others={tags.filter(({ id }) => id !== tag.id)}
                  onMerge={(into) => merge.mutate({ id: tag.id, into })}
                  onCancel={done}
                />
              ) : (
                <>
                  <TagBadge tag={tag} />
                  <span className="me-auto text-muted" data-numeric>
                    {formatCount(tag.leadCount, 'lead')}
                  </span>
                  <Select
                    aria-label={`Color of ${tag.name}`}
                    className="w-28"
                    value={tag.color}
                    options={Object.entries(tagColorLabels).map(([value, label]) => ({ value, label }))}
                    onChange={(event) => void update.run({ id: tag.id, color: event.currentTarget.value as TagColor })}
                  />
                  <Menu trigger={<IconButton icon={<Ellipsis />} label={`More for ${tag.name}`} size="sm" />}>
                    <MenuItem icon={<Pencil />} onSelect={() => setChanging({ id: tag.id, mode: 'name' })}>
                      Rename
                    </MenuItem>
                    <MenuItem
                      icon={<Merge />}
                      disabled={tags.length < 2}
                      onSelect={() => setChanging({ id: tag.id, mode: 'merge' })}
                    >
                      Merge into another tag
                    </MenuItem>
                    <MenuItem danger icon={<Trash2 />} onSelect={() => remove.run(tag)}>
                      Delete tag
                    </MenuItem>
                  </Menu>
                </>
              )}
            </li>
          ))}
        </ul>
        {tags.length === 0 && <p className="text-muted">No tags yet. Create your first one.</p>}
        <div className="border-t border-line pt-4">
          <NewTag />
        </div>
      </div>
    </Dialog>
  )
}

function Rename({ tag, onSave, onCancel }: { tag: Tag; onSave: (name: string) => void; onCancel: () => void }) {
  const [name, setName] = useState(tag.name)
  const submit = () => {
    if (name.trim() !== '') onSave(name)
  }
  return (
    <Form name="tag-name" record={tag.id} onSubmit={submit} className="flex flex-1 items-start gap-2">
      <Field label={`New name for ${tag.name}`} hideLabel className="flex-1">
        <Input autoFocus value={name} onChange={(event) => setName(event.currentTarget.value)} />
      </Field>
      <Button type="reset" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" variant="primary" disabled={name.trim() === ''}>
        Rename
      </Button>
    </Form>
  )
}

interface MergeIntoProps {
  tag: Tag
  others: readonly Tag[]
  onMerge: (into: string) => void
  onCancel: () => void
}

function MergeInto({ tag, others, onMerge, onCancel }: MergeIntoProps) {
  const [into, setInto] = useState('')
  return (
    <div className="flex flex-1 items-start gap-2">
      <Field label={`Merge ${tag.name} into`} hideLabel className="flex-1">
        <Select
          autoFocus
          value={into}
          placeholder={`Merge “${tag.name}” into…`}
          options={others.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(event) => setInto(event.currentTarget.value)}
        />
      </Field>
      <Button onClick={onCancel}>Cancel</Button>
      <Button variant="primary" disabled={into === ''} onClick={() => onMerge(into)}>
        Merge
      </Button>
    </div>
  )
}
