import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ALREADY_JOINED } from '@x-automated/contract/waitlist/already-joined'
import { useEffect, useRef } from 'react'
import { useForm } from 'react-hook-form'
import { api, fieldProblems, refusalText } from '../../../api'
import { storePlace } from '../../../stored-place'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { toast } from '../../../ui/toast'
import { emailProblem, isEmail } from '../../identity/auth/email'
import { EmailInput } from '../../identity/auth/email-input'
import { entryPath } from './view-count'

interface WaitlistFormProps {
  /** The referral code of the link that led here. */
  referralCode: string | null
  /** Called once the waitlist position is stored. */
  onJoined: (isNew: boolean) => void
}

export function WaitlistForm({ referralCode, onJoined }: WaitlistFormProps) {
  const queries = useQueryClient()
  // Validates on first blur, then on each change and on submit. No default values: they would
  // overwrite anything typed before hydration.
  const form = useForm<{ email: string }>({ mode: 'onTouched' })
  const { errors } = form.formState
  useEffect(() => {
    const typed = form.getValues('email')
    const isFocused = document.activeElement?.getAttribute('name') === 'email'
    // The field was filled in and left before hydration, so the form has missed the blur.
    if (typed && !isFocused) form.setValue('email', typed, { shouldTouch: true, shouldValidate: true })
  }, [form])
  // A second press may come before the button rerenders.
  const isUnderWay = useRef(false)
  const join = useMutation(
    api.waitlist.join.mutationOptions({
      onSuccess({ position, referralCode, message }, { email }) {
        const isNew = message !== ALREADY_JOINED
        const countKey = api.waitlist.count.queryKey()
        if (isNew) queries.setQueryData(countKey, (before) => before && { count: before.count + 1 })
        else toast.info(message)
        storePlace({ email, position, referralCode })
        onJoined(isNew)
      },
      onSettled() {
        isUnderWay.current = false
      },
      onError(error) {
        if (fieldProblems(error).email) form.setError('email', { message: emailProblem }, { shouldFocus: true })
        else toast.error(refusalText(error, 'Failed to join the waitlist. Please try again later.'))
      },
    }),
  )
  const submit = form.handleSubmit(({ email }) => {
    const address = email.trim()
    if (!address) form.setError('email', { message: 'Please enter your email address' }, { shouldFocus: true })
    else if (!isUnderWay.current) {
      isUnderWay.current = true
      join.mutate({ email: address, path: entryPath, ...(referralCode ? { referralCode } : {}) })
    }
  })
  return (
    <Form name="waitlist" onSubmit={submit}>
      <Field label="Email" error={errors.email?.message} required>
        <EmailInput
          {...form.register('email', {
            // An empty field is an error on submit only.
            validate: (email) => email.trim() === '' || isEmail(email) || emailProblem,
          })}
        />
      </Field>
      <Button type="submit" variant="primary" size="lg" wide loading={join.isPending}>
        GET EARLY ACCESS
      </Button>
    </Form>
  )
}
