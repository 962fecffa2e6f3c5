import { formatCount } from '@x-automated/contract/format'
import { stepsLimitText } from '@x-automated/contract/outreach/sequence-limits'
import type { Draft, DraftsDone } from '@x-automated/contract/outreach/writer'
import { faultText, WRITER_GOALS, WRITER_TONES } from '@x-automated/contract/outreach/writer-text'
import { Sparkles } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Sheet } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Input, Textarea } from '../../../ui/input'
import { lengthProps } from '../../../ui/length-props'
import { Segments } from '../../../ui/segments'
import { Select } from '../../../ui/select'
import { SkeletonText } from '../../../ui/skeleton'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { SeePlans } from '../../platform/billing/usage-notice'
import { delayText } from '../sequences/step-text'
import { useSequenceLimits } from '../sequences/use-sequence-limits'
import { ConnectModel } from './connect-model'
import { LANGUAGES } from './languages'
import { useDrafts } from './use-drafts'
import { useModel } from './use-model'
import { BuiltIn, costText, writerProblem } from './writer-text'

type DraftedStep = Extract<Draft, { steps: unknown }>['steps'][number]

interface DraftSheetProps extends ControlledDialogProps {
  /** What to write. */
  kind: 'message' | 'sequence'
  /** Inserts a message (one step) or a sequence. */
  onInsert: (steps: readonly DraftedStep[]) => void
}

const LENGTHS = [
  { value: '200', label: 'Short' },
  { value: '350', label: 'Medium' },
  { value: '500', label: 'Long' },
] as const
const OTHER = 'other'
/** Maximum length of a goal and of an audience, in characters. */
const BRIEF_MAX = 500

const EMPTY_BRIEF = {
  goal: 'conversation',
  ownGoal: '',
  audience: '',
  tone: 'friendly',
  language: 'English',
  length: '350',
}

/** Drafts a message or a sequence from the user's brief. */
export function DraftSheet({ kind, onInsert, ...dialog }: DraftSheetProps) {
  const [brief, setBrief] = useState(EMPTY_BRIEF)
  const drafting = useDrafts()
  const submit = useRef<HTMLButtonElement>(null)
  const model = useModel()
  const hasModel = Boolean(model)
  const isWriting = drafting.status === 'writing'
  const change = (part: Partial<typeof brief>) => setBrief((before) => ({ ...before, ...part }))
  const goal = brief.goal === OTHER ? brief.ownGoal.trim() : brief.goal
  const ownGoal = lengthProps(goal, BRIEF_MAX)
  const audience = lengthProps(brief.audience, BRIEF_MAX)
  const isReady = goal !== '' && ownGoal.error === undefined && audience.error === undefined
  const write = () => {
    if (isWriting || !isReady) return
    void drafting.write({
      kind,
      goal,
      tone: brief.tone,
      maxLength: Number(brief.length),
      ...(brief.audience.trim() && { audience: brief.audience.trim() }),
      ...(hasModel && { language: brief.language }),
    })
  }
  return (
    <Sheet
      {...dialog}
      title={kind === 'message' ? 'Write a message' : 'Write a sequence'}
      description="Drafts to start from. You have the final say."
    >
      <Form
        name="brief"
        onSubmit={(event) => {
          // The sheet is inside the campaign's form, which must not be submitted.
          event.stopPropagation()
          write()
        }}
      >
        <Field label="Goal">
          <Select
            options={[
              ...Object.entries(WRITER_GOALS).map(([value, label]) => ({ value, label })),
              ...(hasModel ? [{ value: OTHER, label: 'Something else' }] : []),
            ]}
            value={brief.goal}
            onChange={(event) => change({ goal: event.currentTarget.value })}
          />
        </Field>
        {brief.goal === OTHER && (
          <Field label="Your goal" required {...ownGoal}>
            <Textarea
              rows={2}
              placeholder="Find five people to test our mobile app"
              value={brief.ownGoal}
              onChange={(event) => change({ ownGoal: event.currentTarget.value })}
            />
          </Field>
        )}
        <Field label="Audience (optional)" {...audience}>
          <Input
            autoComplete="off"
            placeholder="Founders of small SaaS companies"
            value={brief.audience}
            onChange={(event) => change({ audience: event.currentTarget.value })}
          />
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Tone">
            <Select
              options={Object.entries(WRITER_TONES).map(([value, label]) => ({ value, label }))}
              value={brief.tone}
              onChange={(event) => change({ tone: event.currentTarget.value })}
            />
          </Field>
          {hasModel && (
            <Field label="Language">
              <Select
                options={LANGUAGES.map((value) => ({ value, label: value }))}
                value={brief.language}
                onChange={(event) => change({ language: event.currentTarget.value })}
              />
            </Field>
          )}
        </div>
        <Segments
          label="Length"
          options={LENGTHS}
          value={brief.length as (typeof LENGTHS)[number]['value']}
          onChange={(length) => change({ length })}
        />
        <div className="flex flex-wrap gap-2">
          <Button
            ref={submit}
            type="submit"
            variant={drafting.status === 'idle' ? 'primary' : 'secondary'}
            icon={<Sparkles />}
            disabled={!isReady}
            loading={isWriting}
          >
            {isWriting ? 'Writing…' : drafting.status === 'idle' ? 'Write three drafts' : 'Write three more'}
          </Button>
          {isWriting && (
            <Button
              variant="ghost"
              onClick={() => {
                drafting.cancel()
                submit.current?.focus()
              }}
            >
              Cancel
            </Button>
          )}
        </div>
        {model === null && <ConnectModel what="The built-in writer offers six goals, in English only." />}
      </Form>
      <div className="grid gap-4 pt-6" aria-live="polite" aria-busy={isWriting || undefined}>
        {drafting.status === 'failed' && <Callout tone="bad">{writerProblem(drafting.error)}</Callout>}
        {drafting.done && <Outcome done={drafting.done} hasModel={hasModel} />}
        {drafting.drafts.length > 0 && (
          <Drafts
            drafts={drafting.drafts}
            onInsert={(steps) => {
              onInsert(steps)
              dialog.onClose()
            }}
          />
        )}
        {isWriting && drafting.drafts.length < 3 && <SkeletonText lines={3} />}
      </div>
    </Sheet>
  )
}

