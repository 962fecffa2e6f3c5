import { useMutation } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import { tags } from '@x-automated/contract/leads/tags'
import { Plus, Settings2 } from 'lucide-react'
import { type RefObject, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, errorText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { showProblems } from '../../../show-problems'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Checkbox } from '../../../ui/choice'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { Segments } from '../../../ui/segments'
import { SkeletonText } from '../../../ui/skeleton'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { discardTyped } from '../../../ui/use-typed-text'
import { useRefresh } from '../../../use-refresh'
import { type Picked, pickedCount } from './lead-selection'
import { TagBadge, useTagsToPick } from './tag-badge'
import { useTagLeads } from './use-bulk'

interface TagDialogProps extends ControlledDialogProps {
  picked: Picked
  onManage?: () => void
}

/** Adds or removes tags of leads. */
export function TagDialog({ picked, onManage, ...dialog }: TagDialogProps) {
  const tags = useTagsToPick()
  const [mode, setMode] = useState<'add' | 'remove'>('add')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [typed, setTyped] = useState('')
  const formRef = useRef<HTMLFormElement>(null)
  const discard = () => {
    discardTyped(formRef.current)
    dialog.onClose()
  }
  const change = useTagLeads(discard)
  const allTags = tags.data?.tags ?? []
  const ids = allTags.flatMap(({ id }) => (chosen.has(id) ? id : []))
  const word = typed.trim().toLowerCase()
  const matching = allTags.filter(({ id, name }) => chosen.has(id) || name.toLowerCase().includes(word))
  const apply = () => change.mutate({ picked, input: { add: [], remove: [], [mode]: ids } })
  /**
   * Handles Enter: selects the tag with the typed name or, without a name, applies the change.
   * @returns false if Enter should create a tag
   */
  const enter = () => {
    const named = allTags.find(({ name }) => name.toLowerCase() === word)
    if (named) setChosen(new Set([...chosen, named.id]))
    else if (word === '' && ids.length > 0) change.isPending || apply()
    else return mode === 'remove'
    return true
  }
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  return (
    <Dialog
      {...dialog}
      title="Tag leads"
      description={`${formatCount(pickedCount(picked), 'lead')} ${'everyone' in picked ? 'matching' : 'selected'}`}
      footer={
        <>
          {onManage && (
            <Button variant="ghost" icon={<Settings2 />} className="sm:me-auto" onClick={onManage}>
              Manage tags
            </Button>
          )}
          <Button onClick={discard}>Cancel</Button>
          <Button variant="primary" disabled={ids.length === 0} loading={change.isPending} onClick={apply}>
            {mode === 'add' ? 'Add tags' : 'Remove tags'}
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <Segments
          label="Add or remove tags"
          value={mode}
          onChange={setMode}
          options={[
            { value: 'add', label: 'Add' },
            { value: 'remove', label: 'Remove' },
          ]}
        />
        <NewTag
          formRef={formRef}
          label={mode === 'add' ? 'Find or create a tag' : 'Find a tag'}
          mayCreate={mode === 'add'}
          onType={setTyped}
          onEnter={enter}
          onCreated={(id) => setChosen(new Set([...chosen, id]))}
        />
        {tags.isPending ? (
          <SkeletonText lines={3} />
        ) : tags.isError && !tags.data ? (
          <Callout tone="bad">{errorText(tags.error)}</Callout>
        ) : allTags.length === 0 ? (
          <p className="text-muted">No tags yet. Create your first one.</p>
        ) : (
          <fieldset className="grid gap-2">
            <legend className="mb-2 font-strong">Tags</legend>
            {matching.map((tag) => (
              <Checkbox
                key={tag.id}
                checked={chosen.has(tag.id)}
                onChange={() => toggle(tag.id)}
                label={<TagBadge tag={tag} />}
              />
            ))}
            {matching.length === 0 && <p className="text-muted">No matching tags.</p>}
          </fieldset>
        )}
      </div>
    </Dialog>
  )
}

interface NewTagProps {
  formRef?: RefObject<HTMLFormElement | null>
  label?: string
  /** Defaults to true. If false, the field only searches tags. */
  mayCreate?: boolean
  onType?: (name: string) => void
  /** Called first on Enter. @returns true if nothing should be created */
  onEnter?: () => boolean
  onCreated?: (id: string) => void
}

/** Creates a tag without leaving the dialog. */
export function NewTag({
  formRef,
  label = 'New tag',
  mayCreate = true,
  onType = () => {},
  onEnter = () => false,
  onCreated = () => {},
}: NewTagProps) {
  const refresh = useRefresh()
  const form = useForm({ resolver: contractResolver(tags.create), defaultValues: { name: '' } })
  const { errors } = form.formState
  const create = useMutation(
    api.tags.create.mutationOptions({
      onSuccess: async (tag) => {
        await refresh(api.tags)
        clear()
        onCreated(tag.id)
      },
      onError: (error) => showProblems(form, error),
    }),
  )
  const clear = () => {
    form.reset()
    onType('')
  }
  return (
    <Form
      ref={formRef}
      name={mayCreate ? 'tag' : null}
      onSubmit={form.handleSubmit((input) => create.mutate(input))}
      className="flex flex-wrap items-start gap-2"
    >
      <Field label={label} hideLabel error={(errors.name ?? errors.root)?.message} className="flex-1">
        <Input
          autoComplete="off"
          placeholder={`${label}, e.g. VIP`}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !onEnter()) return
            event.preventDefault()
            clear()
          }}
          {...form.register('name', { onChange: ({ target }) => onType(target.value) })}
        />
      </Field>
      {mayCreate && (
        <Button type="submit" icon={<Plus />} loading={create.isPending}>
          Create tag
        </Button>
      )}
    </Form>
  )
}
