import type { SearchKind } from '@x-automated/contract/overview/search'
import { handleFault, handleIn } from '@x-automated/contract/x-handle'
import { paths } from '../../../paths'
import { startCampaignPath } from '../../leads/lists/start-campaign'

export type ItemKind = SearchKind | 'page' | 'setting' | 'action'

export interface PaletteItem {
  /** Unique in the palette. */
  id: string
  kind: ItemKind
  label: string
  detail?: string | undefined
  /** The page that the item opens. */
  path?: string | undefined
  pictureUrl?: string | null | undefined
  /** More words that match the item. */
  words?: string
  /** What the item does instead of opening a page. */
  run?: 'pause-all' | 'sign-out' | 'keys' | 'pause' | 'resume' | 'theme-dark' | 'theme-light' | 'theme-system'
  /** The campaign that the item pauses or resumes. */
  campaign?: { id: string; name: string }
  /** Hidden from viewers. */
  forMembers?: true
}

interface PaletteGroup {
  label: string
  items: PaletteItem[]
}

const GROUP_NAMES: Record<ItemKind, string> = {
  page: 'Pages',
  lead: 'People',
  campaign: 'Campaigns',
  list: 'Lists',
  conversation: 'Conversations',
  setting: 'Settings',
  action: 'Actions',
}
const ORDER = Object.keys(GROUP_NAMES) as ItemKind[]
/** Maximum number of items per group in a search. */
const GROUP_MAX = 3

const page = (label: string, path: string, words = '', rest: Partial<PaletteItem> = {}): PaletteItem => ({
  id: `page ${path}`,
  kind: 'page',
  label,
  path,
  words,
  ...rest,
})
const setting = (label: string, path: string, words = ''): PaletteItem => ({
  ...page(label, path, words),
  id: `setting ${path}`,
  kind: 'setting',
  detail: path.startsWith(paths.account) ? 'Account' : 'Settings',
})

const PAGES: PaletteItem[] = [
  page('Home', paths.dashboard, 'dashboard today'),
  page('Inbox', paths.inbox, 'replies conversations messages', { forMembers: true }),
  page('Find leads', `${paths.xAutomation}?tab=scraper`, 'x scraper scrape followers'),
  page('Leads', paths.leads, 'people contacts crm'),
  page('Lists', paths.lists, 'lead lists segments'),
  page('Campaigns', paths.campaigns, 'sequences messages'),
  page('Analytics', `${paths.xAutomation}?tab=analytics`, 'figures reports x'),
  page('X Messenger', `${paths.xAutomation}?tab=messenger`, 'direct messages dm send'),
  page('Connect X', `${paths.xAutomation}?tab=connect`, 'accounts twitter'),
  page('Templates', paths.templates, 'messages starters'),
  page('Leaderboard', paths.leaderboard, 'waitlist rankings'),
  page('Refer friends', `${paths.dashboard}#refer`, 'referral invite link rewards'),
  page('Settings', paths.settings, 'preferences'),
  page('Billing', paths.billing, 'plan subscription invoices payment'),
  page(
    'Account',
    paths.account,
    'profile email password sign in 2fa two-factor authenticator passkeys recovery codes sessions export your data delete account',
  ),
  page('Browser extension', paths.extension, 'chrome'),
  page('Pricing', paths.pricing, 'plans upgrade'),
  page('Lead Lists', `${paths.xAutomation}?tab=lists`, 'segments'),
  page('Help', paths.help, 'docs documentation guide how to'),
  page('Changelog', paths.changelog, 'what’s new releases updates'),
]

/** Sections of the settings, without their content. A test compares them with the actual sections. */
export const SETTINGS: PaletteItem[] = [
  setting(
    'Sending',
    `${paths.settings}?tab=sending`,
    'limits daily cap working hours time zone warm-up opt-out words protection contact basis',
  ),
  setting('X costs', `${paths.settings}?tab=x-costs`, 'bill charges prices spending limit credits budget'),
  setting('Suppression list', `${paths.settings}?tab=suppression-list`, 'opt out block do not contact'),
  setting('Inbox settings', `${paths.settings}?tab=inbox`, 'replies texts retention snippets'),
  setting('AI writer', `${paths.settings}?tab=ai-writer`, 'model provider openers key'),
  setting('People', `${paths.settings}?tab=people`, 'members team invite roles'),
  setting('Workspace', `${paths.settings}?tab=workspace`, 'name logo color branding white-label'),
  setting('Notifications', `${paths.settings}?tab=notifications`, 'emails digest'),
  setting('API', `${paths.settings}?tab=api`, 'api keys tokens scopes access developers integrations'),
  setting('Single sign-on', `${paths.settings}?tab=single-sign-on`, 'sso saml oidc domain'),
]

const ACTIONS: PaletteItem[] = [
  {
    id: 'new-campaign',
    kind: 'action',
    label: 'New campaign',
    path: startCampaignPath(),
    words: 'create start launch',
    forMembers: true,
  },
  {
    id: 'find-leads',
    kind: 'action',
    label: 'Scrape a handle',
    path: `${paths.xAutomation}?tab=scraper`,
    words: 'find leads followers',
    forMembers: true,
  },
  {
    id: 'pause-all',
    kind: 'action',
    label: 'Pause all campaigns',
    run: 'pause-all',
    words: 'stop hold everything',
    forMembers: true,
  },
  ...(['dark', 'light', 'system'] as const).map(
    (theme): PaletteItem => ({
      id: `theme-${theme}`,
      kind: 'action',
      label: `${theme.charAt(0).toUpperCase()}${theme.slice(1)} theme`,
      run: `theme-${theme}`,
      words: 'mode color appearance night day',
    }),
  ),
  { id: 'keys', kind: 'action', label: 'Show keyboard shortcuts', run: 'keys', words: 'keyboard shortcuts help' },
  { id: 'sign-out', kind: 'action', label: 'Sign out', run: 'sign-out', words: 'log out logout' },
]

