import { ORPCError } from '@orpc/client'
import type { InputOf } from '@x-automated/contract/contract'
import type { XApp } from '@x-automated/contract/platform/x-apps'
import { useForm } from 'react-hook-form'
import { api, client, errorCode, errorText } from '../../../api'
import { showProblems } from '../../../show-problems'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { useConfirm } from '../../../ui/confirm'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input, PasswordInput } from '../../../ui/input'
import { useAction } from '../../../use-action'
import { disconnectText } from './x-app-text'

type Values = Omit<InputOf<'xApp', 'save'>, 'disconnectsAccounts'>

const SECRETS = [
  ['clientSecret', 'Client secret', 'Under OAuth 2.0, next to the client ID.'],
  ['consumerSecret', 'Consumer secret', 'The API key secret. X signs its reports to us with it.'],
  ['bearerToken', 'Bearer token', "The app's own token. It registers the webhook."],
] as const

interface XAppFormProps {
  /** The workspace's own app, or null. */
  app: XApp | null
  /** Handles of the connected accounts. */
  handles: readonly string[]
  onDone: () => void
}

/** An X app's credentials. Typed values are never stored outside of the form. */
export function XAppForm({ app, handles, onDone }: XAppFormProps) {
  const form = useForm<Values>({
    defaultValues: { clientId: app?.clientId ?? '', clientSecret: '', consumerSecret: '', bearerToken: '' },
  })
  const { errors } = form.formState
  const confirm = useConfirm()
  const save = useAction((input: InputOf<'xApp', 'save'>) => client.xApp.save(input), {
    done: app ? 'X app saved.' : 'X app saved. Connect your X accounts with it.',
    onSuccess: onDone,
    onError(error) {
      const fields = refusedFields(error)
      for (const field of fields.toReversed())
        form.setError(
          field,
          { message: 'X does not accept this. Copy it again from console.x.com.' },
          { shouldFocus: true },
        )
      if (fields.length === 0)
        showProblems(form, error, errorText(error, 'Failed to save the X app. Please try again.'))
    },
    refetches: [api.xApp, api.sendingSettings, api.xAccount],
  })
  const submit = async (values: Values) => {
    const disconnects = values.clientId.trim() !== app?.clientId && handles.length > 0
    const isAllowed =
      !disconnects ||
      (await confirm({
        title: 'Use another X app?',
        body: disconnectText(handles),
        confirm: 'Disconnect and use this app',
        danger: true,
      }))
    if (isAllowed) save.run({ ...values, disconnectsAccounts: disconnects })
  }
  return (
    <Form name={null} autoComplete="off" className="max-w-xl" onSubmit={form.handleSubmit(submit)}>
      {errors.root && <Callout tone="bad">{errors.root.message}</Callout>}
      <Field label="Client ID" error={errors.clientId?.message} required>
        <Input
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.register('clientId', { validate: (value) => value.trim() !== '' || 'Client ID is required' })}
        />
      </Field>
      {SECRETS.map(([name, label, hint]) => (
        <Field key={name} label={label} hint={hint} error={errors[name]?.message} required>
          <PasswordInput
            autoComplete="off"
            {...form.register(name, { validate: (value) => value.trim() !== '' || `${label} is required` })}
          />
        </Field>
      ))}
      <p className="text-muted">
        X checks these credentials before they are saved. They are stored encrypted and never shown again.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" loading={save.isPending}>
          {app ? 'Save X app' : 'Use this app'}
        </Button>
        <Button disabled={save.isPending} onClick={onDone}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}

/** The fields that X rejects. */
function refusedFields(error: unknown): (keyof Values)[] {
  if (errorCode(error) !== 'X_CREDENTIALS_REFUSED' || !(error instanceof ORPCError)) return []
  return (error.data as { fields?: (keyof Values)[] } | undefined)?.fields ?? []
}
