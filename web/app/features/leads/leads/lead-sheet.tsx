import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { FIRST_NAME } from '@x-automated/contract/leads/column-names'
import type { LeadDetail } from '@x-automated/contract/leads/leads'
import { Ban, ChevronDown, ChevronUp, Ellipsis, ListPlus, MessageSquare, Pencil, Trash2 } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, type RefObject, useRef, useState } from 'react'
import { api } from '../../../api'
import { QueryError } from '../../../query-error'
import { Avatar } from '../../../ui/avatar'
import { StatusDot } from '../../../ui/badge'
import { Button, IconButton } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Checkbox } from '../../../ui/choice'
import { DateTime } from '../../../ui/date-time'
import { SheetTitle, WideSheet } from '../../../ui/dialog'
import { Kbd } from '../../../ui/kbd'
import { Menu, MenuItem } from '../../../ui/menu'
import { SkeletonText } from '../../../ui/skeleton'
import { useDialogs } from '../../../ui/use-dialogs'
import { useIsOffered } from '../../identity/people/use-role'
import { XHandle } from '../../platform/x-account/x-handle'
import { AddToList } from './add-to-list'
import { BasisDialog } from './basis-dialog'
import { LeadConversations, useLeadConversations } from './lead-conversations'
import { LeadHistory } from './lead-history'
import { FactList, LeadFollowers } from './lead-parts'
import { canBeMessaged, displayStatusOf, SUPPRESSED_HINT } from './lead-status'
import { fieldText } from './leads-columns'
import { basisLabels } from './leads-url'
import { SampleBadge } from './sample-badge'
import { SendDialog } from './send-dialog'
import { SheetPart } from './sheet-part'
import { TagBadge, useTagsToPick } from './tag-badge'
import { NewTag, TagDialog } from './tag-dialog'
import { useTagLeads } from './use-bulk'

export interface LeadSheetProps {
  /** Null while the sheet is closed. */
  id: string | null
  onClose: () => void
  /** '3 of 286'; null if the lead isn't on the page. */
  position: string | null
  /** Opens the next lead of the filter; null if there is none. */
  onNext: (() => void) | null
  /** Opens the previous lead of the filter; null if there is none. */
  onPrevious: (() => void) | null
  onSend: (lead: LeadDetail, message: string) => void
  onSuppress: (lead: LeadDetail) => void
  onRemove: (lead: LeadDetail) => void
  /** Renders the lead's conversation, with a field to answer. */
  renderThread: (conversationId: string, textarea: RefObject<HTMLTextAreaElement | null>) => ReactNode
  /** Renders the members' notes about the conversation. */
  renderNotes: (conversationId: string) => ReactNode
}

/** A lead: first the conversation, with details and history beside it. */
export function LeadSheet({ id, onClose, position, onNext, onPrevious, ...props }: LeadSheetProps) {
  const lead = useQuery(
    api.leads.find.queryOptions({ input: { id: id ?? '' }, enabled: id !== null, placeholderData: keepPreviousData }),
  )
  const loaded = leadOf(id, lead.data)
  const textarea = useRef<HTMLTextAreaElement>(null)
  const dialogs = useDialogs<'send' | 'list' | 'tag' | 'basis'>()
  const mayWrite = useIsOffered('member')
  const message = useMessage(loaded, textarea, () => dialogs.show('send'))
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const act = {
      r: mayWrite && message,
      ArrowDown: onNext,
      j: onNext,
      ArrowUp: onPrevious,
      k: onPrevious,
      l: mayWrite && loaded && (() => dialogs.show('list')),
      t: mayWrite && loaded && (() => dialogs.show('tag')),
    }[event.key]
    const { target, currentTarget, ctrlKey, metaKey, altKey } = event
    if (!act || ctrlKey || metaKey || altKey || event.defaultPrevented || !(target instanceof Element)) return
    // Menus and dialogs in front have their own shortcuts, and so does anything that is typed into
    // or scrolled.
    if (!currentTarget.contains(target) || target.closest('input:not([type=checkbox]), textarea, [role=log]')) return
    event.preventDefault()
    act()
  }
  return (
    <WideSheet
      open={id !== null}
      onClose={onClose}
      onKeyDown={press}
      returnsTo={() => document.querySelector<HTMLElement>(`tr[data-row="${loaded?.id}"] [data-opens]`)}
      bar={
        <>
          <IconButton
            size="sm"
            icon={<ChevronUp />}
            label="Previous lead"
            title="Previous lead (K)"
            disabled={!onPrevious}
            onClick={() => onPrevious?.()}
          />
          <IconButton
            size="sm"
            icon={<ChevronDown />}
            label="Next lead"
            title="Next lead (J)"
            disabled={!onNext}
            onClick={() => onNext?.()}
          />
          <span role="status" className="truncate ps-1 text-ui text-muted max-sm:sr-only" data-numeric>
            {position}
            {loaded && <span className="sr-only">, {loaded.name || `@${loaded.twitterHandle}`}</span>}
          </span>
          <span className="ms-auto" />
          {loaded && <SheetActions lead={loaded} onMessage={message} onList={() => dialogs.show('list')} {...props} />}
        </>
      }
    >
      {lead.isError && !loaded ? (
        <div className="p-6">
          <SheetTitle className="sr-only">Lead</SheetTitle>
          <QueryError query={lead} />
        </div>
      ) : loaded ? (
        <LoadedLead
          key={loaded.id}
          lead={loaded}
          textarea={textarea}
          onBasis={() => dialogs.show('basis')}
          {...props}
        />
      ) : (
        <div className="p-6">
          <SheetTitle className="sr-only">Lead</SheetTitle>
          <SkeletonText lines={8} />
        </div>
      )}
      {loaded &&
        dialogs.render((what, dialog) => {
          const picked = { ids: [loaded.id] }
          if (what === 'basis') return <BasisDialog picked={picked} {...dialog} />
          if (what === 'list') return <AddToList picked={picked} onAdded={() => {}} {...dialog} />
          if (what === 'tag') return <TagDialog picked={picked} {...dialog} />
          const send = (message: string) => props.onSend(loaded, message)
          return <SendDialog picked={picked} handle={loaded.twitterHandle} onSend={send} {...dialog} />
        })}
    </WideSheet>
  )
}

