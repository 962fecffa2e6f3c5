import type { SendingSettings } from '@x-automated/contract/outreach/sending-settings'
import { useState } from 'react'
import { client } from '../../../api'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Checkbox, Switch } from '../../../ui/choice'
import { DateTime } from '../../../ui/date-time'
import { Dialog } from '../../../ui/dialog'
import { useSaveSettings } from './use-save-settings'

/** Whether campaigns require a contact basis. Only the owner may turn that off. */
export function BasisCard({ basis, disabled }: { basis: SendingSettings['basis']; disabled: boolean }) {
  const [asking, setAsking] = useState(false)
  const [hasRead, setHasRead] = useState(false)
  const close = () => {
    setAsking(false)
    setHasRead(false)
  }
  const save = useSaveSettings(
    (required: boolean) => client.sendingSettings.saveBasis({ required, hasReadRules: !required || undefined }),
    {
      done: ({ basis }) =>
        basis.required
          ? 'Campaigns now only message leads with a contact basis.'
          : 'Campaigns now message every lead on their list.',
      onSuccess: close,
      failed: 'Failed to save the setting. Please try again.',
    },
  )
  return (
    <Card
      title="Contact basis"
      description="X allows automated messages only to people who asked for them or messaged you first."
    >
      <div className="grid max-w-xl gap-3">
        <Switch
          label="Only message leads with a contact basis"
          hint="Others are skipped and listed in the campaign. Queued messages aren't affected."
          checked={basis.required}
          disabled={disabled || save.isPending}
          onChange={(event) => (event.currentTarget.checked ? void save.run(true) : setAsking(true))}
        />
        {disabled && <p className="text-muted">Only the workspace owner can change this.</p>}
        {!basis.isRealX && (
          <p className="text-muted">This server uses a simulated X that reaches no one, so this is off by default.</p>
        )}
        {basis.liftedAt && (
          <p className="text-muted">
            Turned off {basis.liftedBy ? `by ${basis.liftedBy} ` : ''}on{' '}
            <DateTime value={basis.liftedAt} precision="day" endsSentence />
          </p>
        )}
      </div>
      <Dialog
        open={asking}
        onClose={close}
        title="Message people without a contact basis?"
        description="Read X's rules first."
        footer={
          <>
            <Button onClick={close}>Keep requiring a basis</Button>
            <Button variant="danger" disabled={!hasRead} loading={save.isPending} onClick={() => save.run(false)}>
              Message anyone
            </Button>
          </>
        }
      >
        <div className="grid gap-4">
          <ul className="grid list-disc gap-2 ps-5">
            <li>You may only send automated direct messages to people who asked for them or messaged you first.</li>
            <li>You must offer an easy way to opt out and honor it immediately.</li>
            <li>Unsolicited bulk messages can get your account suspended.</li>
          </ul>
          <p>
            Full rules:{' '}
            <a
              className="underline"
              href="https://help.x.com/en/rules-and-policies/x-automation"
              target="_blank"
              rel="noreferrer"
            >
              X's automation rules
            </a>
          </p>
          <Checkbox
            label="I've read this and take responsibility for who we message."
            checked={hasRead}
            onChange={(event) => setHasRead(event.currentTarget.checked)}
          />
        </div>
      </Dialog>
    </Card>
  )
}
