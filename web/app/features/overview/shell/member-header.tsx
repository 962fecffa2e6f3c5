import { Search } from 'lucide-react'
import { lazy, Suspense, useLayoutEffect, useState } from 'react'
import { Link, useMatches } from 'react-router'
import { paths } from '../../../paths'
import type { User } from '../../../session'
import { Avatar } from '../../../ui/avatar'
import { IconButton } from '../../../ui/button'
import { cn } from '../../../ui/cn'
import { useDialogOnDemand } from '../../../ui/use-dialog-on-demand'
import { useIsOffered } from '../../identity/people/use-role'
import { InboxCount } from '../../outreach/inbox/inbox-count'
import { useRecentJobs } from '../../platform/jobs/recent-jobs'
import { type FrameDialog, FrameDialogs, prepareSearch } from './frame-dialogs'
import { FrameLink } from './frame-link'
import { Mark } from './logo'
import { tabBarLinks } from './navigation'
import { Sidebar } from './sidebar'
import type { SignedInHandle } from './signed-in'

// Loaded on demand, because it is not needed to read a page.
const loadMenu = () => import('./narrow-menu')
const JobsButton = lazy(() => import('../../platform/jobs/jobs-button'))
const Bell = lazy(() => import('../../platform/notifications/bell'))
const Profile = lazy(() => import('./profile'))

/** The frame for signed-in users: a sidebar and a top bar; on phones, a top bar and a bottom bar. */
export function MemberHeader({ user }: { user: User }) {
  const hasInbox = useIsOffered('member')
  const page = useMatches().at(-1)?.handle as SignedInHandle | undefined
  const [dialog, setDialog] = useState<FrameDialog | null>(null)
  const search = async () => {
    if (await prepareSearch()) setDialog('palette')
  }
  return (
    <header className="frame">
      <Sidebar onSearch={search} />
      <div
        className={cn(
          'frame-bar fixed inset-x-0 top-0 z-30 flex h-bar items-center justify-end gap-1 border-b border-hair bg-canvas px-2 md:top-2 md:right-2 md:z-19 md:left-sidebar md:rounded-t-lg md:px-3',
          page?.fillsPanel && 'is-over-panel',
        )}
      >
        <Link to={paths.dashboard} aria-label="Home" className="me-auto rounded-md p-2 md:hidden">
          <Mark className="size-6" />
        </Link>
        <Jobs />
        <IconButton label="Search" icon={<Search />} onClick={search} className="md:hidden" />
        <div className="flex size-9 items-center justify-center pointer-coarse:size-11">
          <Suspense>
            <Bell />
          </Suspense>
        </div>
        <div className="flex size-9 items-center justify-center max-md:hidden pointer-coarse:size-11">
          <Suspense fallback={<Avatar name={user.email} size="sm" />}>
            <Profile user={user} />
          </Suspense>
        </div>
        <MenuButton user={user} />
      </div>
      <nav
        aria-label="Tabs"
        className="fixed inset-x-0 bottom-0 z-30 grid h-tab-bar grid-cols-5 border-t border-line bg-canvas px-2 pb-[env(safe-area-inset-bottom)] md:hidden"
      >
        {tabBarLinks(hasInbox).map((link) => (
          <FrameLink
            key={link.label}
            link={link}
            className="relative grid content-center justify-items-center gap-0.5 rounded-lg text-2xs text-muted outline-offset-0 aria-[current]:font-strong aria-[current]:text-ink [&_svg]:size-5.5"
          >
            {link.label}
            {link.isInbox && (
              <InboxCount className="absolute start-1/2 top-1 ms-1.5 ring-2 ring-canvas" labelClass="sr-only" />
            )}
          </FrameLink>
        ))}
      </nav>
      <FrameDialogs openDialog={dialog} onShow={setDialog} />
    </header>
  )
}

/** The button for jobs, loaded once there is a job. Then the page's header leaves room for it. */
function Jobs() {
  const { data = [] } = useRecentJobs()
  const hasJobs = data.length > 0
  useLayoutEffect(() => {
    document.documentElement.toggleAttribute('data-jobs', hasJobs)
  }, [hasJobs])
  return <Suspense>{hasJobs && <JobsButton />}</Suspense>
}

/** Opens everything that does not fit into the bottom bar on phones. */
function MenuButton({ user }: { user: User }) {
  const menu = useDialogOnDemand(loadMenu, 'The menu')
  return (
    <div className="md:hidden">
      <IconButton
        label="Open menu"
        aria-expanded={menu.open}
        aria-haspopup="dialog"
        {...menu.button}
        icon={<Avatar name={user.email} size="sm" />}
        className="rounded-full!"
      />
      {menu.render({ user })}
    </div>
  )
}
