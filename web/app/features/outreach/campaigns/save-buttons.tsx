import type { ReactNode } from 'react'
import { Button } from '../../../ui/button'
import type { CampaignFormState } from './use-campaign-form'
import type { SaveMode } from './use-create-campaign'

/** The id of the note that says who is messaged now, and who later. */
export const LAUNCH_NOTE = 'launch-note'

interface SaveButtonsProps {
  state: CampaignFormState
  /** The launch note, if it belongs next to the buttons. */
  note?: ReactNode
  /** The key that launches. */
  hint?: ReactNode
}

/** Clears, saves or launches a campaign that is being written. */
export function SaveButtons({ state, note, hint }: SaveButtonsProps) {
  const { isReady, pending, launch, discard, submit } = state
  // While saving, the pressed button stays enabled, so that it keeps the focus.
  const isDisabled = (mode: SaveMode) => !isReady && pending !== mode
  return (
    <>
      <Button variant="ghost" disabled={pending !== null} onClick={discard}>
        Discard
      </Button>
      <Button disabled={isDisabled('pause')} loading={pending === 'pause'} onClick={() => submit('pause')}>
        Save and Pause
      </Button>
      {note}
      <Button
        variant="primary"
        aria-describedby={launch ? LAUNCH_NOTE : undefined}
        disabled={isDisabled('launch')}
        loading={pending === 'launch'}
        onClick={() => submit('launch')}
      >
        Launch Campaign
        {hint}
      </Button>
    </>
  )
}
