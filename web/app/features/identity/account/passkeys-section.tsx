import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { InputOf } from '@x-automated/contract/contract'
import { secondFactors } from '@x-automated/contract/identity/second-factors'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { api, client, errorText } from '../../../api'
import { contractResolver } from '../../../contract-resolver'
import { ReauthCancelled, useReauthentication } from '../../../reauthentication'
import { session } from '../../../session'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input } from '../../../ui/input'
import { SkeletonButton, SkeletonField } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import { createPasskey, supportsPasskeys } from '../auth/passkey'
import { FactorRows } from './factor-rows'
import { RecoveryCodesDialog } from './recovery-codes-dialog'
import { Section } from './section'

/** Passkeys as second factors. */
export function PasskeysSection() {
  const factors = useQuery(api.secondFactors.list.queryOptions())
  const [recoveryCodes, setRecoveryCodes] = useState<string[] | null>(null)
  const all = factors.data?.factors ?? []
  const passkeys = all.filter(({ kind }) => kind === 'passkey')
  return (
    <Section
      id="passkeys"
      query={factors}
      skeleton={
        <div className="flex flex-wrap items-end gap-3">
          <SkeletonField className="w-full max-w-sm" />
          <SkeletonButton className="w-36" />
        </div>
      }
      description="Use your fingerprint, face or a security key as a second step at login. Phishing-resistant."
    >
      <div className="grid gap-5">
        <FactorRows label="Passkeys" factors={passkeys} all={all} />
        {supportsPasskeys() ? (
          <AddPasskey onRecoveryCodes={setRecoveryCodes} />
        ) : (
          <p className="text-muted">This browser does not support passkeys.</p>
        )}
      </div>
      <RecoveryCodesDialog codes={recoveryCodes} onClose={() => setRecoveryCodes(null)} />
    </Section>
  )
}

function AddPasskey({ onRecoveryCodes }: { onRecoveryCodes: (codes: string[] | null) => void }) {
  const queries = useQueryClient()
  const withReauthentication = useReauthentication()
  const form = useForm({
    resolver: contractResolver(secondFactors.enrol),
    defaultValues: { kind: 'passkey' as const, name: '' },
  })
  const add = useMutation({
    async mutationFn(input: InputOf<'secondFactors', 'enrol'>) {
      const { id, options } = await withReauthentication(() => client.secondFactors.enrol(input))
      try {
        return await client.secondFactors.verify({ id, credential: await createPasskey(options) })
      } catch (error) {
        // An unverified passkey is useless, so remove it on failure.
        await client.secondFactors.remove({ id }).catch(() => {})
        throw error
      }
    },
    onSuccess({ recoveryCodes }, { name }) {
      session.announce('MFA_CHALLENGE_VERIFIED')
      void queries.invalidateQueries({ queryKey: api.secondFactors.key() })
      form.reset()
      toast.success(`The passkey “${name || 'Passkey'}” was added.`)
      onRecoveryCodes(recoveryCodes)
    },
  })
  return (
    <Form name="passkey" onSubmit={form.handleSubmit((values) => add.mutate(values))}>
      {add.isError && !(add.error instanceof ReauthCancelled) && <Callout tone="bad">{problemText(add.error)}</Callout>}
      <div className="flex flex-wrap items-end gap-3">
        <Field label="Passkey name" error={form.formState.errors.name?.message} className="w-full max-w-sm">
          <Input autoComplete="off" placeholder="Work laptop" {...form.register('name')} />
        </Field>
        <Button type="submit" loading={add.isPending}>
          {add.isPending ? 'Adding…' : 'Add a passkey'}
        </Button>
      </div>
    </Form>
  )
}

function problemText(error: Error): string {
  if (error instanceof DOMException) {
    return error.name === 'InvalidStateError'
      ? 'This device already has a passkey for your account.'
      : 'No passkey was created.'
  }
  return errorText(error)
}
