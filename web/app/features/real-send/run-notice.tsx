import type { Campaign } from '@x-automated/contract/campaigns'
import { formatNumber } from '@x-automated/contract/format'
import { paths } from '../../paths'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { otherVersionText } from '../extension/extension-text'
import { useExtensionHere, useIsExtensionKnown } from '../extension/use-extension'
import { useExtensionRun } from './extension-run'

/** How far the run of this tab is; or that there is no extension to run the campaigns that need one. */
export function RunNotice({ campaigns }: { campaigns: readonly Campaign[] | undefined }) {
  const run = useExtensionRun()
  const someNeedIt = campaigns?.some(needsExtension) ?? false
  if (run) {
    const { progress, waitsUntil } = run
    return (
      <Callout tone="info" title={`Sending “${run.name}” from this browser`}>
        {progress && `DM ${formatNumber(progress.index)} of ${formatNumber(progress.total)}, to @${progress.handle}. `}
        {waitsUntil !== null && `The next one goes out at ${clock(waitsUntil)}. `}
        Pause the campaign to stop.
      </Callout>
    )
  }
  return someNeedIt && <ExtensionNotice />
}

function ExtensionNotice() {
  const here = useExtensionHere()
  if (here?.isOtherVersion)
    return (
      <Callout
        tone="warn"
        title="The extension is another version"
        action={
          <ButtonLink size="sm" to={paths.extension}>
            Update the extension
          </ButtonLink>
        }
      >
        {otherVersionText(here)}
      </Callout>
    )
  if (here !== null) return null
  return (
    <Callout
      tone="warn"
      title="The extension is not in this browser"
      action={
        <ButtonLink size="sm" to={paths.extension}>
          Get the extension
        </ButtonLink>
      }
    >
      Campaigns that your browser sends need it. What they have queued is kept.
    </Callout>
  )
}

/** Is it known what the notice says? What stands below it comes no sooner. */
export function useRunNoticeKnown(campaigns: readonly Campaign[] | undefined): boolean {
  return useIsExtensionKnown(campaigns?.some(needsExtension) ?? false)
}

function needsExtension({ channel, status }: Campaign): boolean {
  return channel === 'extension' && (status === 'active' || status === 'paused')
}

function clock(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' })
}
