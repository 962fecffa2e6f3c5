import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import type { List } from '@x-automated/contract/leads/lists'
import { useId, useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, fieldProblems, refusalText } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { RadioGroup } from '../../../ui/choice'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
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

interface Values {
  name: string
  description: string
}

const SMART = 'Updates automatically. Campaigns use the leads that match at launch.'

/** Creates or edits a list. Mount it with a new key for each list. */
export function ListFormDialog({ list, filter: given, open, onClose }: ListFormDialogProps) {
  const formId = useId()
  const queries = useQueryClient()
  const [kind, setKind] = useState<'manual' | 'smart'>(list?.filter || given ? 'smart' : 'manual')
  const saved = list?.filter ?? given ?? {}
  const [draft, setDraft] = useState<FilterDraft>(() => draftOf(saved))
  const form = useForm<Values>({ defaultValues: { name: list?.name ?? '', description: list?.description ?? '' } })
  const { errors } = form.formState
  const handlers = {
    async onSuccess({ name }: List) {
      onClose()
      toast.success(list ? `List “${name}” saved.` : `List “${name}” created.`)
      await queries.invalidateQueries({ queryKey: api.lists.key() })
    },
    onError(error: Error) {
      const problems = fieldProblems(error)
      for (const field of ['name', 'description'] as const)
        if (problems[field]) form.setError(field, { message: problems[field] }, { shouldFocus: true })
    },
  }
  const create = useMutation(api.lists.create.mutationOptions(handlers))
  const update = useMutation(api.lists.update.mutationOptions(handlers))
  const saving = list ? update : create
  const problems = saving.isError ? fieldProblems(saving.error) : {}
  const hasGeneralError = saving.isError && !problems.name && !problems.description

  const save = (values: Values) => {
    if (kind === 'smart' && rangeProblem(draft)) return
    const description = values.description.trim() || null
    const filter = kind === 'smart' ? { filter: filterOf(draft, saved) } : {}
    if (list) update.mutate({ id: list.id, name: values.name.trim(), description, ...filter })
    else create.mutate({ name: values.name.trim(), description, ...filter })
  }

  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={list ? 'Edit list' : given ? 'Save as smart list' : 'Create List'}
      description={list ? undefined : given ? SMART : 'Create a list to group leads for a campaign.'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" loading={saving.isPending}>
            {list ? 'Save changes' : 'Create List'}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="grid gap-4" onSubmit={form.handleSubmit(save)}>
        {hasGeneralError && (
          <Callout tone="bad">
            {refusalText(saving.error, list ? 'Failed to save changes.' : 'Failed to create list. Please try again.')}
          </Callout>
        )}
        <Field label="List name" error={errors.name?.message} required>
          <Input
            placeholder="Founders who ship weekly"
            autoComplete="off"
            maxLength={200}
            {...form.register('name', {
              validate: (name) => name.trim() !== '' || 'List name cannot be empty.',
            })}
          />
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
      </form>
    </Dialog>
  )
}
