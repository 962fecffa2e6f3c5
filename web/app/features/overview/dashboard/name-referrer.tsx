import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../api'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { toast } from '../../../ui/toast'
import { referrerProblem } from './referrer-text'

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
    <form
      noValidate
      method="post"
      className="flex flex-wrap items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        refer.mutate({ referralCode: code })
      }}
    >
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
    </form>
  )
}
