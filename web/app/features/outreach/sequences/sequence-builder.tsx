import { useQuery } from '@tanstack/react-query'
import {
  DELAY_MAX,
  ONLY_AGENCY,
  SEQUENCE_LIMITS,
  STEPS_MAX,
  stepsLimitText,
} from '@x-automated/contract/outreach/sequence-limits'
import { Ellipsis, Lock, Plus, Trash2 } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { api } from '../../../api'
import { Button, IconButton } from '../../../ui/button'
import { Menu, MenuItem } from '../../../ui/menu'
import { NumberInput } from '../../../ui/number-input'
import { toast } from '../../../ui/toast'
import { SeePlans } from '../../platform/billing/usage-notice'
import { lint, messagesOf } from './lint'
import { MessageEditor } from './message-editor'
import {
  addStep,
  addVariant,
  moveStep,
  type ReengagementDraft,
  removeStep,
  removeVariant,
  restoreStep,
  restoreVariant,
  type SequenceDraft,
  type StepDraft,
  shownVariant,
  type VariantDraft,
  withStep,
  withVariant,
} from './sequence-draft'
import { Numbered, StepCard } from './step-card'
import { stepName } from './step-text'
import { useReorder } from './use-reorder'
import type { SequenceEditor } from './use-sequence-draft'
import { Wait, WaitRow } from './wait-row'

