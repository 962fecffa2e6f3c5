import { OPENER_MAX, type Opener } from '@x-automated/contract/outreach/openers'
import { faultText } from '@x-automated/contract/outreach/writer-text'
import { Check, Pencil, RefreshCw, Undo2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { api, client, refusalText } from '../../../api'
import { Button, IconButton } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Textarea } from '../../../ui/input'
import { lengthProps } from '../../../ui/length-props'
import { Td, Tr } from '../../../ui/table'
import { toast } from '../../../ui/toast'
import { Tooltip } from '../../../ui/tooltip'
import { useAction } from '../../../use-action'
import { LeadName } from '../sequences/lead-name'
import { isUnread } from './opener-text'
import { useOnScreen } from './use-seen'
import { BuiltIn, writerProblem } from './writer-text'

interface OpenerRowProps {
  opener: Opener
  canChange: boolean
  /** Called once an unapproved opener has been visible. */
  onSeen: (opener: Opener) => void
  /** Called when the opener is approved, edited or withdrawn here. */
  onChanged: () => void
}

/** An opener with the facts that it uses. */
export function OpenerRow({ opener, canChange, onSeen, onChanged }: OpenerRowProps) {
  const { id, campaignId, lead, text, factsUsed, source, status, version } = opener
  const [draft, setDraft] = useState<string | null>(null)
  /** The version being edited. */
  const [edited, setEdited] = useState(version)
  const [problem, setProblem] = useState<string | null>(null)
  const sentence = useRef<HTMLDivElement>(null)
  const editButton = useRef<HTMLButtonElement>(null)
  const isFocusLost = useRef(false)
  const name = lead.name || `@${lead.twitterHandle}`
  useOnScreen(sentence, status === 'draft' ? `${id} ${version}` : null, () => onSeen(opener))
  const update = useAction(
    (change: { text?: string; isApproved?: boolean }) => client.openers.update({ id, ...change }),
    {
      onSuccess(updated, { text: sent }) {
        if (sent !== undefined && version === edited && updated.version > version + 1)
          toast.info('Someone else had just changed this opener. Your text replaced theirs.')
        onChanged()
        close()
      },
      onError: (error) => {
        const text = refusalText(error, 'Failed to change the opener. Please try again.')
        if (draft === null) toast.error(text)
        else setProblem(text)
      },
      refetches: [api.openers.list],
    },
  )
  const [refused, setRefused] = useState<number | null>(null)
  const approve = useAction(() => client.openers.approve({ id: campaignId, openers: [{ id, version }] }), {
    onSuccess: ({ approved }) => {
      setRefused(approved === 0 ? version : null)
      onChanged()
      close()
    },
    failed: 'Failed to change the opener. Please try again.',
    refetches: [api.openers.list],
  })
  const close = () => {
    isFocusLost.current = true
    setDraft(null)
    setProblem(null)
  }
  const isEditing = draft !== null
  // The focused button was removed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: these two remove it
  useEffect(() => {
    if (!isFocusLost.current || !editButton.current) return
    isFocusLost.current = false
    if (document.activeElement?.matches('body, main')) editButton.current.focus()
  }, [isEditing, status])
  const regenerate = useRegenerate(opener)
  const isBusy = approve.isPending || update.isPending || regenerate.isPending
  /** Not `disabled`, because a disabled button loses the focus. */
  const unlessBusy = (onClick: () => void) => ({
    'aria-disabled': isBusy || undefined,
    onClick: () => !isBusy && onClick(),
  })
  return (
    <Tr>
      <Td label="Person">
        <span className="flex flex-wrap items-baseline gap-x-2">
          <LeadName lead={lead} />
        </span>
      </Td>
      <Td label="Opener" className="md:w-1/2">
        <div ref={sentence} className="grid gap-2 text-start">
          {draft === null ? (
            status === 'failed' ? (
              <p className="text-muted">Nothing in this profile to write about. The fallback is sent.</p>
            ) : (
              <p dir="auto" className="wrap-anywhere">
                {text}
              </p>
            )
          ) : (
            <OpenerEditor
              id={id}
              name={name}
              draft={draft}
              problem={problem}
              newText={version === edited ? null : text}
              isSaving={update.isPending}
              onChange={setDraft}
              onSave={() => update.run({ text: draft.trim(), isApproved: true })}
              onCancel={close}
            />
          )}
          {!isEditing && isUnread(opener, refused) && (
            <p role="status" className="text-xs text-warn">
              Changed since you read it. Read it again before you approve it.
            </p>
          )}
          {source === 'built_in' && status !== 'failed' && <BuiltIn />}
        </div>
      </Td>
      <Td label="From the profile">
        <Facts facts={factsUsed} />
      </Td>
      <Td end>
        {canChange && !isEditing && (
          <div className="flex items-center justify-end gap-1">
            {status === 'draft' && (
              <Button size="sm" icon={<Check />} {...unlessBusy(() => approve.run())}>
                Approve<span className="sr-only"> the opener for {name}</span>
              </Button>
            )}
            {status === 'approved' && <Approved opener={opener} />}
            {status === 'approved' && (
              <RowButton
                label={`Withdraw the approval for ${name}`}
                icon={<Undo2 />}
                {...unlessBusy(() => update.run({ isApproved: false }))}
              />
            )}
            <RowButton
              ref={editButton}
              label={`Edit the opener for ${name}`}
              icon={<Pencil />}
              {...unlessBusy(() => {
                setDraft(text)
                setEdited(version)
              })}
            />
            <RowButton
              label={`Write the opener for ${name} again`}
              icon={<RefreshCw />}
              loading={regenerate.isPending}
              {...unlessBusy(() => regenerate.run())}
            />
          </div>
        )}
        {!canChange && status === 'approved' && <Approved opener={opener} />}
      </Td>
    </Tr>
  )
}

