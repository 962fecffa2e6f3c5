import { useMutation } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useEffect } from 'react'
import { useForm } from 'react-hook-form'
import { api, errorCode, fieldProblems } from '../../../api'
import { paths } from '../../../paths'
import { useCarriedReferral } from '../../../referral-code'
import { useSession } from '../../../session'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { EmptyState } from '../../../ui/empty-state'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { NeedsScript } from '../../../ui/needs-script'
import { LoadingText } from '../../../ui/skeleton'
import { emailProblem, isEmail } from '../../identity/auth/email'
import { EmailInput } from '../../identity/auth/email-input'
import { AchievementLegend } from '../waitlist/achievement-legend'
import { RankingResult, RankingTable } from './ranking-result'
import { rankingProblem } from './ranking-text'

/** Looks up an email address's waitlist position. */
export function RankingCheck() {
  const carry = useCarriedReferral()
  // No default values: they would overwrite anything typed before hydration.
  const form = useForm<{ email: string }>()
  const { errors } = form.formState
  const session = useSession()
  const ownEmail = session.status === 'signed-in' ? session.user.email : null
  useEffect(() => {
    // Not while the field has the focus, because the user may be about to type another address.
    const isInField = document.activeElement?.matches('input[type=email]')
    if (ownEmail && !isInField && !form.getValues('email')) form.setValue('email', ownEmail)
  }, [ownEmail, form])
  const check = useMutation(
    api.waitlist.position.mutationOptions({
      onError: (error) => {
        if (fieldProblems(error).email) form.setError('email', { message: emailProblem }, { shouldFocus: true })
      },
    }),
  )
  const failed = check.isError && !fieldProblems(check.error).email

  return (
    <div className="grid max-w-3xl gap-8">
      <NeedsScript />
      <Form
        name="ranking"
        className="flex max-w-xl flex-wrap items-start gap-2"
        onSubmit={form.handleSubmit(
          ({ email }) => check.mutate({ email: email.trim() }),
          // Clears the result of the previous address.
          () => check.reset(),
        )}
      >
        <Field label="Email" hideLabel error={errors.email?.message} required className="min-w-60 flex-1">
          <EmailInput
            placeholder="Enter your email address"
            {...form.register('email', {
              validate: (email) =>
                email.trim() === '' ? 'Please enter your email address' : isEmail(email) || emailProblem,
            })}
          />
        </Field>
        <Button
          type="submit"
          variant="primary"
          icon={<Search aria-hidden />}
          loading={check.isPending}
          className="max-sm:w-full"
        >
          Check Ranking
        </Button>
      </Form>
      {check.isPending ? (
        <>
          <LoadingText>Looking up your ranking…</LoadingText>
          <RankingTable />
        </>
      ) : failed ? (
        <Callout
          tone="bad"
          action={
            errorCode(check.error) === 'MEMBER_NOT_FOUND' && (
              <ButtonLink to={carry(paths.waitlist)} size="sm">
                Join the waitlist
              </ButtonLink>
            )
          }
        >
          {rankingProblem(check.error)}
        </Callout>
      ) : check.isSuccess ? (
        <RankingResult user={check.data.user} />
      ) : (
        <>
          <EmptyState
            icon={<Search aria-hidden />}
            title="Enter your email to see your ranking and referral statistics"
          />
          <AchievementLegend />
        </>
      )}
    </div>
  )
}
