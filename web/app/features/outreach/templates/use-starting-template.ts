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

/** The template from which a campaign is started. */
interface Started {
  id: string
  name: string
  /** What the plan leaves out, as a text. */
  leftOut: string | null
}

/**
 * Which template the form was started from, by hand or by a link on the templates page. @param
 * onStart shows the form, which may be folded
 */
export function useStartingTemplate(editor: SequenceEditor, onStart: () => void) {
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
    // Comes first, because a form with messages asks for confirmation before it is left. A reload
    // starts with an empty form.
    void navigate('.', { replace: true, state: null, preventScrollReset: true })
    start(template)
  })
  // Waits for the plan, which decides which messages are used.
  useEffect(() => {
    if (wanted && !overview.isPending) startWanted(wanted)
  }, [wanted, overview.isPending])
  return {
    started,
    start,
    clear: () => setStarted(null),
    restore: setStarted,
    /** Called if the template was deleted or made private meanwhile. */
    lose() {
      setStarted(null)
      toast.error('This template is no longer available. Save again to create the campaign without it.')
    },
  }
}

export type StartingTemplate = ReturnType<typeof useStartingTemplate>
