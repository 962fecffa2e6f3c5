import { useMutation } from '@tanstack/react-query'
import { TEMPLATE_NAME_MAX } from '@x-automated/contract/outreach/templates'
import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { api, client } from '../../../api'
import { paths } from '../../../paths'
import { FormDialog } from '../../../ui/form-dialog'
import { toast } from '../../../ui/toast'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useRefresh } from '../../../use-refresh'
import { StepTexts } from '../sequences/messages-card'
import { type SequenceDraft, templateSteps } from '../sequences/sequence-draft'
import { showTemplateProblems, type TemplateDraft, TemplateFields, templateInput } from './template-fields'

interface SaveTemplateDialogProps extends ControlledDialogProps {
  draft: SequenceDraft
  /** The campaign's name. */
  name: string
}

/** Saves the messages of a campaign as a template. */
export function SaveTemplateDialog({ draft, name, ...dialog }: SaveTemplateDialogProps) {
  const refresh = useRefresh()
  const navigate = useNavigate()
  const form = useForm<TemplateDraft>({
    defaultValues: { name: name.trim().slice(0, TEMPLATE_NAME_MAX), folder: '', isShared: false },
  })
  const save = useMutation({
    mutationFn: (input: TemplateDraft) =>
      client.templates.create({ ...templateInput(input), steps: templateSteps(draft) }),
    async onSuccess(template) {
      dialog.onClose()
      toast.success(`Template “${template.name}” saved.`, {
        action: { label: 'See templates', onClick: () => void navigate(paths.templates) },
      })
      await refresh(api.templates)
    },
    onError: (error) => showTemplateProblems(form, error),
  })
  const submit = form.handleSubmit((input) => save.mutate(input))
  return (
    <FormDialog
      {...dialog}
      name="save-template"
      title="Save as template"
      description={
        draft.reengagement ? 'The messages to start other campaigns from, without re-engagement.' : DESCRIPTION
      }
      label="Save template"
      loading={save.isPending}
      onSubmit={(event) => {
        // Otherwise, the campaign's form around the dialog would be submitted, too.
        event.stopPropagation()
        return submit(event)
      }}
    >
      <TemplateFields form={form} />
      <div className="rounded-lg border border-line bg-sunken p-4">
        <StepTexts draft={{ ...draft, reengagement: null }} />
      </div>
    </FormDialog>
  )
}

const DESCRIPTION = 'The messages to start other campaigns from.'
