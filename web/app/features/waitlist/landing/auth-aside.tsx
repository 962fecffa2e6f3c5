import { formatNumber } from '@x-automated/contract/format'
import { PLAN_LEVELS } from '@x-automated/contract/platform/plans'
import { MessageSquareText, ShieldCheck, UserSearch } from 'lucide-react'

const { scrapedLeads, dms } = PLAN_LEVELS.free

const POINTS = [
  {
    icon: UserSearch,
    title: 'Find the right people',
    text: `By whom they follow and what their bio says. ${formatNumber(scrapedLeads)} a month are free.`,
  },
  {
    icon: MessageSquareText,
    title: 'Write to each of them',
    text: `With first names, and follow-ups on paid plans. ${formatNumber(dms)} messages a month are free.`,
  },
  {
    icon: ShieldCheck,
    title: 'Stop when they answer',
    text: 'A reply ends the follow-ups. No one who asks you to stop is messaged again.',
  },
]

/** Next to the form on wide screens: what the product does, and what is free. */
export function AuthAside() {
  return (
    <aside
      aria-label="What X-Automated does"
      className="grid gap-8 self-start rounded-xl border border-line bg-sunken p-8 max-lg:hidden"
    >
      <p className="text-xl font-strong text-balance">Outreach on X that reads as if you wrote each message.</p>
      <ul className="grid gap-6">
        {POINTS.map(({ icon: Icon, title, text }) => (
          <li key={title} className="flex gap-4">
            <span className="flex size-9 shrink-0 items-center justify-center rounded-lg border border-accent-edge bg-accent text-accent-ink">
              <Icon aria-hidden className="size-4" />
            </span>
            <span className="grid gap-0.5">
              <span className="font-strong">{title}</span>
              <span className="text-muted">{text}</span>
            </span>
          </li>
        ))}
      </ul>
    </aside>
  )
}
