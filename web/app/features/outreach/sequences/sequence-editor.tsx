import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import type { Sequence } from '@x-automated/contract/outreach/sequences'
import { useRef, useState } from 'react'
import { generatePath, Link, useNavigate } from 'react-router'
import { api, client, errorCode, errorText } from '../../../api'
import { paths } from '../../../paths'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { RadioGroup } from '../../../ui/choice'
import { Form } from '../../../ui/form'
import { PageHeader } from '../../../ui/page-header'
import { toast } from '../../../ui/toast'
import { discardTyped } from '../../../ui/use-typed-text'
import { useIsOffered } from '../../identity/people/use-role'
import { useFailureToast } from '../../platform/billing/use-failure-toast'
import { MessagePreview } from '../campaigns/message-preview'
import { BUILDER_HEADER, BuilderActions, BuilderColumns } from './builder-layout'
import { conversationOf } from './conversation'
import { LaunchLimit } from './plan-locks'
import { type ApplyTo, Reach } from './reach'
import { SequenceBuilder } from './sequence-builder'
import { draftOf, firstChange, missingText, reengagementInput, stepInputs } from './sequence-draft'
import { undoable } from './undoable'
import { useSequenceDraft } from './use-sequence-draft'

const APPLY_TO = [
  { value: 'unpassed', label: "Everyone who hasn't been sent the changed step" },
  { value: 'unstarted', label: "Only people who haven't been sent anything" },
] as const satisfies readonly { value: ApplyTo; label: string }[]

interface SequenceEditorFormProps {
  campaign: Campaign
  sequence: Sequence
}

/** Edits the messages of a campaign, even while it runs. */
export function SequenceEditorForm({ campaign, sequence }: SequenceEditorFormProps) {
  const { id, leadListId, status, totalLeadsInList } = campaign
  const queries = useQueryClient()
  const navigate = useNavigate()
  const showFailure = useFailureToast()
  const mayChange = useIsOffered('member')
  const form = useRef<HTMLFormElement>(null)
  const [base, setBase] = useState(sequence)
  const editor = useSequenceDraft(() => draftOf(sequence))
  const [applyTo, setApplyTo] = useState<ApplyTo>('unpassed')
  /** The sequence that someone else has saved in the meantime. */
  const [newer, setNewer] = useState<Sequence | null>(null)
  const { draft } = editor
  const changed = firstChange(draftOf(base), draft)
  const missing = missingText(draft)
  const isOver = status === 'completed' || status === 'archived'
  const campaignPath = generatePath(paths.campaign, { campaignId: id })

  const save = useMutation({
    mutationFn: () =>
      client.sequences.save({
        id,
        version: base.version,
        steps: stepInputs(draft),
        reengagement: reengagementInput(draft),
        applyTo,
      }),
    async onSuccess(saved) {
      queries.setQueryData(api.sequences.find.queryKey({ input: { id } }), saved)
      toast.success('Messages saved.')
      await Promise.all([
        queries.invalidateQueries({ queryKey: api.campaigns.key() }),
        queries.invalidateQueries({ queryKey: api.sequences.key() }),
      ])
      void navigate(campaignPath)
    },
    async onError(error) {
      if (errorCode(error) === 'SEQUENCE_CHANGED') {
        const latest = await client.sequences.find({ id }).catch(() => null)
        if (latest) return setNewer(latest)
      }
      if (!editor.show(error)) showFailure(error, `Failed to save the messages: ${errorText(error)}`)
    },
  })

  const keepOwnVersion = () => {
    if (newer) setBase(newer)
    setNewer(null)
  }
  const loadTheirVersion = () => {
    if (!newer) return
    keepOwnVersion()
    editor.reset(draftOf(newer))
    undoable('Latest version loaded.', () => editor.reset(draft))
  }

  const header = <PageHeader title="Edit messages" description={<Link to={campaignPath}>{campaign.name}</Link>} />
  if (isOver || !mayChange)
    return (
      <>
        {header}
        {isOver && <Callout>{`This campaign is ${status}, so its messages can't be changed.`}</Callout>}
      </>
    )
  return (
    <Form
      ref={form}
      name="messages"
      className={`gap-6 ${BUILDER_HEADER}`}
      onSubmit={() => {
        if (changed !== null && missing === null && !save.isPending) save.mutate()
      }}
    >
      {header}
      <BuilderColumns
        messages={
          <fieldset disabled={save.isPending} className="min-w-0">
            <SequenceBuilder editor={editor} campaignId={id} />
          </fieldset>
        }
        preview={
          <MessagePreview
            messages={conversationOf(draft)}
            listId={leadListId ?? ''}
            xAccountId={campaign.xAccountId}
            campaignId={id}
          />
        }
        outcome={
          <>
            <h2 className="flex min-h-8 items-center font-strong">Change</h2>
            {changed === null && <p className="text-muted">Nothing is changed yet.</p>}
            <LaunchLimit campaign={campaign} draft={draft} />
            {totalLeadsInList > 0 && changed !== null && (
              <>
                <RadioGroup
                  label="Who gets the change"
                  options={APPLY_TO}
                  value={applyTo}
                  onChange={(value) => setApplyTo(value as ApplyTo)}
                />
                <Reach campaignId={id} changedStep={changed} savedSteps={base} applyTo={applyTo} />
              </>
            )}
            {missing && <p className="text-muted">{missing}</p>}
            {newer && (
              <Callout
                tone="warn"
                title="Someone else has changed these messages"
                action={
                  <span className="flex flex-wrap gap-2">
                    <Button size="sm" onClick={loadTheirVersion}>
                      Load their version
                    </Button>
                    <Button size="sm" variant="ghost" onClick={keepOwnVersion}>
                      Keep mine
                    </Button>
                  </span>
                }
              >
                Your text is still here. Load their version, or keep yours and save again to replace theirs.
              </Callout>
            )}
          </>
        }
      />
      <BuilderActions>
        <ButtonLink variant="ghost" to={campaignPath} onClick={() => discardTyped(form.current)}>
          Cancel
        </ButtonLink>
        <Button
          type="submit"
          variant="primary"
          disabled={changed === null || missing !== null || newer !== null}
          loading={save.isPending}
        >
          Save messages
        </Button>
      </BuilderActions>
    </Form>
  )
}