type LeadActions = Pick<LeadSheetProps, 'onSuppress' | 'onRemove'>

/** How to write to the lead: answer their conversation, or send a first message. Null if neither is possible. */
function useMessage(
  lead: LeadDetail | undefined,
  textarea: RefObject<HTMLTextAreaElement | null>,
  onFirst: () => void,
): (() => void) | null {
  const conversations = useLeadConversations(lead?.id)
  if (!lead || lead.suppressed) return null
  // The first conversation is the one on screen.
  if (conversations[0]) return conversations[0].isEncrypted ? null : () => textarea.current?.focus()
  return canBeMessaged(lead) ? onFirst : null
}

interface SheetActionsProps extends LeadActions {
  lead: LeadDetail
  onMessage: (() => void) | null
  onList: () => void
}

function SheetActions({ lead, onMessage, onList, onSuppress, onRemove }: SheetActionsProps) {
  const mayWrite = useIsOffered('member')
  if (!mayWrite) return null
  return (
    <>
      <Button
        size="sm"
        icon={<ListPlus />}
        aria-keyshortcuts="L"
        aria-label="Add to list"
        className="text-ui!"
        onClick={onList}
      >
        <span className="max-sm:hidden">Add to list</span>
      </Button>
      <Menu trigger={<IconButton size="sm" icon={<Ellipsis />} label={`More for @${lead.twitterHandle}`} />}>
        <MenuItem danger icon={<Ban />} disabled={lead.suppressed} onSelect={() => onSuppress(lead)}>
          Suppress
        </MenuItem>
        <MenuItem danger icon={<Trash2 />} onSelect={() => onRemove(lead)}>
          Delete lead
        </MenuItem>
      </Menu>
      <Button
        size="sm"
        variant="primary"
        icon={<MessageSquare />}
        className="text-ui!"
        disabled={!onMessage}
        aria-keyshortcuts="R"
        title={
          lead.suppressed
            ? SUPPRESSED_HINT
            : onMessage
              ? undefined
              : 'Already messaged. You can answer once they reply.'
        }
        onClick={() => onMessage?.()}
      >
        Message <Kbd>R</Kbd>
      </Button>
    </>
  )
}

interface LoadedLeadProps extends Pick<LeadSheetProps, 'renderThread' | 'renderNotes'> {
  lead: LeadDetail
  textarea: RefObject<HTMLTextAreaElement | null>
  onBasis: () => void
}

function LoadedLead({ lead, textarea, onBasis, renderThread, renderNotes }: LoadedLeadProps) {
  const [first, ...others] = useLeadConversations(lead.id)
  const mayWrite = useIsOffered('member')
  return (
    <div className="min-h-0 flex-1 max-md:overflow-y-auto md:grid md:grid-cols-[minmax(0,1fr)_17rem]">
      <div className="flex min-h-0 min-w-0 flex-col">
        <Head lead={lead} />
        {lead.suppressed && (
          <div className="px-4 pt-4 md:px-6">
            <Callout tone="warn" title="On your suppression list">
              No one in this workspace can message them. Manage this in Settings → Sending.
            </Callout>
          </div>
        )}
        {first ? (
          renderThread(first.id, textarea)
        ) : (
          <div className="min-h-0 flex-1 overflow-y-auto px-4 py-5 md:px-6">
            <LeadHistory lead={lead} />
          </div>
        )}
      </div>
      <aside
        aria-label="Details"
        className="grid min-h-0 content-start gap-5 overflow-y-auto overscroll-contain border-hair px-4 py-5 text-ui max-md:border-t md:border-s md:px-5"
      >
        <SheetPart title="Details">
          <Facts lead={lead} />
        </SheetPart>
        <Tags lead={lead} />
        <SheetPart
          title="Contact basis"
          aside={
            mayWrite && (
              <Button size="sm" variant="ghost" icon={<Pencil />} className="text-ui! font-normal!" onClick={onBasis}>
                Change
              </Button>
            )
          }
        >
          <p>{basisLabels[lead.basis]}</p>
          {lead.basisAt && (
            <p className="text-muted">
              Since <DateTime value={lead.basisAt} precision="day" />
              {lead.basisSource && <> · {lead.basisSource}</>}
            </p>
          )}
        </SheetPart>
        {first && mayWrite && renderNotes(first.id)}
        <LeadConversations conversations={others} />
        {first && <LeadHistory lead={lead} />}
      </aside>
    </div>
  )
}

