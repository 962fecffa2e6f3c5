import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { WebhookEndpoint, WebhookEvent } from '@x-automated/contract/platform/webhooks'
import { useId } from 'react'
import { useForm } from 'react-hook-form'
import { api, errorText, fieldProblems } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Checkbox } from '../../../ui/choice'
import { Dialog } from '../../../ui/dialog'
import { Field, FieldError } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { toast } from '../../../ui/toast'
import { eventHints, eventNames } from './webhook-text'

interface Values {
  url: string
  description: string
  events: WebhookEvent[]
}

export interface EndpointDialogProps {
  /** Null adds one. */
  endpoint: WebhookEndpoint | null
  open: boolean
  onClose: () => void
  onSecret: (secret: string) => void
}

/** Adds or edits an endpoint. Remount it for each endpoint. */
export function EndpointDialog({ endpoint, open, onClose, onSecret }: EndpointDialogProps) {
  const formId = useId()
  const queries = useQueryClient()
  const form = useForm<Values>({
    defaultValues: {
      url: endpoint?.url ?? '',
      description: endpoint?.description ?? '',
      events: endpoint?.events ?? [...eventNames],
    },
  })
  const { errors } = form.formState
  const settled = async () => {
    onClose()
    await queries.invalidateQueries({ queryKey: api.webhooks.key() })
  }
  const onError = (error: Error) => {
    const { url } = fieldProblems(error)
    if (url) form.setError('url', { message: url }, { shouldFocus: true })
  }
  const create = useMutation(
    api.webhooks.create.mutationOptions({
      async onSuccess({ secret }) {
        onSecret(secret)
        await settled()
      },
      onError,
    }),
  )
  const update = useMutation(
    api.webhooks.update.mutationOptions({
      async onSuccess() {
        toast.success('Webhook saved.')
        await settled()
      },
      onError,
    }),
  )
  const saving = endpoint ? update : create
  const refused = saving.isError && !fieldProblems(saving.error).url
  const save = (values: Values) => {
    if (endpoint) update.mutate({ id: endpoint.id, ...values })
    else create.mutate(values)
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={endpoint ? 'Edit webhook' : 'Add webhook'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" loading={saving.isPending}>
            {endpoint ? 'Save changes' : 'Add webhook'}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="grid gap-4" onSubmit={form.handleSubmit(save)}>
        {refused && <Callout tone="bad">{errorText(saving.error)}</Callout>}
        <Field label="URL" error={errors.url?.message} required>
          <Input
            type="url"
            inputMode="url"
            autoComplete="off"
            placeholder="https://example.com/hooks/waitlist"
            {...form.register('url', { validate: (url) => url.trim() !== '' || 'Please enter a URL' })}
          />
        </Field>
        <Field label="Description (optional)" error={errors.description?.message}>
          <Input autoComplete="off" maxLength={200} placeholder="Our CRM" {...form.register('description')} />
        </Field>
        <fieldset className="grid gap-2" aria-describedby={errors.events ? `${formId}-events` : undefined}>
          <legend className="mb-2 font-strong">Events</legend>
          {eventNames.map((event) => (
            <Checkbox
              key={event}
              label={event}
              hint={eventHints[event]}
              value={event}
              {...form.register('events', { validate: (events) => events.length > 0 || 'Choose at least one event' })}
            />
          ))}
          {errors.events && <FieldError id={`${formId}-events`}>{errors.events.message}</FieldError>}
        </fieldset>
      </form>
    </Dialog>
  )
}