/** The messages of a campaign: steps with variants, delays and conditions, and re-engagement. */
export function SequenceBuilder({ editor }: { editor: SequenceEditor }) {
  const { draft, change, problems } = editor
  const { steps, reengagement } = draft
  const locks = usePlanLocks(draft)
  const knowsReads = useQuery(api.replies.detection.queryOptions()).data?.state === 'live'
  const lockId = useId()
  const list = useRef<HTMLDivElement>(null)
  const [said, setSaid] = useState('')
  const messages = messagesOf(draft)
  const remarksOf = (key: string, text: string) =>
    lint(
      text,
      messages.slice(
        0,
        messages.findIndex((message) => message.key === key),
      ),
    )

  // The first field with a problem gets the focus.
  useEffect(() => {
    if (problems.size > 0) list.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problems])

  const move = (from: number, to: number) => {
    if (to < 0 || to >= steps.length) return
    change((now) => moveStep(now, from, to))
    setSaid(`Moved to place ${to + 1} of ${steps.length}.`)
  }
  const handleOf = useReorder(
    list,
    steps.map(({ key }) => key),
    move,
  )
  /** Focuses a message after the next change. */
  const focusNext = useFocus(list)
  const add = () => {
    change(addStep)
    focusNext((boxes) => boxes[steps.length])
  }
  const remove = (step: StepDraft, index: number) => {
    change((now) => removeStep(now, step.key))
    focusNext((boxes) => boxes[Math.max(0, index - 1)])
    undoable(`${stepName(index, steps.length)} removed.`, () => change((now) => restoreStep(now, step, index)))
  }
  const dropVariant = (step: StepDraft, variant: VariantDraft) => {
    const index = step.variants.indexOf(variant)
    change((now) => removeVariant(now, step, variant.key))
    undoable(`Variant ${variant.name} removed.`, () => change((now) => restoreVariant(now, step.key, variant, index)))
  }
  const changeReengagement = (next: ReengagementDraft | null) =>
    change((now: SequenceDraft) => ({ ...now, reengagement: next }))

  return (
    <div ref={list} className="grid grid-cols-1 gap-3">
      <ol className="grid grid-cols-1">
        {steps.map((step, index) => {
          const name = stepName(index, steps.length)
          const variant = shownVariant(step)
          return (
            <li key={step.key} data-step={step.key} className="relative isolate data-dragged:opacity-60">
              {(index < steps.length - 1 || reengagement) && <Line />}
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
                problem={problems.get(variant)}
                remarks={remarksOf(variant.key, variant.messageTemplate)}
                variantsLock={locks.variants}
                lockId={`${lockId}-variants`}
                onChange={(next) => change((now) => withStep(now, step.key, next))}
                onVariantChange={(key, next) => change((now) => withVariant(now, key, next))}
                onAddVariant={() => {
                  change((now) => addVariant(now, step))
                  focusNext((boxes) => boxes[index])
                }}
                onRemoveVariant={(one) => dropVariant(step, one)}
                onRemove={() => remove(step, index)}
                onMove={(to) => move(index, to)}
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
              remarks={remarksOf(reengagement.key, reengagement.messageTemplate)}
              onChange={changeReengagement}
              onRemove={() => {
                changeReengagement(null)
                undoable('Re-engagement removed.', () => changeReengagement(reengagement))
              }}
            />
          </li>
        )}
      </ol>
      <div className="grid gap-2 ps-10">
        <div className="flex flex-wrap gap-2">
          <Button
            size="sm"
            icon={locks.steps === null ? <Plus /> : <Lock />}
            disabled={locks.steps !== null}
            aria-describedby={locks.steps === null ? undefined : `${lockId}-steps`}
            onClick={add}
          >
            Add follow-up
          </Button>
          {!reengagement && (
            <Button
              size="sm"
              variant="ghost"
              icon={locks.reengagement === null ? <Plus /> : <Lock />}
              disabled={locks.reengagement !== null}
              aria-describedby={locks.reengagement === null ? undefined : `${lockId}-reengagement`}
              onClick={() => {
                changeReengagement({ key: crypto.randomUUID(), afterDays: 30, messageTemplate: '' })
                focusNext((boxes) => boxes[steps.length])
              }}
            >
              Add re-engagement
            </Button>
          )}
        </div>
        <Locks locks={locks} id={lockId} />
      </div>
      <p role="status" className="sr-only">
        {said}
      </p>
    </div>
  )
}

/** Connects the numbers of two messages. */
function Line() {
  return <span aria-hidden className="absolute inset-y-0 start-3.5 -z-1 w-px bg-line" />
}

/** Offers to undo the latest change. Replaces an earlier offer, which may no longer fit. */
export function undoable(text: string, onClick: () => void) {
  toast.info(text, { id: 'sequence-undo', replaces: true, action: { label: 'Undo', onClick } })
}

/** What the plan does not allow, as texts; null: it does. */
interface PlanLocks {
  steps: string | null
  variants: string | null
  reengagement: string | null
}

function usePlanLocks({ steps }: SequenceDraft): PlanLocks {
  const level = useQuery(api.billing.overview.queryOptions()).data?.level
  // Until it is known, nothing is locked: the server decides.
  if (!level)
    return { steps: steps.length < STEPS_MAX ? null : stepsLimitText('agency'), variants: null, reengagement: null }
  const limits = SEQUENCE_LIMITS[level]
  return {
    steps: steps.length < limits.steps ? null : stepsLimitText(level),
    variants: limits.hasVariants ? null : ONLY_AGENCY.variants,
    reengagement: limits.hasReengagement ? null : ONLY_AGENCY.reengagement,
  }
}

function Locks({ locks, id }: { locks: PlanLocks; id: string }) {
  const texts = Object.entries(locks).filter(([, text]) => text !== null)
  if (texts.length === 0) return null
  return (
    <div className="grid justify-items-start gap-2">
      <ul className="grid gap-1 text-xs text-muted">
        {texts.map(([name, text]) => (
          <li key={name} id={`${id}-${name}`}>
            {text}
          </li>
        ))}
      </ul>
      {locks.variants !== null && <SeePlans />}
    </div>
  )
}

interface ReengagementCardProps {
  reengagement: ReengagementDraft
  number: number
  problem: string | undefined
  remarks: ReturnType<typeof lint>
  onChange: (next: ReengagementDraft) => void
  onRemove: () => void
}

/** The last message, sent once if nothing happened since the one before. */
function ReengagementCard({ reengagement, number, problem, remarks, onChange, onRemove }: ReengagementCardProps) {
  const id = useId()
  const { afterDays, messageTemplate } = reengagement
  return (
    <>
      <Wait>
        <NumberInput
          aria-label="Days before re-engagement"
          className="w-14! text-center"
          min={1}
          max={DELAY_MAX.days}
          value={afterDays}
          onChange={(next) => onChange({ ...reengagement, afterDays: next })}
        />
        days, then send if nothing has happened
      </Wait>
      <Numbered number={number} isQuiet>
        <div className="flex min-h-8 flex-wrap items-center gap-x-2">
          <label htmlFor={id} className="font-strong">
            Re-engagement
          </label>
          <span className="me-auto text-muted">sent once</span>
          <Menu trigger={<IconButton icon={<Ellipsis />} label="More for re-engagement" size="sm" />}>
            <MenuItem icon={<Trash2 />} onSelect={onRemove}>
              Remove re-engagement
            </MenuItem>
          </Menu>
        </div>
        <MessageEditor
          id={id}
          value={messageTemplate}
          onChange={(next) => onChange({ ...reengagement, messageTemplate: next })}
          placeholder="Hi {lead_name}, is this still on your mind?"
          problem={problem}
          remarks={remarks}
        />
      </Numbered>
    </>
  )
}

/** Focuses one of the messages after the next render. */
function useFocus(list: React.RefObject<HTMLElement | null>) {
  const choose = useRef<((boxes: HTMLElement[]) => HTMLElement | undefined) | null>(null)
  useEffect(() => {
    const chosen = choose.current?.([...(list.current?.querySelectorAll<HTMLElement>('textarea') ?? [])])
    choose.current = null
    chosen?.focus()
  })
  return (next: NonNullable<typeof choose.current>) => {
    choose.current = next
  }
}