function Head({ lead }: { lead: LeadDetail }) {
  return (
    <div className="grid gap-3 border-b border-hair px-4 py-5 md:px-6">
      <div className="flex items-center gap-4">
        <Avatar name={lead.name || lead.twitterHandle} src={lead.pictureUrl} size="lg" />
        <div className="grid min-w-0 flex-1">
          <SheetTitle className="text-lg wrap-anywhere">
            <bdi>{lead.name || `@${lead.twitterHandle}`}</bdi>
          </SheetTitle>
          <p className="truncate text-ui text-muted">
            <XHandle handle={lead.twitterHandle} /> · <LeadFollowers followerCount={lead.followerCount} />
            {lead.followerCount !== null && ' followers'}
          </p>
        </div>
        {lead.isSample && <SampleBadge />}
        <span className="text-ui">
          <StatusDot status={displayStatusOf(lead)} />
        </span>
      </div>
      {lead.handleLostAt && (
        <p className="text-sm text-muted">
          Someone else has this handle on X now. We know this lead by their X user ID and look up their new handle.
        </p>
      )}
      <bdi className="text-sm wrap-anywhere">{lead.bio?.trim() || 'No bio available'}</bdi>
    </div>
  )
}

/** The open lead's data. While the sheet closes, the data it last displayed, but never another lead's. */
export function leadOf<L extends { id: string }>(id: string | null, data: L | undefined): L | undefined {
  return id === null || data?.id === id ? data : undefined
}

function Facts({ lead }: { lead: LeadDetail }) {
  const fields = Object.keys(lead.metadata).filter((name) => !FIRST_NAME.test(name))
  const custom = fields.map((name): [string, ReactNode] => [name, fieldText(lead, name)])
  const facts: [string, ReactNode][] = [
    ['First name', lead.firstName],
    ['Following', <LeadFollowers key="f" followerCount={lead.followingCount} />],
    ['Location', lead.location],
    ['Website', lead.website && <SafeLink key="w" href={lead.website} />],
    ['Found via', lead.sourceProfile && <XHandle key="s" handle={lead.sourceProfile} />],
    ['Added', <DateTime key="a" value={lead.createdAt} />],
    ...custom,
  ]
  return <FactList facts={facts} className="gap-x-3 gap-y-1.5" />
}

/** A link, but only for http and https URLs: the value is untrusted. */
function SafeLink({ href }: { href: string }) {
  if (!/^https?:\/\//i.test(href)) return href
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="underline underline-offset-[0.2em]">
      {href.replace(/^https?:\/\//i, '')}
    </a>
  )
}

/** The tags of a lead, which members can change. */
export function Tags({ lead }: { lead: LeadDetail }) {
  const tags = useTagsToPick().data?.tags ?? []
  const [editing, setEditing] = useState(false)
  const mayWrite = useIsOffered('member')
  const change = useTagLeads()
  // Shows the requested change immediately, until the lead has been refetched.
  const requested = change.isPending ? change.variables.input : null
  const has = (id: string) =>
    requested?.add.includes(id) || (lead.tagIds.includes(id) && !requested?.remove.includes(id)) || false
  const applied = tags.filter(({ id }) => has(id))
  const set = (id: string, on: boolean) =>
    change.mutate({ picked: { ids: [lead.id] }, input: { add: on ? [id] : [], remove: on ? [] : [id] } })
  return (
    <SheetPart
      title="Tags"
      aside={
        mayWrite && (
          <Button
            size="sm"
            variant="ghost"
            icon={<Pencil />}
            className="text-ui! font-normal!"
            onClick={() => setEditing(!editing)}
          >
            {editing ? 'Done' : 'Edit tags'}
          </Button>
        )
      }
    >
      {editing ? (
        <div className="grid gap-2">
          {tags.map((tag) => (
            <Checkbox
              key={tag.id}
              checked={has(tag.id)}
              disabled={change.isPending}
              onChange={(event) => set(tag.id, event.currentTarget.checked)}
              label={<TagBadge tag={tag} />}
            />
          ))}
          <div className="border-t border-line pt-4">
            <NewTag onCreated={(id) => set(id, true)} />
          </div>
        </div>
      ) : applied.length > 0 ? (
        <span className="flex flex-wrap gap-1">
          {applied.map((tag) => (
            <TagBadge key={tag.id} tag={tag} />
          ))}
        </span>
      ) : (
        <p className="text-muted">No tags</p>
      )}
    </SheetPart>
  )
}
