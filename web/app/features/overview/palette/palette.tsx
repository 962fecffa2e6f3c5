import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { formatCount } from '@x-automated/contract/format'
import {
  CirclePause,
  CornerDownLeft,
  FileText,
  Inbox,
  Keyboard,
  List,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Play,
  Plus,
  Radar,
  Search,
  Send,
  Settings,
  Sun,
  Zap,
} from 'lucide-react'
import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { useParams } from 'react-router'
import { api, refusalText } from '../../../api'
import { Avatar } from '../../../ui/avatar'
import { Kbd } from '../../../ui/kbd'
import { modKey } from '../../../ui/mod-key'
import { useDebouncedValue } from '../../../ui/use-debounced-value'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'
import { useHasRole } from '../../identity/people/use-role'
import { moreLinks, workLinks } from '../shell/navigation'
import { useOpenPage } from '../shell/use-offline-links'
import { useSignOut } from '../shell/use-sign-out'
import {
  commandItems,
  commandOf,
  type ItemKind,
  markedParts,
  matches,
  type PaletteItem,
  suggestions,
} from './palette-items'
import { addRecent, recentItems } from './recent-items'
import { setTheme } from './set-theme'
import { usePauseAll } from './use-pause-all'

const DEBOUNCE_MS = 120
/** How many campaigns a command looks at. */
const COMMANDS_MAX = 20

interface PaletteProps extends ControlledDialogProps {
  onShowKeys: () => void
}

/** Searches people, lists, campaigns, conversations, pages, settings and actions. */
export default function Palette({ open, onClose, onShowKeys }: PaletteProps) {
  const input = useRef<HTMLInputElement>(null)
  const run = useRun(onClose, onShowKeys)
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Viewport className="fixed inset-0 z-50 flex items-start justify-center px-2 pt-4 sm:px-6 sm:pt-28">
          <Dialog.Popup
            initialFocus={input}
            className="popup flex max-h-[min(calc(100dvh-var(--spacing)*8),34rem)] w-full max-w-160 flex-col overflow-hidden rounded-xl shadow-lg"
          >
            <Dialog.Title className="sr-only">Search</Dialog.Title>
            <Results inputRef={input} onRun={run} />
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

type Run = (item: PaletteItem, inNewTab: boolean) => void

function useRun(onClose: () => void, onShowKeys: () => void): Run {
  const openPage = useOpenPage()
  const workspaceId = useQuery(api.auth.me.queryOptions()).data?.workspace.id
  const { pauseAll, changeCampaign } = usePauseAll()
  const signOut = useSignOut()
  return (item, inNewTab) => {
    if (workspaceId && item.kind !== 'action') addRecent(workspaceId, item)
    if (inNewTab && item.path) {
      window.open(item.path, '_blank', 'noopener')
      return
    }
    onClose()
    if (item.path) openPage(item.path)
    if (item.run === 'pause-all') pauseAll()
    if (item.run === 'sign-out') signOut()
    if (item.run === 'keys') onShowKeys()
    if (item.run?.startsWith('theme-')) setTheme(item.run.slice('theme-'.length))
    if (item.campaign) changeCampaign(item.campaign, item.run === 'resume' ? 'active' : 'paused')
  }
}

function Results({ inputRef, onRun }: { inputRef: React.RefObject<HTMLInputElement | null>; onRun: Run }) {
  const [text, setText] = useState('')
  const q = text.trim()
  const isMember = useHasRole('member') !== false
  const workspaceId = useQuery(api.auth.me.queryOptions()).data?.workspace.id
  const [recent] = useState(() => (workspaceId ? recentItems(workspaceId) : []))
  const debounced = useDebouncedValue(q.slice(0, 200), DEBOUNCE_MS)
  const search = useQuery(
    api.search.find.queryOptions({
      input: { q: debounced },
      enabled: debounced !== '',
      placeholderData: keepPreviousData,
    }),
  )
  const results = (q === '' ? [] : (search.data?.groups ?? [])).flatMap(({ kind, items }) =>
    items.map((item): PaletteItem => {
      const { id, title, subtitle, path, pictureUrl } = item
      return { id: `${kind} ${id}`, kind, label: title, detail: subtitle, path, pictureUrl }
    }),
  )
  // While someone types, those of the text before would come first.
  const commands = useCommands(debounced === q ? q : '', isMember)
  const groups = q === '' ? suggestions(recent, isMember) : matches(q, results, isMember, commands)
  const count = groups.reduce((sum, { items }) => sum + items.length, 0)
  const isSearching = q !== '' && (search.isFetching || debounced !== q)
  const highlighted = useRef<PaletteItem | undefined>(undefined)
  // Enter opens the first result, so it must be in view.
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (q !== '') list.current?.scrollTo({ top: 0 })
  }, [q])
  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      items={groups}
      value={text}
      onValueChange={setText}
      autoHighlight="always"
      keepHighlight
      itemToStringValue={({ label }: PaletteItem) => label}
      onItemHighlighted={(item) => {
        highlighted.current = item
      }}
    >
      <div className="flex items-center gap-3 border-b border-line px-4 sm:px-5">
        <Search aria-hidden className="size-5 shrink-0 text-faint" />
        <Autocomplete.Input
          ref={inputRef}
          aria-label="Search people, lists, campaigns, pages and actions"
          placeholder="Search or type a command"
          maxLength={200}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || !highlighted.current) return
            event.preventDefault()
            onRun(highlighted.current, true)
          }}
          className="h-14 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-faint"
        />
        <Dialog.Close className="rounded-sm text-xs text-muted md:hidden">Close</Dialog.Close>
        <Kbd>Esc</Kbd>
      </div>
      <Autocomplete.List
        ref={list}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-2 data-empty:pb-0"
      >
        {(group: { label: string; items: PaletteItem[] }) => (
          <Autocomplete.Group key={group.label} items={group.items} className="pt-1">
            <Autocomplete.GroupLabel className="px-3 pt-2 pb-1 text-xs text-muted">
              {group.label}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(item: PaletteItem) => <Item key={item.id} item={item} q={q} onRun={onRun} />}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
      {count === 0 && (
        <p className="px-5 py-8 text-center text-muted">
          {isSearching
            ? 'Searching…'
            : search.isError
              ? refusalText(search.error, 'Search failed. Try again.')
              : `Nothing matches “${q}”.`}
        </p>
      )}
      <div className="flex h-10 shrink-0 items-center gap-4 border-t border-line px-5 text-xs text-faint max-md:hidden">
        <span className="flex items-center gap-1">
          <Kbd>↑</Kbd>
          <Kbd>↓</Kbd> move
        </span>
        <span className="flex items-center gap-1">
          <Kbd>↵</Kbd> open
        </span>
        <span className="flex items-center gap-1">
          <Kbd>{`${modKey()}↵`}</Kbd> open in a tab
        </span>
        <span className="ms-auto" data-numeric>
          {search.isError && count > 0 ? "People and campaigns didn't load." : isSearching ? 'Searching…' : ''}
        </span>
      </div>
      <Autocomplete.Status className="sr-only">{isSearching ? '' : formatCount(count, 'result')}</Autocomplete.Status>
    </Autocomplete.Root>
  )
}

