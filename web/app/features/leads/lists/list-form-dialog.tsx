import { useMutation } from '@tanstack/react-query'
import { formatList } from '@x-automated/contract/format'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { type List, lists } from '@x-automated/contract/leads/lists'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, refusalText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { showProblems } from '../../../show-problems'
import { Callout } from '../../../ui/callout'
import { RadioGroup } from '../../../ui/choice'
import type { DialogProps } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Input, Textarea } from '../../../ui/input'
import { toast } from '../../../ui/toast'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useRefresh } from '../../../use-refresh'
import { draftOf, FilterFields, filterOf, rangeProblem } from '../leads/filter-fields'

interface ListFormDialogProps extends ControlledDialogProps, Pick<DialogProps, 'returnsTo'> {
  /** The list to edit. Without one, a list is created. */
  list?: List
  /** Set to create a smart list with this filter. */
  filter?: LeadFilter
}

const SMART = 'Updates automatically. Campaigns use the leads that match at launch.'

/** Creates or edits a list. */
export function ListFormDialog({ list, filter: initialFilter, ...dialog }: ListFormDialogProps) {
  const refresh = useRefresh()
  const [kind, setKind] = useState<'manual' | 'smart'>(list?.filter || initialFilter ? 'smart' : 'manual')
  const saved = list?.filter ?? initialFilter ?? {}
  const otherFilters = [...(saved.listId ? ['list'] : []), ...(saved.scrapeId ? ['scrape'] : [])]
  const [draft, setDraft] = useState(() => draftOf(saved))
  const form = useForm({
    resolver: contractResolver(lists.create),
    defaultValues: { name: list?.name ?? '', description: list?.description ?? '' },
  })
  const { errors } = form.formState
  const handlers = {
    async onSuccess({ name }: List) {
      dialog.onClose()
      toast.success(list ? `List “${name}” saved.` : `List “${name}” created.`)
      await refresh(api.lists)
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
    const filter = kind === 'smart' ? filterOf(draft, saved) : undefined
    const input = { name, description: description || null, filter }
    if (list) update.mutate({ id: list.id, ...input })
    else create.mutate(input)
  })

  return (
    <FormDialog
      {...dialog}
      name="list"
      record={list?.id}
      title={list ? 'Edit list' : initialFilter ? 'Save as smart list' : 'Create List'}
      description={list ? undefined : initialFilter ? SMART : 'Create a list to group leads for a campaign.'}
      label={list ? 'Save changes' : 'Create List'}
      loading={saving.isPending}
      onSubmit={save}
    >
      {errors.root && <Callout tone="bad">{errors.root.message}</Callout>}
      <Field label="List name" error={errors.name?.message} required>
        <Input placeholder="Founders who ship weekly" autoComplete="off" {...form.register('name')} />
      </Field>
      <Field label="Description (optional)" error={errors.description?.message}>
        <Textarea placeholder="Who they are, and why you're reaching out" {...form.register('description')} />
      </Field>
      {!list && !initialFilter && (
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
      {kind === 'smart' && (
        <fieldset className="grid gap-3 rounded-lg border border-line p-4 sm:grid-cols-2">
          <legend className="px-1 font-strong">Include leads matching</legend>
          <FilterFields
            record={list?.id ?? 'new'}
            draft={draft}
            onChange={setDraft}
            classNames={{ keyword: 'sm:col-span-2', status: 'sm:col-span-2' }}
          />
          {otherFilters.length > 0 && (
            <p className="text-muted sm:col-span-2">
              Also filtered by {formatList(otherFilters)}, as set on the Leads page.
            </p>
          )}
        </fieldset>
      )}
    </FormDialog>
  )
}
