import { DELAY_MAX } from '@x-automated/contract/outreach/sequence-limits'
import { Ellipsis, Trash2 } from 'lucide-react'
import { useId } from 'react'
import { IconButton } from '../../../ui/button'
import { Menu, MenuItem } from '../../../ui/menu'
import { NumberInput } from '../../../ui/number-input'
import type { Remark } from './lint'
import { MessageEditor } from './message-editor'
import type { ReengagementDraft } from './sequence-draft'
import { Numbered } from './step-card'
import { Wait } from './wait-row'

interface ReengagementCardProps {
  reengagement: ReengagementDraft
  number: number
  problem: string | undefined
  remarks: readonly Remark[]
  /** The id of a saved campaign. */
  campaignId: string | undefined
  onChange: (next: ReengagementDraft) => void
  onRemove: () => void
}

/** The last message, sent once if nothing has happened since the previous one. */
export function ReengagementCard({
  reengagement,
  number,
  problem,
  remarks,
  campaignId,
  onChange,
  onRemove,
}: ReengagementCardProps) {
  const id = useId()
  const { afterDays, messageTemplate } = reengagement
  return (
    <>
      <Wait>
        <NumberInput
          aria-label="Days before re-engagement"
          className="w-14! text-center"
          min={1}
          max={DELAY_MAX.days}
          value={afterDays}
          onChange={(next) => onChange({ ...reengagement, afterDays: next })}
        />
        days, then send if nothing has happened
      </Wait>
      <Numbered number={number} isQuiet isLast>
        <div className="flex min-h-8 flex-wrap items-center gap-x-2">
          <label htmlFor={id} className="font-strong">
            Re-engagement
          </label>
          <span className="me-auto text-muted">sent once</span>
          <Menu trigger={<IconButton icon={<Ellipsis />} label="More for re-engagement" size="sm" />}>
            <MenuItem icon={<Trash2 />} onSelect={onRemove}>
              Remove re-engagement
            </MenuItem>
          </Menu>
        </div>
        <MessageEditor
          id={id}
          value={messageTemplate}
          onChange={(next) => onChange({ ...reengagement, messageTemplate: next })}
          placeholder="Hi {first_name}, is this still on your mind?"
          problem={problem}
          remarks={remarks}
          campaignId={campaignId}
        />
      </Numbered>
    </>
  )
}
