import { useMutation } from '@tanstack/react-query'
import { type Snippet, snippets } from '@x-automated/contract/outreach/snippets'
import { useForm } from 'react-hook-form'
import { api, refusalText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { showProblems } from '../../../show-problems'
import { Callout } from '../../../ui/callout'
import { Field } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Input, Textarea } from '../../../ui/input'
import { toast } from '../../../ui/toast'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useRefresh } from '../../../use-refresh'

/** Creates a snippet, or edits one. */
export function SnippetDialog({ snippet, ...dialog }: ControlledDialogProps & { snippet: Snippet | null }) {
  const refresh = useRefresh()
  const form = useForm({
    resolver: contractResolver(snippets.create),
    defaultValues: { shortcut: snippet?.shortcut ?? '', text: snippet?.text ?? '' },
  })
  const { errors } = form.formState
  const handlers = {
    async onSuccess({ shortcut }: Snippet) {
      dialog.onClose()
      toast.success(`Snippet “${shortcut}” saved.`)
      await refresh(api.snippets)
    },
    onError(error: Error) {
      showProblems(form, error, refusalText(error, 'Failed to save the snippet. Please try again.'))
    },
  }
  const create = useMutation(api.snippets.create.mutationOptions(handlers))
  const update = useMutation(api.snippets.update.mutationOptions(handlers))
  const save = form.handleSubmit((input) => {
    if (snippet) update.mutate({ id: snippet.id, ...input })
    else create.mutate(input)
  })
  return (
    <FormDialog
      {...dialog}
      name="snippet"
      record={snippet?.id}
      title={snippet ? 'Edit snippet' : 'New snippet'}
      label="Save snippet"
      loading={create.isPending || update.isPending}
      onSubmit={save}
    >
      {errors.root && <Callout tone="bad">{errors.root.message}</Callout>}
      <Field label="Shortcut" hint="Without spaces." error={errors.shortcut?.message} required>
        <Input autoComplete="off" placeholder="pricing" {...form.register('shortcut')} />
      </Field>
      <Field label="Text" error={errors.text?.message} required>
        <Textarea rows={6} {...form.register('text')} />
      </Field>
    </FormDialog>
  )
}
