import { CalendarDays, Clock, MessageCircleReply, Send } from 'lucide-react'
import { StatCard } from '../../ui/stat-card'

const claims = [
  { value: '15+ hours', label: 'Saved weekly', hint: 'of searching, copying and pasting', icon: Clock },
  { value: '500 DMs', label: 'Up to, per day', hint: 'from one X account', icon: Send },
  { value: '15k DMs', label: 'About, per month', hint: 'at that pace', icon: CalendarDays },
  { value: '3x higher', label: 'Response rate', hint: 'than one text for everybody', icon: MessageCircleReply },
]

/** What it brings, in four figures (specification §1). */
export function Claims() {
  return (
    <section aria-label="What it brings" className="page-width pb-16 md:pb-24">
      <dl className="grid grid-cols-2 gap-3 md:gap-4 lg:grid-cols-4">
        {claims.map(({ icon: Icon, ...claim }) => (
          <StatCard key={claim.label} {...claim} icon={<Icon aria-hidden />} />
        ))}
      </dl>
    </section>
  )
}
