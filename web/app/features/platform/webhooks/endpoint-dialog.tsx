import type { InputOf } from '@x-automated/contract/contract'
import { type WebhookEndpoint, webhooks } from '@x-automated/contract/platform/webhooks'
import { useId } from 'react'
import { useForm } from 'react-hook-form'
import { api, client } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { showProblems } from '../../../show-problems'
import { Callout } from '../../../ui/callout'
import { Checkbox } from '../../../ui/choice'
import { Field, FieldError } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Input } from '../../../ui/input'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useAction } from '../../../use-action'
import { eventHints, eventNames } from './webhook-text'

interface EndpointDialogProps extends ControlledDialogProps {
  /** Null to add one. */
  endpoint: WebhookEndpoint | null
  onSecret: (secret: string) => void
}

/** Adds or edits an endpoint. Remount it for each endpoint. */
export function EndpointDialog({ endpoint, onSecret, ...dialog }: EndpointDialogProps) {
  const formId = useId()
  const form = useForm({
    resolver: contractResolver(webhooks.create),
    defaultValues: {
      url: endpoint?.url ?? '',
      description: endpoint?.description ?? '',
      events: endpoint?.events ?? [...eventNames],
    },
  })
  const { errors } = form.formState
  const save = useAction(
    async (values: InputOf<'webhooks', 'create'>) => {
      if (endpoint) await client.webhooks.update({ id: endpoint.id, ...values })
      else onSecret((await client.webhooks.create(values)).secret)
    },
    {
      ...(endpoint ? { done: 'Webhook saved.' } : {}),
      onSuccess: dialog.onClose,
      onError: (error) => showProblems(form, error),
      refetches: [api.webhooks],
    },
  )
  return (
    <FormDialog
      {...dialog}
      name="webhook"
      record={endpoint?.id}
      title={endpoint ? 'Edit webhook' : 'Add webhook'}
      label={endpoint ? 'Save changes' : 'Add webhook'}
      loading={save.isPending}
      onSubmit={form.handleSubmit((values) => save.run(values))}
    >
      {errors.root && <Callout tone="bad">{errors.root.message}</Callout>}
      <Field label="URL" error={errors.url?.message} required>
        <Input
          type="url"
          inputMode="url"
          autoComplete="off"
          placeholder="https://example.com/hooks/waitlist"
          {...form.register('url')}
        />
      </Field>
      <Field label="Description (optional)" error={errors.description?.message}>
        <Input autoComplete="off" placeholder="Our CRM" {...form.register('description')} />
      </Field>
      <fieldset className="grid gap-2" aria-describedby={errors.events ? `${formId}-events` : undefined}>
        <legend className="mb-2 font-strong">Events</legend>
        {eventNames.map((event) => (
          <Checkbox key={event} label={event} hint={eventHints[event]} value={event} {...form.register('events')} />
        ))}
        {errors.events && <FieldError id={`${formId}-events`}>{errors.events.message}</FieldError>}
      </fieldset>
    </FormDialog>
  )
}
