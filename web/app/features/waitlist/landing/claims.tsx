import { CalendarDays, Clock, MessageCircleReply, Send } from 'lucide-react'

const claims = [
  { value: '15+ hours', text: 'saved every week', hint: 'no more searching, copying and pasting', icon: Clock },
  { value: 'Up to 500 DMs', text: 'a day', hint: 'from one X account', icon: Send },
  { value: 'About 15k DMs', text: 'a month', hint: 'at that pace', icon: CalendarDays },
  { value: '3x higher', text: 'response rate', hint: 'than one message for everyone', icon: MessageCircleReply },
]

/** Four numbers that sum up the benefit. */
export function Claims() {
  return (
    <section aria-label="Results" className="page-width pb-16 md:pb-24">
      <ul className="grid grid-cols-2 gap-x-6 gap-y-8 md:gap-x-10 lg:grid-cols-4">
        {claims.map(({ value, text, hint, icon: Icon }) => (
          <li key={value} className="grid min-w-0 grid-cols-1 content-start gap-1 border-t border-line pt-5">
            <Icon aria-hidden className="mb-2 size-5 text-muted" />
            <p className="text-2xl font-strong" data-numeric>
              {value}
            </p>
            <p className="font-strong">{text}</p>
            <p className="text-muted">{hint}</p>
          </li>
        ))}
      </ul>
      <p className="pt-8 text-muted">
        Time saved and response rates are examples. Yours depend on whom you write to and what you say. 15k DMs a month
        need the Agency plan.
      </p>
    </section>
  )
}