/** How well a text matches: 0 is best, null is no match. Each word of `q` must start a word of the text. */
function rankOf({ label, words = '' }: Pick<PaletteItem, 'label' | 'words'>, q: string): number | null {
  const query = q.toLowerCase()
  const name = label.toLowerCase()
  if (name.startsWith(query)) return 0
  const has = (text: string, part: string) => ` ${text.replace(/[@“”"(]/g, ' ')}`.includes(` ${part}`)
  const parts = query.split(/\s+/)
  if (parts.every((part) => has(name, part))) return 1
  if (parts.every((part) => has(`${name} ${words}`, part))) return 2
  return null
}

/** A command on campaigns: 'pause saas' pauses those whose name has 'saas', and 'pause' the open one. */
export interface CampaignCommand {
  verb: 'pause' | 'resume'
  keyword: string
}

/** Reads a command on campaigns. Null if the search is none. */
export function commandOf(q: string): CampaignCommand | null {
  const [, verb, keyword = ''] = /^(pause|resume)(?:\s+(.*))?$/i.exec(q) ?? []
  // “Pause all campaigns” is an action of its own.
  if (!verb || (keyword !== '' && 'all campaigns'.startsWith(keyword.toLowerCase()))) return null
  return { verb: verb.toLowerCase() as CampaignCommand['verb'], keyword: keyword.trim() }
}

/** The actions of a command, for the open campaign first. @param openId the id of the campaign whose page is open */
export function commandItems(
  { verb }: CampaignCommand,
  campaigns: readonly { id: string; name: string }[],
  openId: string | undefined,
): PaletteItem[] {
  return campaigns
    .toSorted((a, b) => Number(b.id === openId) - Number(a.id === openId))
    .map(({ id, name }) => ({
      id: `${verb} ${id}`,
      kind: 'action',
      label: `${verb === 'pause' ? 'Pause' : 'Resume'} “${name}”`,
      detail: id === openId ? 'This campaign' : undefined,
      run: verb,
      campaign: { id, name },
    }))
}

/** The X handle in a search: '@indiehackers', 'scrape indiehackers' or 'indiehackers'. */
function handleOf(q: string): string | null {
  if ('scrape a handle'.startsWith(q.toLowerCase())) return null
  const text = q.replace(/^scrape\s+/i, '').trim()
  const handle = handleIn(text)
  return text.length < 3 || handleFault(handle) ? null : handle
}

const offered = (items: PaletteItem[], isMember: boolean) => items.filter(({ forMembers }) => isMember || !forMembers)

/** The items shown before anything is typed. */
export function suggestions(recent: PaletteItem[], isMember: boolean): PaletteGroup[] {
  const recentIds = new Set(recent.map(({ id }) => id))
  const groups = [
    { label: 'Recent', items: recent },
    {
      label: 'Pages',
      items: offered(PAGES, isMember)
        .filter(({ id }) => !recentIds.has(id))
        .slice(0, 6),
    },
    { label: 'Actions', items: offered(ACTIONS, isMember).slice(0, GROUP_MAX) },
  ]
  return groups.filter(({ items }) => items.length > 0)
}

/** Groups for a search, the one with the best match first. @param results the server's, best first */
export function matches(
  q: string,
  results: readonly PaletteItem[],
  isMember: boolean,
  commands: readonly PaletteItem[] = [],
): PaletteGroup[] {
  const own = offered([...PAGES, ...SETTINGS, ...ACTIONS], isMember).flatMap((item) => {
    const rank = rankOf(item, q)
    return rank === null ? [] : [{ item, rank }]
  })
  // The server also matches within words, but matches at the start come first.
  const theirs = results.map((item) => ({ item, rank: rankOf(item, q.replace(/^@/, '')) ?? 2 }))
  const handle = isMember ? handleOf(q) : null
  const scrape: PaletteItem | null = handle
    ? {
        id: 'scrape',
        kind: 'action',
        label: `Scrape @${handle}`,
        path: `${paths.xAutomation}?tab=scraper&handle=${encodeURIComponent(handle)}`,
      }
    : null
  const ofCommand = commands.map((item) => ({ item, rank: -1 }))
  const all = [
    ...ofCommand,
    ...own,
    ...theirs,
    ...(scrape ? [{ item: scrape, rank: /^(scrape |@)/i.test(q) ? 0 : 3 }] : []),
  ]
  return ORDER.map((kind) => {
    // Equally good matches keep their order.
    const items = all.filter(({ item }) => item.kind === kind).sort((a, b) => a.rank - b.rank)
    return { label: GROUP_NAMES[kind], items: items.slice(0, GROUP_MAX), rank: items[0]?.rank ?? 9 }
  })
    .filter(({ items }) => items.length > 0)
    .sort((a, b) => a.rank - b.rank)
    .map(({ label, items }) => ({ label, items: items.map(({ item }) => item) }))
}

/** Splits a label around the typed part, which is highlighted. */
export function markedParts(label: string, q: string): [string, string, string] {
  const text = q.replace(/^@/, '')
  const at = text === '' ? -1 : label.toLowerCase().indexOf(text.toLowerCase())
  if (at < 0) return [label, '', '']
  return [label.slice(0, at), label.slice(at, at + text.length), label.slice(at + text.length)]
}
