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
      <ul className="grid grid-cols-2 gap-3 md:gap-4 lg:grid-cols-4">
        {claims.map(({ value, text, hint, icon: Icon }) => (
          <li
            key={value}
            className="grid min-w-0 grid-cols-1 content-start gap-1 rounded-lg border border-line bg-surface p-4"
          >
            <p className="flex items-start justify-between gap-2 text-2xl font-strong" data-numeric>
              {value}
              <Icon aria-hidden className="mt-2 size-4 shrink-0 text-muted" />
            </p>
            <p className="font-strong">{text}</p>
            <p className="text-muted">{hint}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
