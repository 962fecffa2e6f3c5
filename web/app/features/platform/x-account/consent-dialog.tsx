import { useQuery, useQueryClient } from '@tanstack/react-query'
import { formatCount, formatMoney } from '@x-automated/contract/format'
import type { MissingTexts, XAccount } from '@x-automated/contract/platform/x-account'
import { useEffect, useEffectEvent, useState } from 'react'
import { useSearchParams } from 'react-router'
import { api, client } from '../../../api'
import { Button } from '../../../ui/button'
import { Checkbox } from '../../../ui/choice'
import { Dialog } from '../../../ui/dialog'
import { type ControlledDialogProps, useDialogs } from '../../../ui/use-dialogs'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'
import { DEPENDS_ON_ACCOUNT } from './use-accounts'

/** Data that depends on a decision about conversations. */
export const DEPENDS_ON_CONSENT = [...DEPENDS_ON_ACCOUNT, api.conversations, api.leads, api.today]

/** Whether the caller still has to decide about the account's conversations. */
export const isUndecided = ({ storesConversations, isConnectedByCaller }: XAccount) =>
  storesConversations === null && isConnectedByCaller

/** Opens the dialog about an account's conversations: `show` on request, `showLatest` after connecting. */
export function useConsentDialog() {
  const queries = useQueryClient()
  const dialogs = useDialogs<XAccount>()
  const mayDecide = useIsOffered('member')
  const fetchUndecided = async () => {
    try {
      // The account may have been connected a moment ago.
      const { accounts } = await queries.fetchQuery(api.xAccount.list.queryOptions({ staleTime: 0 }))
      return accounts.filter(isUndecided)
    } catch {
      // Home and the inbox still ask.
      return []
    }
  }
  return {
    show: dialogs.show,
    async showFor(id: string) {
      const account = (await fetchUndecided()).find((undecided) => undecided.id === id)
      if (account) dialogs.show(account)
    },
    async showLatest() {
      const timeOf = ({ lastConnected }: XAccount) => Date.parse(lastConnected ?? '') || 0
      const [account] = (await fetchUndecided()).sort((a, b) => timeOf(b) - timeOf(a))
      if (account) dialogs.show(account)
    },
    dialog: mayDecide && dialogs.render((account, props) => <ConsentDialog account={account} {...props} />),
  }
}

/** Opens the dialog once if the URL asks for it: after X's authorization page, or for a need on Home. */
export function useConsentFromUrl({ showFor, showLatest }: ReturnType<typeof useConsentDialog>): void {
  const [params, setParams] = useSearchParams()
  const [hasConnected, setConnected] = useState(() => ['connected', 'shared'].includes(params.get('x') ?? ''))
  const wanted = params.get('consent')
  const ask = useEffectEvent(() => {
    if (hasConnected) {
      setConnected(false)
      void showLatest()
    }
    if (wanted === null) return
    void showFor(wanted)
    const others = new URLSearchParams(params)
    others.delete('consent')
    setParams(others, { replace: true, preventScrollReset: true })
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another need may ask for another account
  useEffect(() => ask(), [wanted])
}

/** Asks whether to store conversations. Closing it decides nothing. */
function ConsentDialog({ account, open, onClose }: ControlledDialogProps & { account: XAccount }) {
  const { id, handle, offersUnknownSenders } = account
  const missing = useQuery(api.xAccount.missingTexts.queryOptions({ input: { id }, staleTime: 0 }))
  const [isReadBackOn, setReadBackOn] = useState(true)
  const readsBack = isReadBackOn && (missing.data?.messages ?? 0) > 0
  const options = {
    onSuccess: onClose,
    failed: 'Failed to save your decision. Please try again.',
    refetches: DEPENDS_ON_CONSENT,
  }
  const store = useAction(
    () => client.xAccount.consent({ id, storesConversations: true, offersUnknownSenders, readsBack }),
    {
      ...options,
      done: `Conversations of @${handle} are now stored.${readsBack ? ' Earlier messages appear as X shows them.' : ''}`,
    },
  )
  const keepLabels = useAction(
    () => client.xAccount.consent({ id, storesConversations: false, offersUnknownSenders: false }),
    { ...options, done: `Conversations of @${handle} are not stored.` },
  )
  const isBusy = store.isPending || keepLabels.isPending
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Store conversations of @${handle}?`}
      description="You connected this account, so you decide. You can change it later under X automation."
      footer={
        <>
          <Button loading={keepLabels.isPending} disabled={isBusy} onClick={() => keepLabels.run()}>
            Only labels
          </Button>
          <Button
            variant="primary"
            loading={store.isPending}
            disabled={isBusy || missing.isPending}
            onClick={() => store.run()}
          >
            Store conversations
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <p>
          <span className="font-strong">Store conversations</span>: members of this workspace can read and answer what
          leads write to this account.
        </p>
        <p>
          <span className="font-strong">Only labels</span>: the time and the label of each reply are kept. Texts are
          not, and those stored earlier are deleted.
        </p>
        {missing.data && missing.data.messages > 0 ? (
          <Checkbox
            label={readBackText(missing.data)}
            hint={
              missing.data.conversations > 10
                ? 'X shows few conversations at a time, so this can take hours. The latest come first.'
                : undefined
            }
            checked={isReadBackOn}
            onChange={(event) => setReadBackOn(event.currentTarget.checked)}
          />
        ) : (
          <p className="text-muted">
            {missing.data
              ? 'Reading back the last 30 days costs nothing: there are no messages without a text.'
              : missing.isError
                ? 'What reading back the last 30 days costs is unknown right now, so earlier messages stay without a text.'
                : 'Checking what reading back the last 30 days would cost…'}
          </p>
        )}
      </div>
    </Dialog>
  )
}

/** What is read back from X, and for how much. */
export function readBackText({ messages, costCents }: Pick<MissingTexts, 'messages' | 'costCents'>): string {
  const what = `Read back ${formatCount(messages, 'message')} of the last 30 days`
  return costCents === null ? what : `${what} (X charges up to ${formatMoney(costCents)})`
}