/** Rewrites an opener. Says so if the text is unchanged, or not by the model. */
function useRegenerate({ id, version }: Opener) {
  return useAction(() => client.openers.regenerate({ id }), {
    onSuccess: (updated) => {
      const what = updated.fault ? faultText(updated.fault) : null
      if (updated.version === version)
        toast.info(`${what ?? 'The writer found no alternative.'} The opener is unchanged.`)
      else if (what) toast.info(`${what} This is a built-in suggestion instead.`)
    },
    onError: (error) => toast.error(writerProblem(error)),
    refetches: [api.openers.list],
  })
}

/** The parts of the profile that an opener uses. */
function Facts({ facts }: { facts: readonly string[] }) {
  if (facts.length === 0) return <span className="text-muted">Nothing</span>
  return (
    <ul className="grid gap-0.5 text-muted">
      {facts.map((fact) => (
        <li key={fact} className="wrap-anywhere">
          <q>{fact}</q>
        </li>
      ))}
    </ul>
  )
}

interface OpenerEditorProps {
  id: string
  /** The name of the person that the opener is written for. */
  name: string
  draft: string
  problem: string | null
  /** The text that someone else has saved in the meantime; null if none. */
  newText: string | null
  isSaving: boolean
  onChange: (draft: string) => void
  onSave: () => Promise<void>
  onCancel: () => void
}

function OpenerEditor({ id, name, draft, problem, newText, isSaving, onChange, onSave, onCancel }: OpenerEditorProps) {
  const length = lengthProps(draft, OPENER_MAX)
  const isReady = draft.trim() !== '' && length.error === undefined
  return (
    <Form
      name="opener"
      record={id}
      className="gap-2"
      onSubmit={() => {
        if (isReady && !isSaving) return onSave()
      }}
    >
      <Field label={`Opener for ${name}`} hideLabel {...length} error={length.error ?? problem ?? undefined}>
        <Textarea
          autoFocus
          value={draft}
          onChange={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && onCancel()}
        />
      </Field>
      {newText !== null && (
        <p role="status" className="text-xs wrap-anywhere text-warn">
          Someone else has changed this opener: “<bdi>{newText}</bdi>” Saving replaces it.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" variant="primary" type="submit" disabled={!isReady} loading={isSaving}>
          Save and approve
        </Button>
        <Button type="reset" size="sm" variant="ghost" disabled={isSaving} onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}

/** Who approved an opener. */
function Approved({ opener: { approvedBy, approvedAt } }: { opener: Opener }) {
  return (
    <span className="grid justify-items-end text-end">
      <span className="flex items-center gap-1.5 whitespace-nowrap text-good">
        <Check aria-hidden className="size-4" />
        Approved
      </span>
      {approvedAt && (
        <span className="text-xs text-muted">
          {approvedBy && <bdi>{approvedBy.name}, </bdi>}
          <DateTime value={approvedAt} precision="day" />
        </span>
      )}
    </span>
  )
}

function RowButton(props: React.ComponentProps<typeof IconButton>) {
  return (
    <Tooltip text={props.label}>
      <IconButton size="sm" {...props} />
    </Tooltip>
  )
}
