import { useQuery } from '@tanstack/react-query'
import { CircleQuestionMark, PanelLeftClose, PanelLeftOpen, Search } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { localStorage } from '../../../browser-storage'
import { IconButton } from '../../../ui/button'
import { Kbd } from '../../../ui/kbd'
import { MenuOnDemand } from '../../../ui/menu-on-demand'
import { modKey } from '../../../ui/mod-key'
import { useIsOffered } from '../../identity/people/use-role'
import { InboxCount } from '../../outreach/inbox/inbox-count'
import { AccountSwitcher } from '../../platform/x-account/account-switcher'
import { DockedStepsOnDemand } from '../first-steps/docked-steps-on-demand'
import { todayQuery } from '../today/today-query'
import { FrameLink } from './frame-link'
import { type FrameLink as Item, moreLinks, workLinks } from './navigation'
import { WorkspaceSwitcher } from './workspace-switcher'

const loadHelp = () => import('./help-menu')
const Pulse = lazy(() => import('../today/pulse'))

/** Key in local storage: whether the sidebar is collapsed. startup-script.ts applies it before the first paint. */
const RAIL_KEY = 'sidebar'

/** The sidebar on wide screens. Collapsed, it only shows icons. */
export function Sidebar({ onSearch }: { onSearch: () => void }) {
  const [isRail, setRail] = useState(() => localStorage.getItem(RAIL_KEY) === 'rail')
  const toggle = () => {
    setRail(!isRail)
    if (isRail) {
      localStorage.removeItem(RAIL_KEY)
      delete document.documentElement.dataset.sidebar
    } else {
      localStorage.setItem(RAIL_KEY, 'rail')
      document.documentElement.dataset.sidebar = 'rail'
    }
  }
  const label = isRail ? 'Expand sidebar' : 'Collapse sidebar'
  const Icon = isRail ? PanelLeftOpen : PanelLeftClose
  return (
    <div className="fixed inset-y-0 left-0 z-30 flex w-sidebar flex-col gap-3 overflow-x-hidden overflow-y-auto px-2 py-3 [scrollbar-width:none] max-md:hidden">
      <div className="grid min-h-17 content-start gap-px">
        <WorkspaceSwitcher />
        <AccountSwitcher />
      </div>
      <button
        type="button"
        aria-keyshortcuts="Meta+K Control+K"
        onClick={onSearch}
        className="sidebar-row shrink-0 border border-line bg-canvas shadow-xs"
      >
        <Search aria-hidden />
        <span className="rail:sr-only">Search</span>
        <span className="ms-auto rail:hidden">
          <Kbd>{`${modKey()}K`}</Kbd>
        </span>
      </button>
      <nav aria-label="Main" className="grid gap-px">
        <Links of={workLinks} />
        <hr className="m-2 border-line" />
        <Links of={moreLinks} />
      </nav>
      <div className="mt-auto">
        <DockedStepsOnDemand />
        <SendingPulse />
      </div>
      <div className="flex flex-wrap justify-between gap-1 px-0.5">
        <MenuOnDemand
          load={loadHelp}
          trigger={
            <IconButton size="sm" label="Help" title="Help" icon={<CircleQuestionMark />} className="text-muted" />
          }
        />
        <IconButton
          size="sm"
          label={label}
          title={label}
          aria-expanded={!isRail}
          onClick={toggle}
          icon={<Icon />}
          className="text-muted"
        />
      </div>
    </div>
  )
}

/** Shown if something was sent in the last 24 hours or will be sent, or if there are campaigns. */
function SendingPulse() {
  const { data } = useQuery(todayQuery())
  if (!data || (data.countedInDay === 0 && !data.nextSendAt && data.campaigns.length === 0)) return null
  return (
    <Suspense>
      <Pulse today={data} />
    </Suspense>
  )
}

function Links({ of: links }: { of: readonly Item[] }) {
  const hasInbox = useIsOffered('member')
  const offered = links.filter(({ isInbox }) => hasInbox || !isInbox)
  return offered.map((link) => (
    <FrameLink
      key={link.label}
      link={link}
      className={
        // If the open tab has its own link, mark that link instead of the page's.
        'sidebar-row aria-[current]:font-strong aria-[current]:text-ink aria-[current=page]:not-in-[nav:has([aria-current=true])]:bg-pressed aria-[current=true]:bg-pressed'
      }
    >
      <span className="truncate rail:sr-only">{link.label}</span>
      {link.isInbox && (
        <InboxCount className="ms-auto rail:absolute rail:ms-6 rail:-mt-4 rail:scale-80" labelClass="rail:sr-only" />
      )}
    </FrameLink>
  ))
}
