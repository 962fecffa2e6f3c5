import { useQuery } from '@tanstack/react-query'
import type { Template } from '@x-automated/contract/outreach/templates'
import { useEffect, useEffectEvent, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { api } from '../../../api'
import { toast } from '../../../ui/toast'
import { messagesOf } from '../sequences/lint'
import { draftOfTemplate } from '../sequences/sequence-draft'
import { undoable } from '../sequences/undoable'
import type { SequenceEditor } from '../sequences/use-sequence-draft'
import { useSequenceLimits } from '../sequences/use-sequence-limits'
import { withinPlan } from './template-text'

/** The template that a campaign is started from. */
interface Started {
  id: string
  name: string
  /** What the plan leaves out, as text. */
  leftOut: string | null
}

/**
 * The template that the form was started from, here or by a link on the templates page.
 * @param isReady whether the stored draft is in the form @param onStart expands the form
 */
export function useStartingTemplate(editor: SequenceEditor, isReady: boolean, onStart: () => void) {
  const overview = useQuery(api.billing.overview.queryOptions())
  const limits = useSequenceLimits()
  const [started, setStarted] = useState<Started | null>(null)
  const { state } = useLocation()
  const navigate = useNavigate()
  const start = ({ id, name, steps: all }: Template) => {
    const { steps, leftOut } = withinPlan(all, limits)
    const before = editor.draft
    editor.reset(draftOfTemplate(steps))
    setStarted({ id, name, leftOut })
    onStart()
    if (messagesOf(before).every(({ text }) => text.trim() === '')) return
    undoable(`Messages of “${name}” inserted.`, () => {
      editor.reset(before)
      setStarted(started)
    })
  }
  const wanted = (state as { template?: Template } | null)?.template
  const startWanted = useEffectEvent((template: Template) => {
    // Do this first, so that a reload does not apply the link again.
    void navigate('.', { replace: true, state: null, preventScrollReset: true })
    start(template)
  })
  // Waits for the plan, which determines which messages can be used.
  useEffect(() => {
    if (wanted && isReady && !overview.isPending) startWanted(wanted)
  }, [wanted, isReady, overview.isPending])
  return {
    started,
    start,
    clear: () => setStarted(null),
    restore: setStarted,
    /** Called if the template has since been deleted or made private. */
    lose() {
      setStarted(null)
      toast.error('This template is no longer available. Save again to create the campaign without it.')
    },
  }
}

export type StartingTemplate = ReturnType<typeof useStartingTemplate>
