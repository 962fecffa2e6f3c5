import { useQueryClient } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import { Check, ChevronUp, Circle, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../../api'
import { localStorage } from '../../../browser-storage'
import { paths } from '../../../paths'
import { IconButton } from '../../../ui/button'
import { useIsOffered } from '../../identity/people/use-role'
import SampleOffer from '../sample-data/sample-offer'
import { stepText } from './step-text'
import { hasOwnLeads, isDocked, useFirstSteps } from './use-first-steps'

/** Key in local storage: whether the list is expanded. */
const OPEN_KEY = 'firstStepsOpen'

/** First steps in the sidebar and the phone menu, until the first message is sent. */
export default function DockedSteps({ onFollow }: { onFollow?: () => void }) {
  const queries = useQueryClient()
  const { found: firstSteps, dismiss } = useFirstSteps()
  // Any change on this page may complete a step.
  useEffect(
    () =>
      queries.getMutationCache().subscribe((event) => {
        if (event.type === 'updated' && event.action.type === 'success')
          void queries.invalidateQueries({ queryKey: api.firstSteps.key() })
      }),
    [queries],
  )
  const mayConnect = useIsOffered('admin')
  const [isOpen, setOpen] = useState(() => localStorage.getItem(OPEN_KEY) !== null)
  if (!firstSteps || !isDocked(firstSteps)) return null
  const doneCount = firstSteps.steps.filter(({ done }) => done).length
  const next = firstSteps.steps.find(({ done }) => !done)
  const isTheirs = next === undefined || stepText[next.step].needs !== 'admin' || mayConnect
  const toggle = () => {
    if (isOpen) localStorage.removeItem(OPEN_KEY)
    else localStorage.setItem(OPEN_KEY, 'true')
    setOpen(!isOpen)
  }
  return (
    <section
      aria-label="First steps"
      className="grid grid-cols-1 gap-1 rounded-md border border-line bg-raised p-1 rail:hidden"
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={toggle}
        className="flex min-h-8 items-center gap-2 rounded-sm px-2 text-start font-strong hover:bg-hover pointer-coarse:min-h-11"
      >
        <span className="flex-1 truncate">First steps</span>
        <span className="text-muted text-xs" data-numeric>
          {formatNumber(doneCount)} of {formatNumber(firstSteps.steps.length)}
        </span>
        <ChevronUp aria-hidden className={isOpen ? 'size-3.5 rotate-180 text-muted' : 'size-3.5 text-muted'} />
      </button>
      {isOpen && (
        <>
          <ol className="grid grid-cols-1">
            {firstSteps.steps.map(({ step, done }) => (
              <li key={step} aria-current={next?.step === step ? 'step' : undefined}>
                <Link
                  to={stepText[step].to}
                  onClick={onFollow}
                  className={`flex min-h-8 items-center gap-2 rounded-sm px-2 hover:bg-hover pointer-coarse:min-h-11 [&_svg]:size-3.5 [&_svg]:shrink-0 ${done ? 'text-muted' : ''}`}
                >
                  {done ? <Check aria-hidden /> : <Circle aria-hidden className="text-faint" />}
                  <span className="truncate">{stepText[step].title}</span>
                  {done && <span className="sr-only">(done)</span>}
                </Link>
              </li>
            ))}
          </ol>
          {!firstSteps.hasSampleData && !hasOwnLeads(firstSteps) && (
            <div className="grid px-2 py-1 empty:hidden">
              <SampleOffer size="sm" />
            </div>
          )}
          <div className="flex items-center justify-between gap-2 ps-2">
            {next ? (
              <span className="text-muted text-xs">
                {isTheirs ? stepText[next.step].text : 'An admin needs to do this.'}
              </span>
            ) : (
              <Link to={paths.campaigns} onClick={onFollow} className="text-muted text-xs underline">
                Your campaign has started.
              </Link>
            )}
            <IconButton icon={<X />} label="Hide first steps" size="sm" onClick={dismiss} />
          </div>
        </>
      )}
    </section>
  )
}
