import { apiKeys } from '@x-automated/contract/platform/api-keys'
import { SCOPE_DOMAINS, type Scope } from '@x-automated/contract/route'
import { DAY_MS } from '@x-automated/contract/time'
import { useId, useState } from 'react'
import { useController, useForm } from 'react-hook-form'
import { api, client, errorText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { ReauthCancelled } from '../../../reauthentication'
import { showProblems } from '../../../show-problems'
import { Callout } from '../../../ui/callout'
import { cn } from '../../../ui/cn'
import { Field, FieldError } from '../../../ui/field'
import { FormDialog } from '../../../ui/form-dialog'
import { Input } from '../../../ui/input'
import { Select } from '../../../ui/select'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useAction } from '../../../use-action'
import { accessTo, commonAccess, SCOPE_TEXTS, type ScopeAccess, scopesOfAll, withAccess } from './scope-text'

const READ = [
  { value: 'none', label: 'None' },
  { value: 'read', label: 'Read' },
]
const READ_AND_WRITE = [...READ, { value: 'write', label: 'Read and write' }]

/** Days until a key expires. */
const EXPIRIES = [
  { value: 'never', label: 'Never' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
]

/** Creates an API key. `onCreated` gets the key in plain text. */
export function CreateKeyDialog({
  onCreated,
  ...dialog
}: ControlledDialogProps & { onCreated: (key: string) => void }) {
  const id = useId()
  const form = useForm({
    resolver: contractResolver(apiKeys.create),
    defaultValues: { name: '', scopes: [] as Scope[] },
  })
  const { errors } = form.formState
  // Registered first, so that the name gets the focus if both fields have a problem.
  const name = form.register('name')
  const { field: scopes } = useController({ control: form.control, name: 'scopes' })
  const [days, setDays] = useState('never')
  const create = useAction(client.apiKeys.create, {
    onSuccess({ key }) {
      dialog.onClose()
      onCreated(key)
    },
    onError(error) {
      if (error instanceof ReauthCancelled) return
      showProblems(form, error, errorText(error, 'Failed to create the API key. Please try again.'))
    },
    refetches: [api.apiKeys],
  })
  const submit = form.handleSubmit((values) =>
    create.run({
      ...values,
      expiresAt: days === 'never' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
    }),
  )
  return (
    <FormDialog
      {...dialog}
      name="api-key"
      title="Create API key"
      description="It acts as a member of this workspace, within its scopes."
      label="Create API key"
      loading={create.isPending}
      onSubmit={submit}
    >
      {errors.root && <Callout tone="bad">{errors.root.message}</Callout>}
      <div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
        <Field label="Name" error={errors.name?.message} required>
          <Input autoComplete="off" placeholder="CRM sync" {...name} />
        </Field>
        <Field label="Expires">
          <Select options={EXPIRIES} value={days} onChange={(event) => setDays(event.currentTarget.value)} />
        </Field>
      </div>
      <fieldset className="grid gap-2" aria-describedby={errors.scopes ? `${id}-problem` : undefined}>
        <legend className="mb-2 font-strong">Scopes</legend>
        {errors.scopes && <FieldError id={`${id}-problem`}>{errors.scopes.message}</FieldError>}
        <ScopeRow
          id={`${id}-all`}
          name="Everything"
          className="border-b border-hair pb-2"
          options={READ_AND_WRITE}
          placeholder="Mixed"
          value={commonAccess(scopes.value) ?? ''}
          ref={scopes.ref}
          onChange={(access) => scopes.onChange(scopesOfAll(access))}
        />
        {SCOPE_DOMAINS.map((domain) => (
          <ScopeRow
            key={domain}
            id={`${id}-${domain}`}
            {...SCOPE_TEXTS[domain]}
            options={SCOPE_TEXTS[domain].isReadOnly ? READ : READ_AND_WRITE}
            value={accessTo(domain, scopes.value)}
            onChange={(access) => scopes.onChange(withAccess(scopes.value, domain, access))}
          />
        ))}
      </fieldset>
    </FormDialog>
  )
}

interface ScopeRowProps extends Pick<React.ComponentProps<typeof Select>, 'options' | 'placeholder' | 'ref'> {
  id: string
  name: string
  hint?: string
  value: ScopeAccess | ''
  className?: string
  onChange: (access: ScopeAccess) => void
}

function ScopeRow({ id, name, hint, className, onChange, ...select }: ScopeRowProps) {
  return (
    <div className={cn('flex items-center justify-between gap-3', className)}>
      <label htmlFor={id} className="grid min-w-0">
        <span>{name}</span>
        {hint && <span className="text-muted">{hint}</span>}
      </label>
      <Select
        {...select}
        id={id}
        className="w-38 shrink-0 pointer-coarse:w-42"
        onChange={(event) => onChange(event.currentTarget.value as ScopeAccess)}
      />
    </div>
  )
}
