import { formatDate, formatNumber } from '@x-automated/contract/format'
import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { paths } from '../../../paths'
import { ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { otherVersionText } from '../extension/extension-text'
import { useExtensionHere, useExtensionStatusLoaded } from '../extension/use-extension'
import { useExtensionRun } from './extension-run'

/** The progress of this tab's run, or a hint that campaigns need the extension. */
export function RunNotice({ campaigns }: { campaigns: readonly Campaign[] | undefined }) {
  const run = useExtensionRun()
  const isNeeded = campaigns?.some(needsExtension) ?? false
  if (run) {
    const { progress, waitsUntil } = run
    return (
      <Callout tone="info" title={`Sending “${run.name}” from this browser`}>
        {progress && `DM ${formatNumber(progress.index)} of ${formatNumber(progress.total)}, to @${progress.handle}. `}
        {waitsUntil !== null && `Next message at ${formatClock(waitsUntil)}. `}
        Pause the campaign to stop.
      </Callout>
    )
  }
  return isNeeded && <ExtensionNotice />
}

function ExtensionNotice() {
  const here = useExtensionHere()
  if (here === undefined || here?.isOtherVersion === false) return null
  return (
    <Callout
      tone="warn"
      title={here ? 'Update the extension' : 'Extension not installed in this browser'}
      action={
        <ButtonLink size="sm" to={paths.extension}>
          {here ? 'Update the extension' : 'Get the extension'}
        </ButtonLink>
      }
    >
      {here ? otherVersionText(here) : 'Campaigns sent from your browser need it. Queued messages are kept.'}
    </Callout>
  )
}

/** Whether the notice has loaded. Anything below it waits for that, so that nothing shifts. */
export function useRunNoticeLoaded(campaigns: readonly Campaign[] | undefined): boolean {
  return useExtensionStatusLoaded(campaigns?.some(needsExtension) ?? false)
}

function needsExtension({ channel, status }: Campaign): boolean {
  return channel === 'extension' && (status === 'active' || status === 'paused')
}

function formatClock(at: number): string {
  return formatDate(at, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
}
