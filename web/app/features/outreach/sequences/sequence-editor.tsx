import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import type { Sequence } from '@x-automated/contract/outreach/sequences'
import { useEffect, useState } from 'react'
import { generatePath, useNavigate } from 'react-router'
import { api, client, errorCode, errorText } from '../../../api'
import { paths } from '../../../paths'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { RadioGroup } from '../../../ui/choice'
import { Form } from '../../../ui/form'
import { toast } from '../../../ui/toast'
import { useConfirmLeave } from '../../../ui/use-confirm-leave'
import { useIsOffered } from '../../identity/people/use-role'
import { useFailureToast } from '../../platform/billing/use-failure-toast'
import { MessagePreview } from '../campaigns/message-preview'
import { conversationOf } from './conversation'
import { LOSING_MESSAGES } from './leaving'
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
  const [base, setBase] = useState(sequence)
  const editor = useSequenceDraft(() => draftOf(sequence))
  const [applyTo, setApplyTo] = useState<ApplyTo>('unpassed')
  /** The sequence that someone else has saved meanwhile. */
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
    },
    async onError(error) {
      if (errorCode(error) === 'SEQUENCE_CHANGED') {
        const latest = await client.sequences.find({ id }).catch(() => null)
        if (latest) return setNewer(latest)
      }
      if (!editor.show(error)) showFailure(error, `Failed to save the messages: ${errorText(error)}`)
    },
  })
  const isSaved = save.isSuccess
  useConfirmLeave(changed !== null && !isSaved, LOSING_MESSAGES)
  // Runs after the effects of the hook above, which would ask for confirmation.
  useEffect(() => {
    if (isSaved) void navigate(campaignPath)
  }, [isSaved, navigate, campaignPath])

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

  if (isOver) return <Callout>{`This campaign is ${status}, so its messages can't be changed.`}</Callout>
  if (!mayChange) return null
  return (
    <Form
      className="gap-6"
      onSubmit={() => {
        if (changed !== null && missing === null && !save.isPending) save.mutate()
      }}
    >
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,22rem)]">
        <fieldset disabled={save.isPending} className="min-w-0">
          <h2 className="sr-only">Messages</h2>
          <SequenceBuilder editor={editor} campaignId={id} />
        </fieldset>
        <div className="min-w-0 lg:sticky lg:top-[calc(var(--spacing-header)+1rem)] lg:self-start">
          <MessagePreview
            messages={conversationOf(draft)}
            listId={leadListId ?? ''}
            xAccountId={campaign.xAccountId}
            campaignId={id}
          />
        </div>
      </div>
      <div className="grid gap-4 border-t border-line pt-5">
        <LaunchLimit campaign={campaign} draft={draft} />
        {totalLeadsInList > 0 && changed !== null && (
          <div className="grid gap-3">
            <RadioGroup
              label="Who gets the change"
              options={APPLY_TO}
              value={applyTo}
              onChange={(value) => setApplyTo(value as ApplyTo)}
            />
            <Reach campaignId={id} changedStep={changed} savedSteps={base} applyTo={applyTo} />
          </div>
        )}
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
        <div className="flex flex-col-reverse gap-2 sm:flex-row sm:items-center sm:justify-end">
          {missing && <p className="text-muted sm:me-auto">{missing}</p>}
          <ButtonLink variant="ghost" to={campaignPath}>
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
        </div>
      </div>
    </Form>
  )
}
