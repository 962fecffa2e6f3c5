import { Download, Megaphone } from 'lucide-react'
import { paths } from '../../paths'
import { ButtonLink, buttonClass } from '../../ui/button'
import { Card } from '../../ui/card'
import { PageHeader } from '../../ui/page-header'
import { SkeletonButton } from '../../ui/skeleton'
import { InstallSteps } from './install-steps'
import { PairedExtensions } from './paired-extensions'
import { ThisBrowser } from './this-browser'
import { useExtensionHere, usePairings } from './use-extension'

/** The browser extension: is it here and paired, how to install it, what it can do and see, and what X says to it. */
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
          <ButtonLink to={paths.campaigns} icon={<Megaphone aria-hidden />}>
            Campaigns
          </ButtonLink>
        }
      />
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,22rem)]">
        <div className="grid min-w-0 content-start gap-6">
          <ThisBrowser here={here} latest={latest} />
          <Card
            title="Install it"
            description="For Chrome, Edge, Brave and other browsers of the family, version 120 or later."
            actions={
              pairings.isPending ? (
                <SkeletonButton size="sm" className="w-36" />
              ) : (
                latest && (
                  <a href="/extension.zip" download className={buttonClass({ size: 'sm' })}>
                    <Download aria-hidden />
                    Download {latest}
                  </a>
                )
              )
            }
          >
            {/* Whoever cannot be asked has not said that there is none. */}
            <InstallSteps available={pairings.data === undefined || latest !== null} />
          </Card>
          <PairedExtensions pairings={pairings} latest={latest} />
        </div>
        <div className="grid min-w-0 content-start gap-6">
          <Card title="What it does">
            <ul className="grid list-disc gap-2 pl-5">
              <li>Opens the conversation with a lead in a tab of its own, types your message and presses send once.</li>
              <li>Says that it is sent only when it has seen the message stand there.</li>
              <li>
                Asks X-Automated right before it presses send whether it still may: a pause, a reply or an opt-out stops
                it.
              </li>
              <li>Keeps to the pace and the daily cap of your X account.</li>
              <li>Where X has changed its page, it stops and says so.</li>
            </ul>
          </Card>
          <Card title="What it can see">
            <ul className="grid list-disc gap-2 pl-5">
              <li>Pages of x.com in this browser, and X-Automated. No other site.</li>
              <li>It reads who is signed in to X, and the conversations that it writes in.</li>
              <li>Not your password, cookies, history or other tabs.</li>
              <li>
                Its own key lets it fetch and report messages that you have queued, and nothing else. You can take it
                back here.
              </li>
            </ul>
          </Card>
          <Card title="What X says">
            <p>
              X’s rules allow automated direct messages only to people who asked for them or wrote to you first, with an
              easy way to opt out. Messages in bulk that nobody asked for, and scripts that use its website, can end in
              the suspension of your account.
            </p>
            <p className="pt-2">
              The extension uses X’s website in your name. Write only to people who expect to hear from you, and send
              through the API where you can.
            </p>
            <p className="pt-2">
              <a
                className="text-link"
                href="https://help.x.com/en/rules-and-policies/x-automation"
                target="_blank"
                rel="noopener"
              >
                X’s automation rules
              </a>
            </p>
          </Card>
        </div>
      </div>
    </>
  )
}
