import { useMutation } from '@tanstack/react-query'
import type { Template } from '@x-automated/contract/outreach/templates'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, client } from '../../../api'
import { useConfirm } from '../../../ui/confirm'
import { FormDialog } from '../../../ui/form-dialog'
import { toast } from '../../../ui/toast'
import { useConfirmLeave } from '../../../ui/use-confirm-leave'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useRefresh } from '../../../use-refresh'
import { DISCARDING_CHANGES, LOSING_MESSAGES } from '../sequences/leaving'
import { SequenceBuilder } from '../sequences/sequence-builder'
import { draftOfTemplate, emptySequence, firstChange, isWritten, templateSteps } from '../sequences/sequence-draft'
import { useSequenceDraft } from '../sequences/use-sequence-draft'
import { showTemplateProblems, type TemplateDraft, TemplateFields, templateInput } from './template-fields'

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
  useConfirmLeave(open && isChanged, LOSING_MESSAGES)
  const close = async () => {
    if (!isChanged || (await confirm(DISCARDING_CHANGES))) onClose()
  }
  return (
    <FormDialog
      size="wide"
      open={open}
      onClose={close}
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
