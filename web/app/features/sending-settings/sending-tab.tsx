import { useQuery } from '@tanstack/react-query'
import { api, errorText } from '../../api'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Card } from '../../ui/card'
import { LoadingText, SkeletonButton, SkeletonField, SkeletonText } from '../../ui/skeleton'
import { useHasRole } from '../settings/use-role'
import { BasisCard } from './basis-card'
import { LimitsCard } from './limits-card'
import { OptOutCard } from './opt-out-card'

/** While it is open the figures of today are asked for this often. */
const REFRESH_MS = 30_000

/** How the workspace sends: at which pace from which account, to whom, and which words end it. */
export function SendingTab() {
  const settings = useQuery(api.sendingSettings.find.queryOptions({ refetchInterval: REFRESH_MS }))
  const mayManage = useHasRole('admin')
  const isOwner = useHasRole('owner')
  if (settings.isError && !settings.data) {
    return (
      <Callout
        tone="bad"
        action={
          <Button size="sm" onClick={() => settings.refetch()}>
            Try Again
          </Button>
        }
      >
        {errorText(settings.error, 'Failed to load the settings. Please try again.')}
      </Callout>
    )
  }
  if (!settings.data || mayManage === undefined) {
    return (
      <Card title="Pace">
        <LoadingText>Loading settings...</LoadingText>
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
  const { accounts, limits, optOutWords, basis } = settings.data
  return (
    <div className="grid grid-cols-1 gap-6">
      {!mayManage && (
        <Callout title="Only the owner and admins change how the workspace sends">You see what is set.</Callout>
      )}
      {accounts.map((pace) => (
        <LimitsCard key={pace.xAccountId ?? 'extension'} pace={pace} limits={limits} disabled={!mayManage} />
      ))}
      <OptOutCard key={optOutWords.join('\n')} words={optOutWords} disabled={!mayManage} />
      <BasisCard basis={basis} disabled={!isOwner} />
    </div>
  )
}
