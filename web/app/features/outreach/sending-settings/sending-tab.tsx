import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { LoadingText, SkeletonButton, SkeletonField, SkeletonText } from '../../../ui/skeleton'
import { useHasRole } from '../../identity/people/use-role'
import { XAppCard } from '../x-apps/x-app-card'
import { BasisCard } from './basis-card'
import { LimitsCard } from './limits-card'
import { STAND_IN_LIMITS } from './limits-text'
import { OptOutCard } from './opt-out-card'
import { ProtectionCard } from './protection-card'

/** How often usage is refreshed while the tab is open. */
const REFRESH_MS = 30_000

/** Sending limits per X account, opt-out words, protection, and the contact basis. */
export function SendingTab() {
  const settings = useQuery(api.sendingSettings.find.queryOptions({ refetchInterval: REFRESH_MS }))
  const mayManage = useHasRole('admin')
  const isOwner = useHasRole('owner')
  if (settings.isError && !settings.data) {
    return <QueryError query={settings} fallback="Failed to load the settings. Please try again." />
  }
  if (!settings.data || mayManage === undefined) {
    return (
      <Card title="Sending limits">
        <LoadingText>Loading settings…</LoadingText>
        <div className="grid max-w-xl gap-5">
          <SkeletonText lines={2} />
          <SkeletonField />
          <SkeletonText lines={4} />
          <div className="grid gap-4 sm:grid-cols-2">
            <SkeletonField />
            <SkeletonField />
          </div>
          <SkeletonButton />
        </div>
      </Card>
    )
  }
  const { accounts, xApp, limits, optOutWords, basis, protection } = settings.data
  return (
    <div className="grid grid-cols-1 gap-6">
      {!mayManage && <Callout title="View only">Only the owner and admins can change these settings.</Callout>}
      {!basis.isRealX && <Callout>{STAND_IN_LIMITS}</Callout>}
      {accounts.map((account) => (
        <LimitsCard key={account.xAccountId ?? 'extension'} account={account} limits={limits} disabled={!mayManage} />
      ))}
      <XAppCard use={xApp} accounts={accounts} isOwner={isOwner === true} />
      <OptOutCard words={optOutWords} disabled={!mayManage} />
      <ProtectionCard protection={protection} disabled={!mayManage} />
      <BasisCard basis={basis} disabled={!isOwner} />
    </div>
  )
}
