import { newPasswordProblem } from '@x-automated/contract/identity/password-rules'
import { useFormContext } from 'react-hook-form'
import { Field } from '../../../ui/field'
import { PasswordInput } from '../../../ui/input'
import { PasswordChecklist } from './password-checklist'

/** A new password and its confirmation, within a form's context. */
export function NewPasswordFields() {
  const { register, watch, formState } = useFormContext<{ password: string; confirmation: string }>()
  const { errors, isSubmitted } = formState
  return (
    <>
      <div className="grid gap-2">
        <Field label="New password" error={errors.password?.message} required>
          <PasswordInput
            autoComplete="new-password"
            {...register('password', {
              validate: (value) => newPasswordProblem(value) ?? true,
              deps: isSubmitted ? ['confirmation'] : [],
            })}
          />
        </Field>
        <PasswordChecklist password={watch('password')} />
      </div>
      <Field label="Confirm new password" error={errors.confirmation?.message} required>
        <PasswordInput
          autoComplete="new-password"
          {...register('confirmation', {
            validate: (value, { password }) => value === password || 'Passwords do not match',
          })}
        />
      </Field>
    </>
  )
}