/** Who wrote the drafts, why the model did not, and what they cost. */
function Outcome({ done: { source, fault, usage }, hasModel }: { done: DraftsDone; hasModel: boolean }) {
  return (
    <div className="grid gap-3">
      {fault && hasModel && (
        <Callout tone="warn">
          {faultText(fault)} {source === 'built_in' ? 'These are built-in suggestions instead.' : ''}
        </Callout>
      )}
      {source === 'built_in' ? (
        <BuiltIn />
      ) : (
        <p className="text-xs text-muted" data-numeric>
          {formatCount(usage.tokens, 'token')}
          {usage.cents !== null && `, ${costText(usage.cents)}`}
        </p>
      )}
    </div>
  )
}

const stepsOf = (draft: Draft): readonly DraftedStep[] => ('steps' in draft ? draft.steps : [draft])

function Drafts({ drafts, onInsert }: { drafts: readonly Draft[]; onInsert: DraftSheetProps['onInsert'] }) {
  const planLimits = useSequenceLimits()
  const stepsMax = planLimits?.limits.steps ?? Number.POSITIVE_INFINITY
  const isCut = drafts.some((draft) => stepsOf(draft).length > stepsMax)
  return (
    <>
      {planLimits && isCut && (
        <Callout action={<SeePlans />}>
          {stepsLimitText(planLimits.plan, planLimits.limits)} The messages after that are left out.
        </Callout>
      )}
      <ol className="grid gap-4" aria-label="Drafts">
        {drafts.map((draft, index) => {
          const steps = stepsOf(draft).slice(0, stepsMax)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: drafts are only added
            <li key={index} className="grid gap-3 rounded-lg border border-line p-4">
              {steps.map(({ text, delay }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: steps never move
                <div key={at} className="grid gap-1">
                  {delay && <p className="text-xs text-muted">{delayText(delay)} later, if no reply</p>}
                  <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
                    {text}
                  </p>
                </div>
              ))}
              <div>
                <Button size="sm" onClick={() => onInsert(steps)}>
                  {steps.length > 1 ? 'Use this sequence' : 'Use this draft'}
                  <span className="sr-only"> {index + 1}</span>
                </Button>
              </div>
            </li>
          )
        })}
      </ol>
    </>
  )
}
