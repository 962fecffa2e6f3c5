import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { LeadFilter } from '@x-automated/contract/leads'
import type { List } from '@x-automated/contract/lists'
import { useId, useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, fieldProblems, refusalText } from '../../api'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { RadioGroup } from '../../ui/choice'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { Input, Textarea } from '../../ui/input'
import { toast } from '../../ui/toast'
import { draftOf, type FilterDraft, filterOf, problemsOf } from './filter-draft'
import { FilterFields } from './filter-fields'

interface ListFormDialogProps {
  /** The list to change; null makes a new one. */
  list: List | null
  /** A new smart list is wanted, of whoever matches this. */
  filter?: LeadFilter
  open: boolean
  onClose: () => void
}

interface Values {
  name: string
  description: string
}

const SMART = 'Whoever matches a filter, kept current. A campaign takes those who match when it is launched.'

/** Names a list, and says who is in a smart one: a new list, or one that is there. Mount it anew for each. */
export function ListFormDialog({ list, filter: given, open, onClose }: ListFormDialogProps) {
  const formId = useId()
  const queries = useQueryClient()
  const [kind, setKind] = useState<'hand' | 'smart'>(list?.filter || given ? 'smart' : 'hand')
  const saved = list?.filter ?? given ?? {}
  const [draft, setDraft] = useState<FilterDraft>(() => draftOf(saved))
  const form = useForm<Values>({ defaultValues: { name: list?.name ?? '', description: list?.description ?? '' } })
  const { errors } = form.formState
  const answered = {
    async onSuccess({ name }: List) {
      onClose()
      toast.success(list ? `List "${name}" saved.` : `List "${name}" created.`)
      await queries.invalidateQueries({ queryKey: api.lists.key() })
    },
    onError(error: Error) {
      const problems = fieldProblems(error)
      for (const field of ['name', 'description'] as const)
        if (problems[field]) form.setError(field, { message: problems[field] }, { shouldFocus: true })
    },
  }
  const create = useMutation(api.lists.create.mutationOptions(answered))
  const update = useMutation(api.lists.update.mutationOptions(answered))
  const saving = list ? update : create
  const said = saving.isError ? fieldProblems(saving.error) : {}
  const refused = saving.isError && !said.name && !said.description

  const save = (values: Values) => {
    if (kind === 'smart' && Object.keys(problemsOf(draft)).length > 0) return
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
      description={list ? undefined : given ? SMART : 'A list is a group of leads that a campaign writes to.'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" loading={saving.isPending}>
            {list ? 'Save Changes' : 'Create List'}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="grid gap-4" onSubmit={form.handleSubmit(save)}>
        {refused && (
          <Callout tone="bad">
            {refusalText(saving.error, list ? 'Failed to save changes.' : 'Failed to create list. Please try again.')}
          </Callout>
        )}
        <Field label="List Name" error={errors.name?.message} required>
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
            placeholder="Who is in it, and why you write to them"
            maxLength={2000}
            {...form.register('description')}
          />
        </Field>
        {!list && !given && (
          <RadioGroup
            label="Who is in it"
            value={kind}
            onChange={(value) => setKind(value as typeof kind)}
            options={[
              { value: 'hand', label: 'Leads that I pick', hint: 'You add and remove them.' },
              { value: 'smart', label: 'Smart list', hint: SMART },
            ]}
          />
        )}
        {kind === 'smart' && <FilterFields draft={draft} rest={saved} onChange={setDraft} />}
      </form>
    </Dialog>
  )
}
