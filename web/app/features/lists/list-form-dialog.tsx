import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { List } from '@x-automated/contract/lists'
import { useId } from 'react'
import { useForm } from 'react-hook-form'
import { api, errorWords, fieldProblems } from '../../api'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { Input, Textarea } from '../../ui/input'
import { toast } from '../../ui/toast'

interface ListFormDialogProps {
  /** The list to rename; null makes a new one. */
  list: List | null
  open: boolean
  onClose: () => void
}

interface Values {
  name: string
  description: string
}

/** Names a list: a new one, or one that is there. Mount it anew for each list. */
export function ListFormDialog({ list, open, onClose }: ListFormDialogProps) {
  const formId = useId()
  const queries = useQueryClient()
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
  const refused = saving.isError && Object.keys(fieldProblems(saving.error)).length === 0

  const save = (values: Values) => {
    const description = values.description.trim() || null
    if (list) update.mutate({ id: list.id, name: values.name.trim(), description })
    else create.mutate({ name: values.name.trim(), description })
  }

  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={list ? 'Edit list' : 'Create List'}
      description={list ? undefined : 'A list is a group of leads that a campaign writes to.'}
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
            {errorWords(saving.error, list ? 'Failed to save changes.' : 'Failed to create list. Please try again.')}
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
      </form>
    </Dialog>
  )
}
