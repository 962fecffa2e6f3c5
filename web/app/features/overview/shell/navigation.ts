import {
  ChartNoAxesColumn,
  CircleUserRound,
  CreditCard,
  Gift,
  House,
  Inbox,
  List,
  type LucideIcon,
  Puzzle,
  Radar,
  Send,
  Settings,
  Trophy,
  UsersRound,
  Zap,
} from 'lucide-react'
import { type PageName, paths } from '../../../paths'

interface NavigationLink {
  label: string
  to: string
}

/** A link in the frame of signed-in pages. */
export interface FrameLink extends NavigationLink {
  icon: LucideIcon
  /** The tab that the link opens on its page. */
  tab?: string
  /** For members only. Shows the number of unread conversations. */
  isInbox?: boolean
  /** The letter that opens the page, typed after G. */
  key?: string
}

function links(wanted: readonly (readonly [PageName, string])[]): NavigationLink[] {
  return wanted.map(([name, label]) => ({ label, to: paths[name] }))
}

const home: FrameLink = { label: 'Home', to: paths.dashboard, icon: House, key: 'h' }
const inbox: FrameLink = { label: 'Inbox', to: paths.inbox, icon: Inbox, key: 'i', isInbox: true }
const findLeads: FrameLink = { label: 'Find leads', to: paths.xAutomation, tab: 'scraper', icon: Radar, key: 'f' }
const leads: FrameLink = { label: 'Leads', to: paths.leads, icon: UsersRound, key: 'l' }
const lists: FrameLink = { label: 'Lists', to: paths.lists, icon: List, key: 't' }
const campaigns: FrameLink = { label: 'Campaigns', to: paths.campaigns, icon: Send, key: 'c' }

export const analytics: FrameLink = {
  label: 'Analytics',
  to: paths.xAutomation,
  tab: 'analytics',
  icon: ChartNoAxesColumn,
  key: 'a',
}

/** The pages for daily work. */
export const workLinks: FrameLink[] = [home, inbox, campaigns, leads, lists, findLeads, analytics]

/** Links below those for daily work. */
export const moreLinks: FrameLink[] = [
  { label: 'X automation', to: paths.xAutomation, icon: Zap, key: 'x' },
  { label: 'Leaderboard', to: paths.leaderboard, icon: Trophy },
  { label: 'Refer friends', to: `${paths.dashboard}#refer`, icon: Gift },
  { label: 'Settings', to: paths.settings, icon: Settings, key: 's' },
  { label: 'Billing', to: paths.billing, icon: CreditCard, key: 'b' },
]

/** The bottom bar on phones, which has room for five links. For members, the lists are in the menu. */
export const tabBarLinks = (hasInbox: boolean): FrameLink[] =>
  hasInbox
    ? [home, inbox, { ...findLeads, label: 'Find' }, leads, campaigns]
    : [home, { ...findLeads, label: 'Find' }, leads, lists, campaigns]

/** Header links for guests. */
export const guestLinks = links([
  ['home', 'Home'],
  ['pricing', 'Pricing'],
  ['leaderboard', 'Leaderboard'],
])

/** Links of the profile menu: one's own things first, then the pages. */
export const profileLinks: FrameLink[] = [
  { label: 'Account', to: paths.account, icon: CircleUserRound },
  { label: 'Browser extension', to: paths.extension, icon: Puzzle },
  { ...home, label: 'Dashboard' },
  { label: 'X Automation', to: paths.xAutomation, icon: Zap },
  leads,
  lists,
  campaigns,
  { label: 'Billing & Subscription', to: paths.billing, icon: CreditCard },
  { label: 'Settings', to: paths.settings, icon: Settings },
]

/** A link in the menu of narrow screens. */
export const menuLinkClass =
  'flex items-center gap-3 rounded-md px-3 py-2.5 text-base hover:bg-hover aria-[current=page]:bg-pressed aria-[current=page]:font-strong [&_svg]:size-4.5 [&_svg]:text-muted'
