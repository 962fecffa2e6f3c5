import type { Conversation } from '@x-automated/contract/outreach/conversations'
import { Check, UserRoundPlus } from 'lucide-react'
import { Avatar } from '../../../ui/avatar'
import { IconButton } from '../../../ui/button'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu'
import { useMembers } from './use-inbox'

interface AssignMenuProps {
  conversation: Pick<Conversation, 'assigneeId'>
  open: boolean
  onOpenChange: (open: boolean) => void
  disabled?: boolean
  /** Whether the menu offers to unassign. Defaults to whether someone is assigned. */
  mayUnassign?: boolean
  /** @param name null to unassign */
  onAssign: (assigneeId: string | null, name: string | null) => void
}

/** Assigns a conversation to a member. */
export function AssignMenu({
  conversation: { assigneeId },
  open,
  onOpenChange,
  disabled,
  mayUnassign = assigneeId !== null,
  onAssign,
}: AssignMenuProps) {
  const { members, nameOf } = useMembers()
  const assignee = nameOf(assigneeId)
  const label = assignee ? `Assigned to ${assignee}` : 'Assign'
  return (
    <Menu
      open={open}
      onOpenChange={onOpenChange}
      trigger={
        <IconButton
          size="sm"
          label={label}
          title={`${label} (A)`}
          aria-keyshortcuts="A"
          disabled={disabled}
          icon={assignee ? <Avatar name={assignee} size="xs" /> : <UserRoundPlus />}
        />
      }
    >
      {members.map(({ id, name, isYou }) => (
        <MenuItem key={id} icon={<Avatar name={name} size="xs" />} onSelect={() => onAssign(id, isYou ? 'you' : name)}>
          <bdi className="truncate">{isYou ? `${name} (you)` : name}</bdi>
          {id === assigneeId && <Check aria-label="Assigned" className="ms-auto" />}
        </MenuItem>
      ))}
      {mayUnassign && (
        <>
          <MenuSeparator />
          <MenuItem onSelect={() => onAssign(null, null)}>Nobody</MenuItem>
        </>
      )}
    </Menu>
  )
}
