import type { ReplyLabel } from '@x-automated/contract/leads/leads'
import type { Conversation } from '@x-automated/contract/outreach/conversations'
import { useEffect, useRef, useState } from 'react'
import { useKeys } from '../../../ui/use-keys'
import { LABEL_NAMES } from '../../leads/leads/history-text'
import { snoozeText } from './inbox-text'
import { LABEL_KEYS } from './label-keypad'
import { type Inbox, useChangeConversation } from './use-inbox'

/** The lead's name or, without one, their handle. */
export const nameOf = ({ lead }: Conversation) => lead.name || `@${lead.twitterHandle}`

/** The actions on the open conversation, and which of its menus is open. */
export function useConversationActions(inbox: Inbox, conversation: Conversation) {
  const { change } = useChangeConversation()
  const [openMenu, setOpenMenu] = useState<'snooze' | 'assign' | 'card' | null>(null)
  return {
    shown: openMenu,
    setShown: setOpenMenu,
    finish() {
      const done = conversation.status !== 'done'
      const back = () => inbox.open(conversation.id)
      inbox.openNext()
      void change(
        conversation,
        { status: done ? 'done' : 'open' },
        { done: `${nameOf(conversation)}: ${done ? 'done' : 'open again'}`, onUndone: back },
      )
    },
    snooze(until: Date, reengage: boolean) {
      setOpenMenu(null)
      inbox.openNext()
      const update = { status: 'snoozed', snoozedUntil: until.toISOString(), ...(reengage && { reengage }) } as const
      const done = `Snoozed until ${snoozeText(until, Date.now())}`
      void change(conversation, update, { done, onUndone: () => inbox.open(conversation.id) })
    },
    setLabel(label: ReplyLabel) {
      // Pressing the key of the classifier's own label confirms it.
      if (label !== conversation.label || conversation.confidence !== null)
        void change(conversation, { label }, { done: `Labeled ${LABEL_NAMES[label]}` })
    },
    assign: (assigneeId: string | null, to: string | null) =>
      void change(conversation, { assigneeId }, { done: to === null ? 'Unassigned' : `Assigned to ${to}` }),
    markAsRead: (isRead: boolean) => void change(conversation, { isRead }),
  }
}

export type ConversationActions = ReturnType<typeof useConversationActions>

/**
 * Keyboard shortcuts of the open conversation. Off while conversations are selected, because the
 * keys then act on those.
 */
export function useConversationKeys(inbox: Inbox, actions: ConversationActions) {
  const keys = {
    e: () => actions.finish(),
    h: () => actions.setShown('snooze'),
    a: () => actions.setShown('assign'),
    ...Object.fromEntries(LABEL_KEYS.map((label, index) => [String(index + 1), () => actions.setLabel(label)])),
  }
  useKeys(inbox.selection.isOn ? {} : keys)
}

/** Marks a conversation as read once its messages are displayed. */
export function useReadMark(conversation: Conversation, isShown: boolean) {
  const { change } = useChangeConversation()
  // Only once per message, so that "Mark as unread" lasts until the lead writes again.
  const readAt = useRef('')
  const lastId = conversation.lastMessage.id
  useEffect(() => {
    if (!isShown || readAt.current === lastId) return
    readAt.current = lastId
    if (conversation.isUnread) void change(conversation, { isRead: true })
  })
}
