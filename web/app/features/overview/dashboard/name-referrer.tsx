import { ORPCError } from '@orpc/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, errorText } from '../../../api'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { PlainForm } from '../../../ui/plain-form'
import { toast } from '../../../ui/toast'

/** Lets members who joined without a link name their referrer, once. */
export function NameReferrer() {
  const queries = useQueryClient()
  const [code, setCode] = useState('')
  const refer = useMutation(
    api.waitlist.refer.mutationOptions({
      onSuccess() {
        toast.success("Thanks! We've credited your friend.")
        return queries.invalidateQueries({ queryKey: api.waitlist.key() })
      },
    }),
  )
  return (
    <PlainForm className="flex flex-wrap items-start gap-2" onSubmit={() => refer.mutate({ referralCode: code })}>
      <p className="w-full font-strong">Did a friend invite you?</p>
      <Field
        label="Their referral code"
        hideLabel
        error={refer.isError ? referrerProblem(refer.error) : undefined}
        className="min-w-48 flex-1"
      >
        <Input
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={32}
          placeholder="Their referral code"
          value={code}
          onChange={(event) => {
            setCode(event.currentTarget.value)
            refer.reset()
          }}
        />
      </Field>
      <Button type="submit" loading={refer.isPending}>
        Apply code
      </Button>
    </PlainForm>
  )
}

/** The message if saving the referrer fails. */
export function referrerProblem(error: unknown): string {
  if (!(error instanceof ORPCError)) return 'Failed to update referral'
  if (error.status === 401) return 'User not authenticated.'
  if (error.status >= 500) return 'Failed to update referral relationship'
  return errorText(error, 'Failed to update referral')
}
