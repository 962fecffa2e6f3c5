import { formatCount, formatNumber } from '@x-automated/contract/format'
import type { FirstSteps as Found } from '@x-automated/contract/overview/first-steps'
import { ArrowRight, Check, X } from 'lucide-react'
import { lazy } from 'react'
import { ButtonLink, IconButton } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { cn } from '../../../ui/cn'
import { useIsOffered } from '../../identity/people/use-role'
import { stepText } from './step-text'
import { hasOwnLeads, hasVisibleSteps, useFirstSteps } from './use-first-steps'

const SampleOffer = lazy(() => import('../sample-data/sample-offer'))

/** Onboarding steps. Hidden once they are all done or dismissed, and from viewers. */
export function FirstSteps() {
  const mayWork = useIsOffered('member')
  const mayConnect = useIsOffered('admin')
  const mayLoad = useIsOffered('owner')
  const { found: firstSteps, dismiss } = useFirstSteps()
  if (!mayWork) return null
  if (!firstSteps || !hasVisibleSteps(firstSteps)) return null
  const next = firstSteps.steps.find(({ done }) => !done)
  const doneCount = firstSteps.steps.filter(({ done }) => done).length
  return (
    <Card
      className="[&>:first-child]:flex-nowrap"
      title="First steps"
      description={
        doneCount === 0
          ? '4 steps, about 15 minutes.'
          : `${formatNumber(doneCount)} of ${formatCount(firstSteps.steps.length, 'step')} done.`
      }
      actions={<IconButton icon={<X />} label="Hide first steps" size="sm" onClick={dismiss} />}
    >
      <div aria-hidden className="-mt-1 mb-3 grid auto-cols-fr grid-flow-col gap-1">
        {firstSteps.steps.map(({ step, done }) => (
          <span key={step} className={cn('h-1 rounded-full', done ? 'bg-accent-pressed' : 'bg-pressed')} />
        ))}
      </div>
      <ol className="grid gap-1">
        {firstSteps.steps.map((item, index) => (
          <Step key={item.step} {...item} number={index + 1} isNext={item === next} mayConnect={mayConnect} />
        ))}
      </ol>
      {!firstSteps.hasSampleData && !hasOwnLeads(firstSteps) && mayLoad && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 pt-3">
          <span className="min-w-0 flex-1 basis-48 text-muted">Or look around first with made-up people.</span>
          <SampleOffer size="sm" />
        </div>
      )}
    </Card>
  )
}

interface StepProps {
  step: Found['steps'][number]['step']
  done: boolean
  number: number
  isNext: boolean
  mayConnect: boolean
}

function Step({ step, done, number, isNext, mayConnect }: StepProps) {
  const { title, text, action, to, needs } = stepText[step]
  const isTheirs = needs !== 'admin' || mayConnect
  return (
    <li
      aria-current={isNext ? 'step' : undefined}
      className="-mx-2 flex flex-wrap items-center gap-x-4 gap-y-3 rounded-md px-2 py-1.5 aria-[current=step]:bg-sunken aria-[current=step]:py-3"
    >
      <span
        data-numeric
        className={cn(
          'flex size-6 shrink-0 items-center justify-center rounded-full border text-xs font-strong [&_svg]:size-3.5',
          done && 'border-accent-edge bg-accent text-accent-ink',
          !done && (isNext ? 'self-start border-ink bg-ink text-inverse' : 'border-control text-muted'),
        )}
      >
        {done ? <Check aria-hidden /> : number}
      </span>
      <span className="grid min-w-0 flex-1 basis-48">
        <span className={cn(isNext ? 'font-strong' : 'text-muted')}>
          {title}
          {done && <span className="sr-only"> (done)</span>}
        </span>
        {isNext && <span className="text-muted">{isTheirs ? text : 'An admin needs to do this.'}</span>}
      </span>
      {!done && isTheirs && (
        <ButtonLink
          to={to}
          size="sm"
          variant={isNext ? 'primary' : 'ghost'}
          icon={isNext ? <ArrowRight aria-hidden /> : undefined}
          className={cn('max-sm:ms-10', !isNext && 'max-sm:hidden')}
        >
          {action}
        </ButtonLink>
      )}
    </li>
  )
}
