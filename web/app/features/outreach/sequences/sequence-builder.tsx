import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { api } from '../../../api'
import { Button } from '../../../ui/button'
import { SequenceWriter } from '../writer/sequence-writer'
import { lint, messagesOf } from './lint'
import { Locks, usePlanLocks } from './plan-locks'
import { ReengagementCard } from './reengagement-card'
import { openVariant, withStep, withVariant } from './sequence-draft'
import { StepCard } from './step-card'
import { stepName } from './step-text'
import { useReorder } from './use-reorder'
import { useSequenceActions } from './use-sequence-actions'
import type { SequenceEditor } from './use-sequence-draft'
import { useTypedSequence } from './use-typed-sequence'
import { WaitRow } from './wait-row'

interface SequenceBuilderProps {
  editor: SequenceEditor
  /** True for a template, which cannot have re-engagement. */
  ofTemplate?: boolean
  /** The id of a saved campaign. */
  campaignId?: string
}

/** Edits a campaign's messages: steps with variants, delays and conditions, and re-engagement. */
export function SequenceBuilder({ editor, ofTemplate = false, campaignId }: SequenceBuilderProps) {
  const { draft, change, problems } = editor
  const { steps, reengagement } = draft
  const planLocks = usePlanLocks(draft)
  const locks = ofTemplate ? { ...planLocks, reengagement: null } : planLocks
  const list = useRef<HTMLDivElement>(null)
  const actions = useSequenceActions(editor, list)
  const knowsReads = useQuery(api.replies.detection.queryOptions()).data?.state === 'live'
  const remarksOf = remarksIn(editor)
  const handleOf = useReorder(
    list,
    steps.map(({ key }) => key),
    actions.move,
  )

  useTypedSequence(editor)

  // The first field with a problem gets the focus.
  useEffect(() => {
    if (problems.size > 0) list.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problems])

  return (
    <div ref={list} data-not-stored className="grid grid-cols-1 gap-4">
      <ol className="grid grid-cols-1">
        {steps.map((step, index) => {
          const name = stepName(index, steps.length)
          const variant = openVariant(step)
          return (
            <li key={step.key} data-step={step.key} className="data-dragged:opacity-60">
              {index > 0 && (
                <WaitRow
                  step={step}
                  name={name}
                  problem={problems.get(step.delay)}
                  knowsReads={knowsReads}
                  onChange={(next) => change((now) => withStep(now, step.key, next))}
                />
              )}
              <StepCard
                step={step}
                index={index}
                count={steps.length}
                name={name}
                isLast={index === steps.length - 1 && !reengagement}
                problem={problems.get(variant)}
                remarks={remarksOf(variant)}
                campaignId={campaignId}
                hasVariants={locks.variants === null}
                onChange={(next) => change((now) => withStep(now, step.key, next))}
                onVariantChange={(key, next) => change((now) => withVariant(now, key, next))}
                onAddVariant={() => actions.addVariant(step, index)}
                onRemoveVariant={(removed) => actions.removeVariant(step, removed)}
                onRemove={() => actions.remove(step, index)}
                onMove={(to) => actions.move(index, to)}
                handle={handleOf(step.key)}
              />
            </li>
          )
        })}
        {reengagement && (
          <li>
            <ReengagementCard
              reengagement={reengagement}
              number={steps.length + 1}
              problem={problems.get(reengagement)}
              remarks={remarksOf(reengagement)}
              campaignId={campaignId}
              onChange={actions.changeReengagement}
              onRemove={actions.removeReengagement}
            />
          </li>
        )}
      </ol>
      <div className="grid gap-2 ps-10">
        <div className="flex flex-wrap gap-2">
          {locks.steps === null && (
            <Button size="sm" icon={<Plus />} onClick={actions.add}>
              Add follow-up
            </Button>
          )}
          {locks.reengagement === null && !reengagement && !ofTemplate && (
            <Button size="sm" variant="ghost" icon={<Plus />} onClick={actions.addReengagement}>
              Add re-engagement
            </Button>
          )}
          <SequenceWriter editor={editor} />
        </div>
        <Locks locks={locks} />
      </div>
      <p role="status" className="sr-only">
        {actions.announcement}
      </p>
    </div>
  )
}

/** Finds remarks about each message. The remarks also depend on earlier messages. */
function remarksIn({ draft }: SequenceEditor) {
  const messages = messagesOf(draft)
  return ({ key, messageTemplate }: { key: string; messageTemplate: string }) =>
    lint(
      messageTemplate,
      messages.slice(
        0,
        messages.findIndex((message) => message.key === key),
      ),
    )
}
