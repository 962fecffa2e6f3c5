import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { api } from '../../../api'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { toast } from '../../../ui/toast'
import { referrerProblem } from './referrer-text'

/** For members who joined without a link: names their referrer, once. */
export function NameReferrer() {
  const queries = useQueryClient()
  const form = useForm({ defaultValues: { referralCode: '' } })
  const refer = useMutation(
    api.waitlist.refer.mutationOptions({
      onSuccess() {
        toast.success("Thanks! We've credited your friend.")
        return queries.invalidateQueries({ queryKey: api.waitlist.key() })
      },
      onError: (error) => form.setError('referralCode', { message: referrerProblem(error) }, { shouldFocus: true }),
    }),
  )
  return (
    <form
      noValidate
      method="post"
      className="flex flex-wrap items-start gap-2"
      onSubmit={form.handleSubmit(({ referralCode }) => refer.mutate({ referralCode: referralCode.trim() }))}
    >
      <p className="w-full font-strong">Did a friend invite you?</p>
      <Field
        label="Their referral code"
        hideLabel
        error={form.formState.errors.referralCode?.message}
        className="min-w-48 flex-1"
      >
        <Input
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={32}
          placeholder="Their referral code"
          {...form.register('referralCode', { validate: (code) => code.trim() !== '' || 'Invalid referral code' })}
        />
      </Field>
      <Button type="submit" loading={refer.isPending}>
        Apply code
      </Button>
    </form>
  )
}
