import type { KeyGroup } from '../../../ui/use-keys'
import { LABEL_NAMES } from '../../leads/leads/history-text'
import { LABEL_KEYS } from './label-keypad'
import { sendKeys } from './send-keys'

/** Keyboard shortcuts of the inbox, for the shortcuts dialog. */
export const inboxKeys: readonly KeyGroup[] = [
  {
    title: 'Conversations',
    keys: [
      ['J', 'Next conversation'],
      ['K', 'Previous conversation'],
      ['E', 'Done, or reopen'],
      ['H', 'Snooze'],
      ['A', 'Assign'],
      ['R', 'Reply'],
      ['X', 'Select'],
      ['⇧ X', 'Select a range'],
      ['Esc', 'Clear the selection'],
      ['/', 'Search'],
      [import.meta.env.SSR ? '' : sendKeys(), 'Send, then open the next person who waits'],
      ['Tab', 'Take the suggested answer'],
    ],
  },
  { title: 'Label', keys: LABEL_KEYS.map((label, index) => [String(index + 1), LABEL_NAMES[label]] as const) },
]
