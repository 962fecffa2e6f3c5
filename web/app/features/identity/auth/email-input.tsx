import { Input, type InputProps } from '../../../ui/input'

/** An email field. Set `autoComplete` to 'username' if it is the account's email. */
export function EmailInput(props: Omit<InputProps, 'type'>) {
  return (
    <Input
      autoComplete="email"
      inputMode="email"
      spellCheck={false}
      placeholder="you@company.com"
      {...props}
      type="email"
    />
  )
}
