import { Input, type InputProps } from '../../ui/input'

/** An address of mail, typed. Name the `autoComplete` where the address is that of an account: 'username'. */
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
