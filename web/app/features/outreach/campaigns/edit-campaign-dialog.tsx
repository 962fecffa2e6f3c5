import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { useForm, useWatch } from 'react-hook-form'
import { api, client, errorText, fieldProblems } from '../../../api'
import { Checkbox } from '../../../ui/choice'
import { Field } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Input } from '../../../ui/input'
import { toast } from '../../../ui/toast'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { AccountField } from './account-field'
import { invalidateCampaignNames } from './all-campaigns'
import { updateCachedCampaign } from './campaign-cache'
import { INCLUDE_CONTACTED, INCLUDE_REPLIED } from './campaign-form-rules'
import { ChannelField } from './channel-field'
import { changedFields, type Edits, pickEdits } from './edits'

interface EditCampaignDialogProps extends ControlledDialogProps {
  campaign: Campaign
}

/**
 * Whether a campaign can be edited. An active one must be paused first, or its sender would change
 * between messages.
 */
export function isEditable({ status }: Pick<Campaign, 'status'>): boolean {
  return status === 'paused' || status === 'draft'
}

/** Edits a paused or draft campaign. */
export function EditCampaignDialog({ campaign, ...dialog }: EditCampaignDialogProps) {
  const queries = useQueryClient()
  const before: Edits = { ...campaign, xAccountId: campaign.xAccountId ?? '' }
  const form = useForm<Edits>({ defaultValues: pickEdits(before) })
  const draft = useWatch({ control: form.control }) as Edits
  const { errors } = form.formState
  const save = useMutation({
    mutationFn: (edits: Edits) =>
      client.campaigns.update({ id: campaign.id, ...changedFields(pickEdits(before), edits) }),
    onSuccess(after) {
      updateCachedCampaign(queries, campaign.id, after)
      toast.success(`Campaign “${after.name}” saved.`)
      dialog.onClose()
    },
    onError(error) {
      const problems = fieldProblems(error)
      if (problems.name) form.setError('name', { message: problems.name })
      else toast.error(`Failed to save campaign: ${errorText(error)}`)
    },
    onSettled() {
      invalidateCampaignNames(queries)
      return queries.invalidateQueries({ queryKey: api.campaigns.key() })
    },
  })
  const ready = !save.isPending && draft.name.trim() !== ''
  return (
    <FormDialog
      {...dialog}
      name="campaign"
      record={campaign.id}
      title="Edit campaign"
      description="To change its messages, use Edit messages on its page."
      label="Save"
      disabled={!ready}
      loading={save.isPending}
      onSubmit={form.handleSubmit((edits) => save.mutate(edits))}
    >
      <fieldset disabled={save.isPending} className="grid min-w-0 gap-4">
        <Field label="Campaign Name" error={errors.name?.message} required>
          <Input autoComplete="off" {...form.register('name', { onChange: () => form.clearErrors('name') })} />
        </Field>
        <ChannelField value={draft.channel} onChange={(channel) => form.setValue('channel', channel)} />
        <AccountField
          channel={draft.channel}
          value={draft.xAccountId}
          onChange={(id) => form.setValue('xAccountId', id)}
        />
        {campaign.totalLeadsInList === 0 && (
          <>
            <Checkbox {...INCLUDE_CONTACTED} {...form.register('allowRepeat')} />
            <Checkbox {...INCLUDE_REPLIED} {...form.register('allowReplied')} />
          </>
        )}
      </fieldset>
    </FormDialog>
  )
}
