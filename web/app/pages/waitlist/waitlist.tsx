import { BarChart3, Bot, Split, UserSearch } from 'lucide-react'
import { useSearchParams } from 'react-router'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { WaitlistCount } from '../../features/waitlist/waitlist/waitlist-count'
import { WaitlistPanel } from '../../features/waitlist/waitlist/waitlist-panel'
import { Callout } from '../../ui/callout'
import { useHydrated } from '../../ui/use-hydrated'

const text = 'Be among the first to experience the next generation of X DM automation'

export const meta = () => pageMeta('Join the waitlist', `${text}.`)

const chips = [
  { label: 'DM Automation', icon: Bot },
  { label: 'Advanced Analytics', icon: BarChart3 },
  { label: 'A/B Testing', icon: Split },
  { label: 'Lead Scraping', icon: UserSearch },
]

/** The waitlist. */
export default function Waitlist() {
  return (
    <div className="page-width grid gap-6 py-10 md:py-20">
      <ConfirmationNotice />
      <div className="grid items-center gap-8 lg:grid-cols-2 lg:gap-20">
        <div className="grid justify-items-start gap-6">
          <h1 className="text-4xl md:text-5xl">Join the waitlist</h1>
          <p className="max-w-md text-lg text-muted">{text}</p>
          <ul aria-label="Planned features" className="flex flex-wrap gap-2">
            {chips.map(({ label, icon: Icon }) => (
              <li
                key={label}
                className="flex items-center gap-2 rounded-full border border-line bg-sunken px-3 py-1.5 [&>svg]:size-4 [&>svg]:text-muted"
              >
                <Icon aria-hidden />
                {label}
              </li>
            ))}
          </ul>
          <WaitlistCount />
        </div>
        <WaitlistPanel />
      </div>
    </div>
  )
}

/** The result of a confirmation link, which redirects to /waitlist with `confirmed` or `error`. */
function ConfirmationNotice() {
  const [params] = useSearchParams()
  if (!useHydrated()) return null
  if (params.has('confirmed')) return <Callout tone="good">Your email address is confirmed.</Callout>
  if (params.get('error') === 'INVALID_CODE') return <Callout tone="bad">This link is invalid or has expired.</Callout>
  return null
}
