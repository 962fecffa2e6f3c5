import { useMutation } from '@tanstack/react-query'
import type { Template } from '@x-automated/contract/outreach/templates'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, client } from '../../../api'
import { useConfirm } from '../../../ui/confirm'
import { FormDialog } from '../../../ui/form-dialog'
import { toast } from '../../../ui/toast'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useRefresh } from '../../../use-refresh'
import { SequenceBuilder } from '../sequences/sequence-builder'
import { draftOfTemplate, emptySequence, firstChange, isWritten, templateSteps } from '../sequences/sequence-draft'
import { useSequenceDraft } from '../sequences/use-sequence-draft'
import { showTemplateProblems, type TemplateDraft, TemplateFields, templateInput } from './template-fields'

const DISCARDING_CHANGES = {
  title: 'Discard changes?',
  body: "Your changes haven't been saved.",
  confirm: 'Discard changes',
  cancel: 'Keep editing',
  danger: true,
}

/** Creates a template, or edits one. */
export function EditTemplateDialog({ template, open, onClose }: ControlledDialogProps & { template: Template | null }) {
  const refresh = useRefresh()
  const confirm = useConfirm()
  const [saved] = useState(() => (template ? draftOfTemplate(template.steps) : emptySequence()))
  const editor = useSequenceDraft(() => saved)
  const form = useForm<TemplateDraft>({
    defaultValues: {
      name: template?.name ?? '',
      folder: template?.folder ?? '',
      isShared: template?.isShared ?? false,
    },
  })
  const save = useMutation({
    mutationFn(draft: TemplateDraft) {
      const input = { ...templateInput(draft), steps: templateSteps(editor.draft) }
      return template ? client.templates.update({ id: template.id, ...input }) : client.templates.create(input)
    },
    async onSuccess({ name }) {
      onClose()
      toast.success(`Template “${name}” saved.`)
      await refresh(api.templates)
    },
    onError(error) {
      if (!editor.show(error)) showTemplateProblems(form, error)
    },
  })
  const isChanged = form.formState.isDirty || firstChange(saved, editor.draft) !== null
  return (
    <FormDialog
      name="template"
      record={template?.id}
      size="wide"
      open={open}
      onClose={onClose}
      mayCancel={async () => !isChanged || confirm(DISCARDING_CHANGES)}
      title={template ? 'Edit template' : 'New template'}
      description={template ? "Campaigns started from it don't change." : undefined}
      label="Save template"
      loading={save.isPending}
      disabled={!isWritten(editor.draft)}
      onSubmit={form.handleSubmit((draft) => save.mutate(draft))}
    >
      <TemplateFields form={form} wasShared={template?.isShared ?? false} />
      <SequenceBuilder editor={editor} ofTemplate />
    </FormDialog>
  )
}
