import { formatCount } from '@x-automated/contract/format'
import type { Conversation } from '@x-automated/contract/outreach/conversations'
import { api, client } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { toast } from '../../../ui/toast'
import { useAction } from '../../../use-action'
import { XHandle } from '../../platform/x-account/x-handle'
import { undoButton } from './use-inbox'

interface ConversationNoticesProps {
  conversation: Pick<Conversation, 'lead' | 'suppression' | 'isEncrypted'>
}

/** Why a conversation cannot be answered here. Also asks whether to suppress its lead. */
export function ConversationNotices({ conversation: { lead, suppression, isEncrypted } }: ConversationNoticesProps) {
  return (
    <>
      {suppression === 'suggested' && <SuppressQuestion leadId={lead.id} handle={lead.twitterHandle} />}
      {suppression === 'suppressed' && <SuppressedNotice leadId={lead.id} handle={lead.twitterHandle} />}
      {isEncrypted && (
        <Callout>
          X keeps this conversation encrypted: open it on X.{' '}
          <XHandle handle={lead.twitterHandle} className="font-strong" />
        </Callout>
      )}
    </>
  )
}

/** Why nobody can answer, and how to lift the suppression. */
function SuppressedNotice({ leadId, handle }: { leadId: string; handle: string }) {
  const remove = useAction(
    async () => {
      const { suppressions } = await client.suppressions.list({ leadId })
      for (const { id } of suppressions) await client.suppressions.remove({ id })
    },
    {
      question: {
        title: `Remove @${handle} from your suppression list?`,
        body: 'Members can then answer them, and new campaigns can message them. If they asked you to stop, leave them on the list. Campaigns that ended for them stay ended.',
        confirm: 'Remove from list',
      },
      done: `@${handle} can be messaged again`,
      failed: 'Failed to remove them. Please try again.',
      refetches: [api.suppressions, api.conversations, api.leads, api.messages],
    },
  )
  return (
    <Callout
      tone="warn"
      action={
        <Button size="sm" loading={remove.isPending} onClick={() => remove.run()}>
          Remove from list
        </Button>
      }
    >
      On your suppression list, so nobody in this workspace can message them. To answer, remove them from it.
    </Callout>
  )
}

/** Asks whether to suppress a lead who may have opted out, according to the classifier or a member. */
function SuppressQuestion({ leadId, handle }: { leadId: string; handle: string }) {
  const refetches = [api.suppressions, api.conversations, api.leads, api.messages]
  const undo = useAction((id: string) => client.suppressions.remove({ id }), {
    done: `@${handle} is off your suppression list`,
    failed: `Failed to undo. Remove @${handle} from your suppression list.`,
    refetches,
  })
  const suppress = useAction(() => client.suppressions.create({ leadIds: [leadId], reason: 'manual' }), {
    onSuccess({ suppressionId, stopped }) {
      const text = `@${handle} suppressed`
      const canceled = stopped > 0 ? `, ${formatCount(stopped, 'queued message')} canceled` : ''
      toast.success(text + canceled, suppressionId ? { action: undoButton(() => undo.run(suppressionId)) } : {})
    },
    failed: 'Failed to suppress them. Please try again.',
    refetches,
  })
  return (
    <Callout
      tone="warn"
      title={`Suppress @${handle}?`}
      action={
        <Button size="sm" loading={suppress.isPending} onClick={() => suppress.run()}>
          Suppress
        </Button>
      }
    >
      They may have asked you to stop. If they didn't, correct the label.
    </Callout>
  )
}