/** The actions of a typed command on campaigns. */
function useCommands(q: string, isMember: boolean): PaletteItem[] {
  const { campaignId } = useParams()
  const command = isMember ? commandOf(q) : null
  const { data } = useQuery(
    api.campaigns.list.queryOptions({
      input: {
        status: command?.verb === 'resume' ? 'paused' : 'active',
        pageSize: COMMANDS_MAX,
        ...(command?.keyword && { keyword: command.keyword }),
      },
      enabled: command !== null,
    }),
  )
  // A campaign that was never launched is launched on its page, where one sees to whom.
  const launched = data?.campaigns.filter(({ totalLeadsInList }) => totalLeadsInList > 0) ?? []
  return command ? commandItems(command, launched, campaignId) : []
}

function Item({ item, q, onRun }: { item: PaletteItem; q: string; onRun: Run }) {
  const [before, marked, after] = markedParts(item.label, q)
  const Icon = iconOf(item)
  return (
    <Autocomplete.Item
      value={item}
      onClick={(event: MouseEvent) => onRun(item, event.metaKey || event.ctrlKey)}
      className="group flex min-h-10 cursor-default items-center gap-3 rounded-md px-3 text-ui outline-none select-none data-highlighted:bg-pressed pointer-coarse:min-h-11"
    >
      {item.kind === 'lead' || item.kind === 'conversation' ? (
        <Avatar name={item.label} src={item.pictureUrl ?? null} size="xs" />
      ) : (
        <Icon aria-hidden className="mx-0.5 size-4 shrink-0 text-muted" />
      )}
      <span className="shrink-0 truncate max-sm:shrink sm:max-w-[60%]">
        {before}
        {marked && (
          <mark className="bg-transparent font-strong text-inherit underline decoration-line-strong underline-offset-3">
            {marked}
          </mark>
        )}
        {after}
      </span>
      {item.detail && <span className="ms-auto min-w-0 truncate text-xs text-muted max-sm:hidden">{item.detail}</span>}
      <span
        aria-hidden
        className={
          item.detail
            ? 'hidden group-data-highlighted:block max-sm:hidden!'
            : 'ms-auto hidden group-data-highlighted:block max-sm:hidden!'
        }
      >
        <CornerDownLeft className="size-3.5 text-faint" />
      </span>
    </Autocomplete.Item>
  )
}

const KIND_ICONS: Record<ItemKind, LucideIcon> = {
  page: FileText,
  setting: Settings,
  action: Zap,
  lead: FileText,
  conversation: Inbox,
  list: List,
  campaign: Send,
}
const ACTION_ICONS: Record<string, LucideIcon> = {
  scrape: Radar,
  'find-leads': Radar,
  'new-campaign': Plus,
  'pause-all': CirclePause,
  keys: Keyboard,
  'sign-out': LogOut,
  'theme-dark': Moon,
  'theme-light': Sun,
  'theme-system': Monitor,
}

function iconOf({ id, kind, path, run, campaign }: PaletteItem): LucideIcon {
  if (kind === 'page') {
    const link = [...workLinks, ...moreLinks].find(({ to, tab }) => (tab ? `${to}?tab=${tab}` : to) === path)
    if (link) return link.icon
  }
  if (campaign) return run === 'resume' ? Play : CirclePause
  return ACTION_ICONS[id] ?? KIND_ICONS[kind]
}
