import type { XAccount } from '@x-automated/contract/platform/x-account'
import { client } from '../../../api'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Switch } from '../../../ui/choice'
import { DateTime } from '../../../ui/date-time'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'
import { DEPENDS_ON_CONSENT, isUndecided } from './consent-dialog'

interface ConsentCardProps {
  accounts: readonly XAccount[]
  /** Opens the dialog about an account's conversations. */
  onDecide: (account: XAccount) => void
}

/** Whether texts of conversations are stored, per X account. The person who connected an account decides. */
export function ConsentCard({ accounts, onDecide }: ConsentCardProps) {
  return (
    <Card
      title="Conversations"
      description="Conversations with leads can be stored and read in this workspace. The person who connected an X account decides."
    >
      <div className="grid gap-5">
        {accounts.map((account) => (
          <AccountConsent key={account.id} account={account} onDecide={() => onDecide(account)} />
        ))}
      </div>
    </Card>
  )
}

/** The decision about one X account. */
function AccountConsent({ account, onDecide }: { account: XAccount; onDecide: () => void }) {
  const { id, handle, storesConversations, consent, offersUnknownSenders, isConnectedByCaller } = account
  const isAdmin = useIsOffered('admin')
  const offer = useAction(
    (offers: boolean) => client.xAccount.consent({ id, storesConversations: true, offersUnknownSenders: offers }),
    { failed: 'Failed to save your decision. Please try again.', refetches: DEPENDS_ON_CONSENT },
  )
  const revoke = useAction(
    () => client.xAccount.consent({ id, storesConversations: false, offersUnknownSenders: false }),
    {
      question:
        storesConversations === null
          ? {
              title: `Don't store conversations of @${handle}?`,
              body: 'Messages stored before the account was connected again are deleted, for everyone in the workspace. Reply times and labels stay.',
              confirm: "Don't store",
            }
          : {
              title: `Stop storing conversations of @${handle}?`,
              body: 'Stored messages are deleted, for everyone in the workspace. Reply times and labels stay.',
              confirm: 'Stop and delete messages',
              danger: true,
            },
      done: `Conversations of @${handle} are not stored.`,
      failed: 'Failed to save your decision. Please try again.',
      refetches: DEPENDS_ON_CONSENT,
    },
  )
  const isBusy = offer.isPending || revoke.isPending
  const nobodyDecided = storesConversations === null ? 'Nobody has decided yet. ' : ''
  return (
    <fieldset className="grid gap-3">
      <legend className="pb-2 font-strong">@{handle}</legend>
      <Switch
        label="Store conversations with leads"
        hint={
          consent ? (
            <>
              Allowed by {consent.by.name} on <DateTime value={consent.at} precision="day" endsSentence />
            </>
          ) : (
            `${nobodyDecided}Only reply times and labels are kept.${
              isConnectedByCaller ? '' : ' The person who connected this account can allow more.'
            }`
          )
        }
        checked={consent !== null}
        disabled={isBusy || !(isConnectedByCaller || (isAdmin && consent !== null))}
        onChange={() => (consent ? void revoke.run() : onDecide())}
      />
      {isUndecided(account) ? (
        <Button size="sm" className="w-fit" onClick={onDecide}>
          Decide
        </Button>
      ) : (
        storesConversations === null &&
        isAdmin && (
          <Button size="sm" className="w-fit" loading={revoke.isPending} onClick={() => revoke.run()}>
            Don't store
          </Button>
        )
      )}
      <Switch
        label="Suggest people who write first as leads"
        hint="The inbox shows their handle for 7 days, but not their message."
        checked={offersUnknownSenders}
        disabled={isBusy || consent === null || !isConnectedByCaller}
        onChange={(event) => offer.run(event.currentTarget.checked)}
      />
    </fieldset>
  )
}
