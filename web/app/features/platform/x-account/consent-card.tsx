import type { XAccount } from '@x-automated/contract/platform/x-account'
import { client } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { Switch } from '../../../ui/choice'
import { DateTime } from '../../../ui/date-time'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'
import { DEPENDS_ON_ACCOUNT } from './use-accounts'

/** Whether texts of conversations are stored, per X account. The person who connected an account decides. */
export function ConsentCard({ accounts }: { accounts: readonly XAccount[] }) {
  return (
    <Card
      title="Conversations"
      description="Conversations with leads can be stored and read in this workspace. The person who connected an X account decides."
    >
      <div className="grid gap-5">
        {accounts.map((account) => (
          <AccountConsent key={account.id} account={account} />
        ))}
      </div>
    </Card>
  )
}

/** Asks for, or shows, the decision about one X account. */
export function AccountConsent({ account }: { account: XAccount }) {
  const { id, handle, storesConversations, consent, offersUnknownSenders, isConnectedByCaller } = account
  const isAdmin = useIsOffered('admin')
  const decide = useAction(
    (decided: { storesConversations: boolean; offersUnknownSenders: boolean }) =>
      client.xAccount.consent({ id, ...decided }),
    {
      done: ({ consent }) =>
        consent ? `Conversations of @${handle} are now stored.` : `Conversations of @${handle} are not stored.`,
      failed: 'Failed to save your decision. Please try again.',
      refetches: DEPENDS_ON_ACCOUNT,
    },
  )
  const revoke = useAction(
    () => client.xAccount.consent({ id, storesConversations: false, offersUnknownSenders: false }),
    {
      question:
        storesConversations === null
          ? {
              title: `Don't store conversations of @${handle}?`,
              body: 'Messages stored before you were asked are deleted, for everyone in the workspace. Reply times and labels stay.',
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
      refetches: DEPENDS_ON_ACCOUNT,
    },
  )
  const isBusy = decide.isPending || revoke.isPending
  if (storesConversations === null && isConnectedByCaller) {
    return (
      <Callout
        title={`Store conversations of @${handle}?`}
        action={
          <div className="flex flex-wrap gap-2">
            <Button
              size="sm"
              loading={decide.isPending}
              onClick={() => decide.run({ storesConversations: true, offersUnknownSenders })}
            >
              Store conversations
            </Button>
            <Button size="sm" loading={revoke.isPending} onClick={() => revoke.run()}>
              Don't store
            </Button>
          </div>
        }
      >
        If you allow it, members of this workspace can read and answer what leads write to this account. Until then,
        only the time and label of each reply are kept.
      </Callout>
    )
  }
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
            `Only reply times and labels are kept.${
              isConnectedByCaller ? '' : ' The person who connected this account can allow more.'
            }`
          )
        }
        checked={consent !== null}
        disabled={isBusy || !(isConnectedByCaller || (isAdmin && consent !== null))}
        onChange={(event) =>
          event.currentTarget.checked
            ? void decide.run({ storesConversations: true, offersUnknownSenders })
            : void revoke.run()
        }
      />
      {storesConversations === null && isAdmin && (
        <Button size="sm" className="w-fit" loading={revoke.isPending} onClick={() => revoke.run()}>
          Don't store
        </Button>
      )}
      <Switch
        label="Suggest people who write first as leads"
        hint="The inbox shows their handle for 7 days, but not their message."
        checked={offersUnknownSenders}
        disabled={isBusy || consent === null || !isConnectedByCaller}
        onChange={(event) =>
          decide.run({ storesConversations: true, offersUnknownSenders: event.currentTarget.checked })
        }
      />
    </fieldset>
  )
}
