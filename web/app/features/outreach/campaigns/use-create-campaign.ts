import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { useRef } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { api, client, errorCode, fieldProblems } from '../../../api'
import { toast } from '../../../ui/toast'
import { reengagementInput, stepInputs } from '../sequences/sequence-draft'
import type { SequenceEditor } from '../sequences/use-sequence-draft'
import type { StartingTemplate } from '../templates/use-starting-template'
import { useLaunch } from './campaign-actions'
import { addCachedCampaign } from './campaign-cache'
import type { CampaignFormValues } from './campaign-form-rules'
import { creationProblem } from './campaign-text'
import type { RealSend } from './real-send'
import type { SavedDraft } from './use-campaign-draft'

export type SaveMode = 'pause' | 'launch'

interface CreateOptions {
  form: UseFormReturn<CampaignFormValues>
  draft: CampaignFormValues
  sequence: SequenceEditor
  template: StartingTemplate
  saved: SavedDraft
  realSend: RealSend
  /** Called after the launch, so that an error does not clear the form. */
  onDone: (campaign: Campaign) => void
}

/** Creates a form's campaign and launches it. Shows problems next to their fields, or else in a toast. */
export function useCreateCampaign({ form, draft, sequence, template, saved, realSend, onDone }: CreateOptions) {
  const queries = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const launch = useLaunch(realSend)
  return useMutation({
    async mutationFn(mode: SaveMode) {
      // A launch may fail after the campaign was created, so only the launch itself deletes the draft.
      const draftId = mode === 'pause' ? await saved.settle() : undefined
      const body = {
        name: draft.name.trim(),
        leadListId: draft.leadListId,
        steps: stepInputs(sequence.draft),
        reengagement: reengagementInput(sequence.draft),
        status: mode === 'pause' ? ('paused' as const) : ('draft' as const),
        channel: draft.channel,
        allowRepeat: draft.allowRepeat,
        allowReplied: draft.allowReplied,
        ...(draft.xAccountId ? { xAccountId: draft.xAccountId } : {}),
        ...(template.started ? { templateId: template.started.id } : {}),
      }
      const send = (sent: typeof body & { draftId?: string }) =>
        client.campaigns.create(sent, { context: { idempotencyKey: idempotencyKey.of(JSON.stringify(sent)) } })
      try {
        return await send(draftId ? { ...body, draftId } : body)
      } catch (error) {
        // The draft was deleted somewhere else.
        if (errorCode(error) !== 'DRAFT_NOT_FOUND') throw error
        return send(body)
      }
    },
    async onSuccess(campaign, mode) {
      addCachedCampaign(queries, campaign)
      // If this fails, `useLaunch` shows the error, and the next attempt launches the same draft.
      if (mode === 'launch') {
        const draftId = await saved.settle()
        if (!(await launch.mutateAsync({ ...campaign, draftId }).catch(() => null))) return saved.resume()
      }
      idempotencyKey.clear()
      saved.forget()
      onDone(campaign)
      if (mode === 'launch') return
      toast.success(`Campaign "${campaign.name}" saved and paused!`)
      await queries.invalidateQueries({ queryKey: api.campaigns.key() })
    },
    onError(error, mode) {
      saved.resume()
      if (errorCode(error)) idempotencyKey.clear()
      const problems = fieldProblems(error)
      const isPlaced = sequence.show(error)
      const fields = (['name', 'leadListId'] as const).filter((field) => problems[field])
      for (const field of fields) form.setError(field, { message: problems[field] ?? '' })
      const [first] = fields
      // Wait, because the fields are disabled until the call has ended.
      if (first) requestAnimationFrame(() => form.setFocus(first))
      if (isPlaced || fields.length > 0) return
      if (errorCode(error) === 'TEMPLATE_NOT_FOUND') return template.lose()
      toast.error(creationProblem(error, mode))
    },
  })
}

/** Reuses the key until the same content is saved or launched, so that a retry creates no second campaign. */
function useIdempotencyKey() {
  const stored = useRef<{ content: string; key: string } | null>(null)
  return {
    of(content: string): string {
      if (stored.current?.content !== content) stored.current = { content, key: crypto.randomUUID() }
      return stored.current.key
    },
    clear() {
      stored.current = null
    },
  }
}
