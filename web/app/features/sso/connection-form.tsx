import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { SsoConnection } from '@x-automated/contract/sso'
import { useForm } from 'react-hook-form'
import { api, client, errorText, fieldProblems } from '../../api'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { RadioGroup } from '../../ui/choice'
import { Field } from '../../ui/field'
import { Input, PasswordInput, Textarea } from '../../ui/input'
import { toast } from '../../ui/toast'
import { ProofCancelled, useReauthentication } from '../auth/reauthentication'
import { type ConnectionValues, connectionInput, emptyConnection } from './connection-values'

type Name = Exclude<keyof ConnectionValues, 'kind' | 'samlBy'>

/** What keeps links: then the provider's names for people mean the same as before. */
const WHAT_STAYS = {
  oidc: 'the issuer and the client ID stay the same',
  saml: 'the entity ID stays the same and a present certificate is among the new ones',
}

export interface ConnectionFormProps {
  /** What is set; null where nothing is. */
  connection: SsoConnection | null
  onDone: () => void
}

export function ConnectionForm({ connection, onDone }: ConnectionFormProps) {
  const queries = useQueryClient()
  const form = useForm<ConnectionValues>({ defaultValues: emptyConnection(connection) })
  const { errors } = form.formState
  const { kind, samlBy } = form.watch()
  const withReauthentication = useReauthentication()
  const linked = connection?.linkedCount ?? 0
  const save = useMutation({
    mutationFn: (input: ReturnType<typeof connectionInput>) => withReauthentication(() => client.sso.save(input)),
    onSuccess({ linkedCount }) {
      toast.success(
        linkedCount < linked
          ? `The identity provider was saved. ${linked === 1 ? '1 link has' : `${linked} links have`} ended.`
          : 'The identity provider was saved. Test it before you tell your team.',
      )
      onDone()
      return queries.invalidateQueries({ queryKey: api.sso.key() })
    },
    onError(error) {
      for (const [field, message] of Object.entries(fieldProblems(error)))
        form.setError(field as Name, { message }, { shouldFocus: true })
    },
  })
  const said =
    save.isError && !(save.error instanceof ProofCancelled) && Object.keys(fieldProblems(save.error)).length === 0
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
    <form
      noValidate
      className="grid max-w-xl gap-5"
      onSubmit={form.handleSubmit((values) => save.mutate(connectionInput(values)))}
    >
      {said && (
        <Callout tone="bad">
          {errorText(save.error, 'The identity provider could not be saved. Please try again.')}
        </Callout>
      )}
      <RadioGroup
        label="Protocol"
        value={kind}
        onChange={(value) => form.setValue('kind', value as ConnectionValues['kind'])}
        options={[
          { value: 'oidc', label: 'OpenID Connect', hint: 'Google Workspace, Okta, Entra ID, Auth0 and most others' },
          { value: 'saml', label: 'SAML 2.0', hint: 'ADFS, and where your company asks for it' },
        ]}
      />
      {kind === 'oidc' ? (
        <>
          {input('issuer', 'Issuer', {
            hint: 'Its discovery is at this address with /.well-known/openid-configuration.',
            placeholder: 'https://login.company.com',
          })}
          {input('clientId', 'Client ID')}
          {input('clientSecret', 'Client secret', {
            required: connection?.kind !== 'oidc',
            hint:
              connection?.kind === 'oidc'
                ? 'Leave it empty to keep the stored one.'
                : 'Stored encrypted, and never shown again.',
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
              { value: 'url', label: 'From a metadata address' },
              { value: 'xml', label: 'From metadata XML' },
              { value: 'hand', label: 'By hand' },
            ]}
          />
          {samlBy === 'url' &&
            input('metadataUrl', 'Metadata address', {
              hint: 'Read once, now.',
              placeholder: 'https://login.company.com/metadata',
            })}
          {samlBy === 'xml' && text('metadataXml', 'Metadata XML', 'Paste the whole file.')}
          {samlBy === 'hand' && (
            <>
              {input('entityId', 'Entity ID of your identity provider')}
              {input('ssoUrl', 'Sign-in address (HTTP-Redirect)')}
              {text('certificate', 'Signing certificate', 'X.509, as PEM or base64.')}
            </>
          )}
        </>
      )}
      {linked > 0 && (
        <Callout tone="warn" title="What a change ends">
          {linked === 1 ? '1 person has' : `${linked} people have`} linked this provider. Their links, and the sessions
          that came from them, end unless {kind === 'oidc' ? WHAT_STAYS.oidc : WHAT_STAYS.saml}. You and they get an
          email.
        </Callout>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" loading={save.isPending}>
          Save identity provider
        </Button>
        {connection && <Button onClick={onDone}>Cancel</Button>}
      </div>
    </form>
  )
}
