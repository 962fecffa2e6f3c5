import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { type List, lists } from '@x-automated/contract/leads/lists'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, refusalText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { showProblems } from '../../../show-problems'
import { Callout } from '../../../ui/callout'
import { RadioGroup } from '../../../ui/choice'
import { Field } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Input, Textarea } from '../../../ui/input'
import { toast } from '../../../ui/toast'
import { draftOf, type FilterDraft, filterOf, rangeProblem } from './filter-draft'
import { FilterFields } from './filter-fields'

interface ListFormDialogProps {
  /** The list to edit; null creates one. */
  list: List | null
  /** Creates a smart list with this filter. */
  filter?: LeadFilter
  open: boolean
  onClose: () => void
}

const SMART = 'Updates automatically. Campaigns use the leads that match at launch.'

/** Creates or edits a list. Mount it with a new key for each list. */
export function ListFormDialog({ list, filter: given, open, onClose }: ListFormDialogProps) {
  const queries = useQueryClient()
  const [kind, setKind] = useState<'manual' | 'smart'>(list?.filter || given ? 'smart' : 'manual')
  const saved = list?.filter ?? given ?? {}
  const [draft, setDraft] = useState<FilterDraft>(() => draftOf(saved))
  const form = useForm({
    resolver: contractResolver(lists.create),
    defaultValues: { name: list?.name ?? '', description: list?.description ?? '' },
  })
  const { errors } = form.formState
  const handlers = {
    async onSuccess({ name }: List) {
      onClose()
      toast.success(list ? `List “${name}” saved.` : `List “${name}” created.`)
      await queries.invalidateQueries({ queryKey: api.lists.key() })
    },
    onError(error: Error) {
      const fallback = list ? 'Failed to save changes.' : 'Failed to create list. Please try again.'
      showProblems(form, error, refusalText(error, fallback))
    },
  }
  const create = useMutation(api.lists.create.mutationOptions(handlers))
  const update = useMutation(api.lists.update.mutationOptions(handlers))
  const saving = list ? update : create
  const save = form.handleSubmit(({ name, description }) => {
    if (kind === 'smart' && rangeProblem(draft)) return
    const filter = kind === 'smart' ? { filter: filterOf(draft, saved) } : {}
    const input = { name, description: description || null, ...filter }
    if (list) update.mutate({ id: list.id, ...input })
    else create.mutate(input)
  })

  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={list ? 'Edit list' : given ? 'Save as smart list' : 'Create List'}
      description={list ? undefined : given ? SMART : 'Create a list to group leads for a campaign.'}
      label={list ? 'Save changes' : 'Create List'}
      loading={saving.isPending}
      onSubmit={save}
    >
      {errors.root && <Callout tone="bad">{errors.root.message}</Callout>}
      <Field label="List name" error={errors.name?.message} required>
        <Input placeholder="Founders who ship weekly" autoComplete="off" maxLength={200} {...form.register('name')} />
      </Field>
      <Field label="Description (optional)" error={errors.description?.message}>
        <Textarea
          placeholder="Who they are, and why you're reaching out"
          maxLength={2000}
          {...form.register('description')}
        />
      </Field>
      {!list && !given && (
        <RadioGroup
          label="List type"
          value={kind}
          onChange={(value) => setKind(value as typeof kind)}
          options={[
            { value: 'manual', label: 'Manual list', hint: 'You add and remove leads.' },
            { value: 'smart', label: 'Smart list', hint: SMART },
          ]}
        />
      )}
      {kind === 'smart' && <FilterFields draft={draft} saved={saved} onChange={setDraft} />}
    </FormDialog>
  )
}
