import { useMutation, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import type { SsoConnection } from '@x-automated/contract/identity/sso'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, client, errorText } from '../../../api'
import { ReauthCancelled, useReauthentication } from '../../../reauthentication'
import { showProblems } from '../../../show-problems'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { RadioGroup } from '../../../ui/choice'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input, PasswordInput, Textarea } from '../../../ui/input'
import { toast } from '../../../ui/toast'
import { type ConnectionValues, connectionInput, emptyConnection } from './connection-values'

/** Where to create the client at each provider, and what its issuer looks like. */
const PRESETS = [
  {
    name: 'Google Workspace',
    issuer: 'https://accounts.google.com',
    where: 'Google Cloud console: Credentials, Create credentials, OAuth client ID, Web application.',
  },
  {
    name: 'Okta',
    issuer: 'https://your-company.okta.com',
    where: 'Okta Admin: Applications, Create App Integration, OIDC, Web Application. Replace “your-company” below.',
  },
  {
    name: 'Entra ID',
    issuer: 'https://login.microsoftonline.com/your-tenant-id/v2.0',
    where: 'Entra admin center: App registrations, New registration, Web. Replace “your-tenant-id” below.',
  },
]

type Name = Exclude<keyof ConnectionValues, 'kind' | 'samlBy'>

/** Changing the connection unlinks everyone, unless the provider still identifies people the same way. */
const UNLINK_UNLESS = {
  oidc: 'the issuer and client ID stay the same',
  saml: 'the entity ID stays the same and you keep at least one current certificate',
}

interface ConnectionFormProps {
  /** Null if no provider is connected. */
  connection: SsoConnection | null
  onDone: () => void
}

/** Connects an identity provider, or changes the connected one. */
export function ConnectionForm({ connection, onDone }: ConnectionFormProps) {
  const queries = useQueryClient()
  const form = useForm<ConnectionValues>({ defaultValues: emptyConnection(connection) })
  const { errors } = form.formState
  const { kind, samlBy } = form.watch()
  const [preset, setPreset] = useState<(typeof PRESETS)[number]>()
  const withReauthentication = useReauthentication()
  const linked = connection?.linkedCount ?? 0
  const save = useMutation({
    mutationFn: (input: ReturnType<typeof connectionInput>) => withReauthentication(() => client.sso.save(input)),
    onSuccess({ linkedCount }) {
      toast.success(
        linkedCount < linked
          ? `Identity provider saved. ${formatCount(linked, 'account')} unlinked.`
          : 'Identity provider saved. Test it before you tell your team.',
      )
      onDone()
      return queries.invalidateQueries({ queryKey: api.sso.key() })
    },
    onError(error) {
      if (!(error instanceof ReauthCancelled))
        showProblems(form, error, errorText(error, 'Failed to save the identity provider. Please try again.'))
    },
  })
  const input = (name: Name, label: string, more: { hint?: string; required?: boolean; placeholder?: string } = {}) => {
    const { hint, required = true, placeholder } = more
    const Control = name === 'clientSecret' ? PasswordInput : Input
    return (
      <Field label={label} hint={hint} error={errors[name]?.message} required={required}>
        <Control
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder}
          {...form.register(name, { validate: (value) => !required || value.trim() !== '' || `${label} is required` })}
        />
      </Field>
    )
  }
  const text = (name: Name, label: string, hint: string) => (
    <Field label={label} hint={hint} error={errors[name]?.message} required>
      <Textarea
        rows={6}
        spellCheck={false}
        {...form.register(name, { validate: (value) => value.trim() !== '' || `${label} is required` })}
      />
    </Field>
  )
  return (
    <Form
      name="identity-provider"
      className="max-w-xl gap-5"
      onSubmit={form.handleSubmit((values) => save.mutate(connectionInput(values)))}
    >
      {errors.root && <Callout tone="bad">{errors.root.message}</Callout>}
      <RadioGroup
        label="Protocol"
        value={kind}
        onChange={(value) => form.setValue('kind', value as ConnectionValues['kind'])}
        options={[
          { value: 'oidc', label: 'OpenID Connect', hint: 'Google Workspace, Okta, Entra ID, Auth0 and most others' },
          { value: 'saml', label: 'SAML 2.0', hint: 'AD FS and other SAML providers' },
        ]}
      />
      {kind === 'oidc' ? (
        <>
          <fieldset className="grid gap-2">
            <legend className="mb-2 font-strong">Start with</legend>
            <div className="flex flex-wrap gap-2">
              {PRESETS.map((option) => (
                <Button
                  key={option.name}
                  size="sm"
                  aria-pressed={preset === option}
                  className="aria-pressed:border-ink"
                  onClick={() => {
                    setPreset(option)
                    form.setValue('issuer', option.issuer, { shouldDirty: true })
                    form.clearErrors('issuer')
                  }}
                >
                  {option.name}
                </Button>
              ))}
            </div>
            {preset && <p className="text-muted">{preset.where}</p>}
          </fieldset>
          {input('issuer', 'Issuer', {
            hint: "We'll load {issuer}/.well-known/openid-configuration.",
            placeholder: 'https://login.company.com',
          })}
          {input('clientId', 'Client ID')}
          {input('clientSecret', 'Client secret', {
            required: connection?.kind !== 'oidc',
            hint:
              connection?.kind === 'oidc'
                ? 'Leave empty to keep the current secret.'
                : 'Stored encrypted and never shown again.',
          })}
          {input('scopes', 'Scopes')}
        </>
      ) : (
        <>
          <RadioGroup
            label="How to set it up"
            value={samlBy}
            onChange={(value) => form.setValue('samlBy', value as ConnectionValues['samlBy'])}
            options={[
              { value: 'url', label: 'From a metadata URL' },
              { value: 'xml', label: 'From metadata XML' },
              { value: 'hand', label: 'Manually' },
            ]}
          />
          {samlBy === 'url' &&
            input('metadataUrl', 'Metadata URL', {
              hint: 'Read once, when you save.',
              placeholder: 'https://login.company.com/metadata',
            })}
          {samlBy === 'xml' && text('metadataXml', 'Metadata XML', 'Paste the entire file.')}
          {samlBy === 'hand' && (
            <>
              {input('entityId', 'Entity ID of your identity provider')}
              {input('ssoUrl', 'Sign-in URL (HTTP-Redirect)')}
              {text('certificate', 'Signing certificate', 'X.509, as PEM or base64.')}
            </>
          )}
        </>
      )}
      {linked > 0 && (
        <Callout tone="warn" title="Changes can sign people out">
          {formatCount(linked, 'person has', 'people have')} linked this provider. Their links, and the sessions that
          came from them, end unless {kind === 'oidc' ? UNLINK_UNLESS.oidc : UNLINK_UNLESS.saml}. You and they get an
          email.
        </Callout>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" loading={save.isPending}>
          Save identity provider
        </Button>
        {connection && (
          <Button type="reset" onClick={onDone}>
            Cancel
          </Button>
        )}
      </div>
    </Form>
  )
}
