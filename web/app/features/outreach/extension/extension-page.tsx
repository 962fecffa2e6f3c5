import { Download, Megaphone } from 'lucide-react'
import type { ReactNode } from 'react'
import { paths } from '../../../paths'
import { ButtonLink, buttonClass } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { PageHeader } from '../../../ui/page-header'
import { SkeletonButton } from '../../../ui/skeleton'
import { InstallSteps } from './install-steps'
import { PairedExtensions } from './paired-extensions'
import { PopupPicture } from './popup-picture'
import { ThisBrowser } from './this-browser'
import { useExtensionHere, usePairings } from './use-extension'

/** The browser extension: its status, installation and permissions. */
export function ExtensionPage() {
  const here = useExtensionHere()
  const pairings = usePairings()
  const latest = pairings.data?.latestVersion ?? null
  return (
    <>
      <PageHeader
        title="Browser extension"
        description="Send from your own X account, in your own browser, without giving anyone your password."
        actions={
          <ButtonLink to={paths.campaigns} icon={<Megaphone />}>
            Campaigns
          </ButtonLink>
        }
      />
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,22rem)]">
        <div className="grid min-w-0 content-start gap-6">
          <ThisBrowser here={here} latest={latest} />
          <Card
            title="Install the extension"
            description="Works in Chrome, Edge, Brave and other Chromium browsers (137+)."
            actions={
              pairings.isPending ? (
                <SkeletonButton size="sm" className="w-36" />
              ) : (
                latest && (
                  <a href="/extension.zip" download className={buttonClass({ size: 'sm' })}>
                    <Download />
                    Download {latest}
                  </a>
                )
              )
            }
          >
            <InstallSteps available={pairings.data === undefined || latest !== null} />
          </Card>
          <PairedExtensions pairings={pairings} latest={latest} />
        </div>
        <div className="grid min-w-0 content-start gap-8">
          <PopupPicture />
          <Note title="What it does">
            <ul className="grid list-disc gap-2 pl-5">
              <li>Opens the conversation with a lead in a separate tab, types your message and presses send once.</li>
              <li>Marks a message as sent only after it appears in the conversation.</li>
              <li>Checks with X-Automated before each send, so a pause, reply or opt-out stops it in time.</li>
              <li>Follows the sending limits of your X account.</li>
              <li>Sends nothing if the profile belongs to someone other than your lead.</li>
              <li>
                Tries again hours later if X doesn't show whether someone can be messaged. Nobody is marked as failed.
              </li>
              <li>
                Keeps up with changes to X's pages through signed data from this server. If it can't, it stops and tells
                you.
              </li>
            </ul>
          </Note>
          <Note title="What it can see">
            <ul className="grid list-disc gap-2 pl-5">
              <li>Pages on x.com and X-Automated in this browser. No other sites.</li>
              <li>The account logged in to X, and the conversations it sends in.</li>
              <li>Not your password, cookies, history or other tabs.</li>
              <li>Its key can only fetch and report messages you queued. You can revoke the key here.</li>
            </ul>
          </Note>
          <Note title="What X says">
            <p>
              X's rules allow automated direct messages only to people who asked for them or messaged you first, with an
              easy way to opt out.{' '}
              <strong>
                Automating X's website, even with an extension, can lead to the permanent suspension of your account.
              </strong>{' '}
              So can unsolicited bulk messages.
            </p>
            <p className="pt-2">
              The extension uses X's website as you. Only message people who expect to hear from you, and send through
              the API if you can.
            </p>
            <p className="pt-2">
              <a
                className="text-link"
                href="https://help.x.com/en/rules-and-policies/x-automation"
                target="_blank"
                rel="noopener"
              >
                X's automation rules
              </a>
            </p>
          </Note>
        </div>
      </div>
    </>
  )
}

function Note({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-2">
      <h2 className="text-base">{title}</h2>
      <div>{children}</div>
    </section>
  )
}
