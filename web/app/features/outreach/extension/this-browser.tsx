import { Link2, Puzzle } from 'lucide-react'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { Switch } from '../../../ui/choice'
import { Skeleton, SkeletonButton, SkeletonLine } from '../../../ui/skeleton'
import { useIsOffered } from '../../identity/people/use-role'
import type { ExtensionHere } from '../real-send/extension-link'
import { activityText, otherVersionText } from './extension-text'
import { PairingCode } from './pairing-code'
import { useExtensionActions } from './use-extension'

interface ThisBrowserProps {
  here: ExtensionHere | null | undefined
  /** The version available for download. */
  latest: string | null
}

/** The status of the extension in this browser. */
export function ThisBrowser({ here, latest }: ThisBrowserProps) {
  const mayPair = useIsOffered('member')
  const { pair, sendInBackground, unpairHere } = useExtensionActions()
  if (here === undefined)
    return (
      <Card title="This browser" actions={<Skeleton className="h-6 w-24" />}>
        <TextSkeleton />
        <span className="grid gap-2 pt-4">
          <TextSkeleton />
          <SkeletonButton size="sm" className="w-40" />
        </span>
      </Card>
    )
  if (here === null)
    return (
      <Card title="This browser" actions={<Badge>Not installed</Badge>}>
        <p className="flex items-start gap-2 text-muted">
          <Puzzle className="mt-0.5 size-4 shrink-0" />
          The extension isn't installed in this browser. Install it below; this page updates automatically.
        </p>
        <PairingCode />
      </Card>
    )
  const { version, pairedWith, signedInAs, sendsInBackground, paused, pageChanged, isOtherVersion } = here
  return (
    <Card
      title="This browser"
      actions={<Badge tone={pairedWith ? 'good' : 'neutral'}>{pairedWith ? 'Paired' : 'Installed, not paired'}</Badge>}
    >
      <div className="grid gap-4">
        <p role="status" className="font-strong">
          {activityText(here)}
        </p>
        {pageChanged !== null && (
          <Callout tone="warn" title="X may have changed its page">
            The extension no longer finds {pageChanged}, so it has stopped sending. Install a newer version below, or
            click “Check again” in its popup.
          </Callout>
        )}
        {paused && <Callout tone="warn">Sending is paused in the extension's popup.</Callout>}
        {isOtherVersion && (
          <Callout tone="warn" title="Update the extension">
            {otherVersionText(here)}
          </Callout>
        )}
        {latest !== null && latest !== version && (
          <Callout tone="info" title={`Version ${latest} is available`}>
            This browser has {version ?? 'another version'}. Download the new one, unzip it over the existing folder,
            and click the reload icon of the extension at chrome://extensions.
          </Callout>
        )}
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
          <dt className="text-muted">Account</dt>
          <dd className="wrap-anywhere">
            {pairedWith ? `${pairedWith.email} · ${pairedWith.workspaceName}` : 'Not paired'}
          </dd>
          <dt className="text-muted">X</dt>
          <dd>{signedInAs ? `Logged in as @${signedInAs}` : 'Not detected yet. Open x.com once.'}</dd>
          <dt className="text-muted">Version</dt>
          <dd data-numeric>{version ?? 'Unknown'}</dd>
        </dl>
        {pairedWith && (
          <Switch
            label="Send in the background"
            hint="Extension campaigns keep running while no X-Automated page is open, as long as this browser runs."
            checked={sendInBackground.isPending ? sendInBackground.variables : sendsInBackground}
            disabled={sendInBackground.isPending}
            onChange={(event) => void sendInBackground.run(event.currentTarget.checked)}
          />
        )}
        <div className="flex flex-wrap gap-2">
          {pairedWith ? (
            <Button size="sm" loading={unpairHere.isPending} onClick={() => unpairHere.run()}>
              Unpair this browser
            </Button>
          ) : (
            <Button
              variant="primary"
              icon={<Link2 />}
              loading={pair.isPending}
              disabled={!mayPair}
              onClick={() => pair.run()}
            >
              Pair this browser
            </Button>
          )}
        </div>
      </div>
    </Card>
  )
}

/** A skeleton of a sentence that wraps to two lines on a phone. */
function TextSkeleton() {
  return (
    <span className="grid">
      <SkeletonLine className="w-4/5" />
      <span className="sm:hidden">
        <SkeletonLine className="w-2/5" />
      </span>
    </span>
  )
}
