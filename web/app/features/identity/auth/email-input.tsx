import { Input, type InputProps } from '../../../ui/input'

/** An email field. For account emails, set `autoComplete` to 'username'. */
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
