import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { SendingSettings } from '@x-automated/contract/sending-settings'
import { useState } from 'react'
import { api, errorText } from '../../api'
import { Button } from '../../ui/button'
import { Card } from '../../ui/card'
import { Checkbox, Switch } from '../../ui/choice'
import { DateTime } from '../../ui/date-time'
import { Dialog } from '../../ui/dialog'
import { toast } from '../../ui/toast'

/** Whom campaigns may write to: only people who want to hear from us, unless the owner lifts that. */
export function BasisCard({ basis, disabled }: { basis: SendingSettings['basis']; disabled: boolean }) {
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const [hasRead, setHasRead] = useState(false)
  const close = () => {
    setAsking(false)
    setHasRead(false)
  }
  const save = useMutation(
    api.sendingSettings.saveBasis.mutationOptions({
      onSuccess(settings) {
        queries.setQueryData(api.sendingSettings.find.queryKey(), settings)
        close()
        toast.success(
          settings.basis.required
            ? 'Campaigns write only to leads with a contact basis now.'
            : 'Campaigns write to every lead of their list now.',
        )
      },
      onError: (error) => toast.error(errorText(error, 'Failed to save the setting. Please try again.')),
    }),
  )
  return (
    <Card
      title="Contact basis"
      description="X allows automated messages only to people who asked for them or wrote first."
    >
      <div className="grid max-w-xl gap-3">
        <Switch
          label="Campaigns write only to leads with a contact basis"
          hint="They asked, wrote first, or are a customer. All others are skipped, and the campaign says so. What is queued already stays queued."
          checked={basis.required}
          disabled={disabled || save.isPending}
          onChange={(event) => (event.currentTarget.checked ? save.mutate({ required: true }) : setAsking(true))}
        />
        {disabled && <p className="text-muted">Only the owner of the workspace changes this.</p>}
        {!basis.isRealX && (
          <p className="text-muted">Here X is a stand-in that reaches nobody, so it is off unless you switch it on.</p>
        )}
        {basis.liftedAt && (
          <p className="text-muted">
            Lifted {basis.liftedBy ? `by ${basis.liftedBy} ` : ''}on <DateTime value={basis.liftedAt} precision="day" />
            .
          </p>
        )}
      </div>
      <Dialog
        open={asking}
        onClose={close}
        title="Write to people without a contact basis?"
        description="Please read what X says first."
        footer={
          <>
            <Button onClick={close}>Keep the limit</Button>
            <Button
              variant="danger"
              disabled={!hasRead}
              loading={save.isPending}
              onClick={() => save.mutate({ required: false, hasReadRules: true })}
            >
              Lift the limit
            </Button>
          </>
        }
      >
        <div className="grid gap-4">
          <ul className="grid list-disc gap-2 ps-5">
            <li>Automated direct messages may go only to people who asked for them or wrote to you first.</li>
            <li>There must be an easy way to opt out, and it must be honoured at once.</li>
            <li>Bulk messages that nobody asked for can end in the suspension of your account.</li>
          </ul>
          <p>
            The rules in full:{' '}
            <a
              className="underline"
              href="https://help.x.com/en/rules-and-policies/x-automation"
              target="_blank"
              rel="noreferrer"
            >
              X’s automation rules
            </a>
          </p>
          <Checkbox
            label="I have read this, and answer for whom we write to."
            checked={hasRead}
            onChange={(event) => setHasRead(event.currentTarget.checked)}
          />
        </div>
      </Dialog>
    </Card>
  )
}
