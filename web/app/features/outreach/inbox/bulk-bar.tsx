import { formatNumber } from '@x-automated/contract/format'
import { AlarmClock, Check, CircleDot, Mail, MailOpen, Undo2, X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../../ui/button'
import { Menu } from '../../../ui/menu'
import { useKeys } from '../../../ui/use-keys'
import { LABEL_NAMES } from '../../leads/leads/history-text'
import { AssignMenu } from './assign-menu'
import { snoozeText } from './inbox-text'
import { LABEL_KEYS, LabelItems } from './label-keypad'
import { NOTHING_SELECTED } from './selection'
import { SnoozeMenu } from './snooze-menu'
import { useBulkChange } from './use-bulk-change'
import type { Inbox } from './use-inbox'

/** Actions on the selected conversations. */
export function BulkBar({ inbox }: { inbox: Inbox }) {
  const { selection, setSelection, selected, total } = inbox
  const change = useBulkChange(inbox)
  const [openMenu, setOpenMenu] = useState<'snooze' | 'assign' | null>(null)
  const toggle = (what: typeof openMenu) => (open: boolean) => setOpenMenu(open ? what : null)
  const clear = () => setSelection(NOTHING_SELECTED)
  const isEmpty = selected.length === 0
  const areDone = !isEmpty && selected.every(({ status }) => status === 'done')
  const areRead = !selection.hasAll && selected.every(({ isUnread }) => !isUnread)

  const finish = () =>
    areDone
      ? change({ status: 'open' }, (conversations) => `Reopened ${conversations}`)
      : change({ status: 'done' }, (conversations) => `Marked ${conversations} as done`)
  const setLabel = (label: (typeof LABEL_KEYS)[number]) =>
    change({ label }, (conversations) => `Labeled ${conversations} ${LABEL_NAMES[label]}`)
  const whenSelected = (act: () => void) => () => {
    if (!isEmpty) act()
  }
  useKeys({
    e: whenSelected(finish),
    h: whenSelected(() => setOpenMenu('snooze')),
    a: whenSelected(() => setOpenMenu('assign')),
    escape: clear,
    ...Object.fromEntries(LABEL_KEYS.map((label, index) => [String(index + 1), whenSelected(() => setLabel(label))])),
  })

  return (
    <section
      aria-label="Selected conversations"
      className="grid shrink-0 gap-1 border-t border-line bg-raised px-3 py-2 shadow-md max-md:fixed max-md:inset-x-0 max-md:bottom-tab-bar max-md:z-31"
    >
      <div className="flex min-h-8 items-center gap-1">
        <p role="status" className="me-auto truncate ps-1 font-strong" data-numeric>
          {selection.hasAll
            ? total === null
              ? 'All that match selected'
              : `All ${formatNumber(total)} selected`
            : `${formatNumber(selected.length)} selected`}
        </p>
        {!selection.hasAll && (total === null || total > selected.length) && (
          <Button
            size="sm"
            variant="ghost"
            onClick={() => setSelection({ ...NOTHING_SELECTED, isOn: true, hasAll: true })}
          >
            Select all {total === null ? 'that match' : formatNumber(total)}
          </Button>
        )}
        <IconButton size="sm" label="Clear selection" title="Clear selection (Esc)" icon={<X />} onClick={clear} />
      </div>
      <div className="flex items-center justify-between gap-1">
        <Button
          size="sm"
          icon={areDone ? <Undo2 /> : <Check />}
          title={areDone ? 'Reopen (E)' : 'Done (E)'}
          disabled={isEmpty}
          onClick={finish}
        >
          {areDone ? 'Reopen' : 'Done'}
        </Button>
        <SnoozeMenu
          open={openMenu === 'snooze'}
          onOpenChange={toggle('snooze')}
          trigger={<IconButton size="sm" label="Snooze" title="Snooze (H)" icon={<AlarmClock />} disabled={isEmpty} />}
          onSnooze={(until) => {
            setOpenMenu(null)
            change(
              { status: 'snoozed', snoozedUntil: until.toISOString() },
              (conversations) => `Snoozed ${conversations} until ${snoozeText(until, Date.now())}`,
            )
          }}
        />
        <Menu
          trigger={
            <IconButton size="sm" label="Label" title="Label (1 to 8)" icon={<CircleDot />} disabled={isEmpty} />
          }
        >
          <LabelItems onLabel={setLabel} />
        </Menu>
        <AssignMenu
          conversation={NOBODY}
          open={openMenu === 'assign'}
          onOpenChange={toggle('assign')}
          disabled={isEmpty}
          mayUnassign
          onAssign={(assigneeId, to) =>
            change({ assigneeId }, (conversations) =>
              to === null ? `Unassigned ${conversations}` : `Assigned ${conversations} to ${to}`,
            )
          }
        />
        <IconButton
          size="sm"
          label={areRead ? 'Mark as unread' : 'Mark as read'}
          title={areRead ? 'Mark as unread' : 'Mark as read'}
          icon={areRead ? <Mail /> : <MailOpen />}
          disabled={isEmpty}
          onClick={() =>
            change({ isRead: !areRead }, (conversations) => `Marked ${conversations} as ${areRead ? 'unread' : 'read'}`)
          }
        />
      </div>
    </section>
  )
}

const NOBODY = { assigneeId: null }
