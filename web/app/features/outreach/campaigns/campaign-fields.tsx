import { useFormState } from 'react-hook-form'
import { Checkbox } from '../../../ui/choice'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { SequenceBuilder } from '../sequences/sequence-builder'
import { draftFromTexts } from '../sequences/sequence-draft'
import { TemplateBar } from '../templates/template-bar'
import { AccountField } from './account-field'
import { INCLUDE_CONTACTED, INCLUDE_REPLIED } from './campaign-form-rules'
import { ChannelField } from './channel-field'
import { ListField } from './list-field'
import type { CampaignFormState } from './use-campaign-form'

/** Everything that is filled in to create a campaign: its name, list, messages and sender. */
export function CampaignFields({ state }: { state: CampaignFormState }) {
  const { form, draft, sequence, template, isRestored, isBusy, hasText } = state
  const { errors } = useFormState({ control: form.control })
  return (
    <fieldset disabled={isBusy} className="grid min-w-0 content-start gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Campaign Name" error={errors.name?.message} required>
          <Input
            placeholder="Founders, first hello"
            autoComplete="off"
            {...form.register('name', { onChange: () => form.clearErrors('name') })}
          />
        </Field>
        <ListField
          form={form}
          value={draft.leadListId}
          isReady={isRestored}
          onMessage={(text) => !hasText && sequence.reset(draftFromTexts([{ text }]))}
        />
      </div>
      <TemplateBar editor={sequence} template={template} name={draft.name} />
      <SequenceBuilder editor={sequence} />
      <ChannelField value={draft.channel} onChange={(channel) => form.setValue('channel', channel)} />
      <AccountField
        channel={draft.channel}
        value={draft.xAccountId}
        onChange={(id) => form.setValue('xAccountId', id)}
      />
      <Checkbox {...INCLUDE_CONTACTED} {...form.register('allowRepeat')} />
      <Checkbox {...INCLUDE_REPLIED} {...form.register('allowReplied')} />
    </fieldset>
  )
}
