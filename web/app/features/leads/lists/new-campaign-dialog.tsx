import { useMutation } from '@tanstack/react-query'
import { LIST_TAG_LENGTH_MAX, LIST_TAGS_MAX } from '@x-automated/contract/leads/lead-limits'
import { useForm } from 'react-hook-form'
import { api, fieldProblems, refusalText } from '../../../api'
import { Callout } from '../../../ui/callout'
import { Field } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Input, Textarea } from '../../../ui/input'
import { toast } from '../../../ui/toast'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useRefresh } from '../../../use-refresh'

/** Creates a card on the Lead Lists tab: a list with tags. */
export function NewCampaignDialog(dialog: ControlledDialogProps) {
  const refresh = useRefresh()
  const form = useForm({ defaultValues: { name: '', description: '', tags: '' } })
  const { errors } = form.formState
  const create = useMutation(
    api.lists.create.mutationOptions({
      async onSuccess({ name }) {
        dialog.onClose()
        toast.success(`Campaign “${name}” created.`)
        await refresh(api.lists)
      },
    }),
  )
  const save = form.handleSubmit(({ name, description, tags }) =>
    create.mutate({ name: name.trim(), description: description.trim() || null, tags: parseTags(tags) }),
  )
  const problems = create.isError ? Object.values(fieldProblems(create.error)) : []

  return (
    <FormDialog
      {...dialog}
      name="campaign-list"
      title="Create New Campaign"
      description="Group the leads you want to reach. You'll write the message in Campaigns."
      label="Create campaign"
      loading={create.isPending}
      onSubmit={save}
    >
      {create.isError && (
        <Callout tone="bad">
          {problems[0] ?? refusalText(create.error, 'Failed to create campaign. Please try again.')}
        </Callout>
      )}
      <Field label="Campaign Name" error={errors.name?.message} required>
        <Input
          placeholder="Spring outreach"
          autoComplete="off"
          {...form.register('name', { validate: (name) => name.trim() !== '' || 'Campaign name is required' })}
        />
      </Field>
      <Field label="Description (optional)">
        <Textarea placeholder="Who they are, and why you're reaching out" {...form.register('description')} />
      </Field>
      <Field label="Tags (optional)" hint="Separate them with commas" error={errors.tags?.message}>
        <Input
          placeholder="founders, saas, berlin"
          autoComplete="off"
          {...form.register('tags', { validate: (text) => tagsProblem(text) ?? true })}
        />
      </Field>
    </FormDialog>
  )
}

/** Splits text at commas into tags, trims them, and drops empty ones. */
export function parseTags(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}

/** What is wrong with the typed tags, or undefined. */
export function tagsProblem(text: string): string | undefined {
  const tags = parseTags(text)
  if (tags.length > LIST_TAGS_MAX) return `At most ${LIST_TAGS_MAX} tags`
  return tags.some((tag) => tag.length > LIST_TAG_LENGTH_MAX)
    ? `A tag has at most ${LIST_TAG_LENGTH_MAX} characters`
    : undefined
}
