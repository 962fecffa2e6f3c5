import { ArrowRight } from 'lucide-react'
import { pageMeta } from '../features/shell/page-meta'
import { paths } from '../paths'
import { useCarriedReferral } from '../referral-code'
import { StatusBadge } from '../ui/badge'
import { ButtonLink } from '../ui/button'

export const meta = () =>
  pageMeta(
    'Automate your X outreach with AI',
    'Find the followers worth talking to, write one message, and let X-Automated send it at a human pace.',
  )

const steps = [
  {
    title: 'Find people',
    words: 'Name a handle. We read its followers and keep those who match your bounds and keywords.',
  },
  {
    title: 'Write once',
    words: 'One message with placeholders. Everyone reads their own name, not a mail merge.',
  },
  {
    title: 'Send at your pace',
    words: 'One direct message per lead, never two, within the limits you set. Watch replies come in.',
  },
]

/** The landing page. */
export default function Home() {
  const carry = useCarriedReferral()
  return (
    <>
      <section className="page-width grid items-center gap-12 py-16 md:py-24 lg:grid-cols-2 lg:gap-20">
        <div className="grid justify-items-start gap-6">
          <h1 className="text-4xl md:text-5xl">Automate your X outreach with AI</h1>
          <p className="max-w-md text-lg text-muted">
            Find the followers worth talking to, write one message, and let it go out one by one, at a human pace.
          </p>
          <ButtonLink to={carry(paths.signUp)} variant="primary" size="lg">
            Sign Up Now
            <ArrowRight aria-hidden />
          </ButtonLink>
        </div>
        <Preview />
      </section>
      <section className="border-t border-line bg-sunken">
        <ol className="page-width grid gap-10 py-16 md:grid-cols-3 md:py-20">
          {steps.map(({ title, words }, index) => (
            <li key={title} className="grid content-start gap-2">
              <span className="text-accent-word font-strong" data-numeric>
                {index + 1}
              </span>
              <h2 className="text-lg">{title}</h2>
              <p className="max-w-sm text-base text-muted">{words}</p>
            </li>
          ))}
        </ol>
      </section>
    </>
  )
}

const figures = [
  ['Messages sent', '327'],
  ['Response rate', '43%'],
  ['Conversions', '18'],
]

const rows = [
  { name: 'Maya Okafor', handle: '@mayabuilds', status: 'replied' },
  { name: 'Jonas Lindqvist', handle: '@jonaslq', status: 'delivered' },
  { name: 'Priya Raman', handle: '@priyaships', status: 'sent' },
  { name: 'Tomás Vidal', handle: '@tomasvidal', status: 'queued' },
] as const

/** A picture of a running campaign; the figures are those of the specification's preview. */
function Preview() {
  return (
    <figure
      aria-label="Preview of a campaign: 327 messages sent, 43% response rate, 18 conversions"
      className="overflow-hidden rounded-xl border border-line bg-surface shadow-md"
    >
      <div aria-hidden>
        <div className="flex items-center justify-between gap-4 border-b border-line px-5 py-4">
          <p className="truncate font-strong">Founders who follow @indiehackers</p>
          <StatusBadge status="active" />
        </div>
        <div className="grid grid-cols-3 divide-x divide-line border-b border-line">
          {figures.map(([label, value]) => (
            <div key={label} className="grid content-start gap-0.5 px-3 py-4 sm:px-5">
              <p className="text-xs text-muted">{label}</p>
              <p className="text-2xl font-strong" data-numeric>
                {value}
              </p>
            </div>
          ))}
        </div>
        <ul>
          {rows.map(({ name, handle, status }) => (
            <li key={handle} className="flex items-center gap-3 border-b border-line px-5 py-3 last:border-b-0">
              <span className="flex size-8 shrink-0 items-center justify-center rounded-full bg-pressed text-xs font-strong text-muted">
                {name.slice(0, 1)}
              </span>
              <p className="grid min-w-0 flex-1">
                <span className="truncate font-strong">{name}</span>
                <span className="truncate text-xs text-muted">{handle}</span>
              </p>
              <StatusBadge status={status} />
            </li>
          ))}
        </ul>
      </div>
    </figure>
  )
}
