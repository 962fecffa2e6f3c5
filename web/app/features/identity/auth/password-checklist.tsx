import { PASSWORD_RULES } from '@x-automated/contract/identity/password-rules'
import { Check, Dot } from 'lucide-react'
import { cn } from '../../../ui/cn'

/** Password rules that are ticked off while the user types. */
export function PasswordChecklist({ password }: { password: string }) {
  return (
    <ul aria-label="Password requirements" className="grid grid-cols-2 gap-x-4 gap-y-1 text-xs">
      {PASSWORD_RULES.map(({ text, met }) => {
        const done = met(password)
        const Icon = done ? Check : Dot
        return (
          <li key={text} className={cn('flex items-center gap-1.5', done ? 'text-good' : 'text-muted')}>
            <Icon aria-hidden className="size-3.5 shrink-0" />
            {text}
            <span className="sr-only">{done ? ' (done)' : ' (missing)'}</span>
          </li>
        )
      })}
    </ul>
  )
}
