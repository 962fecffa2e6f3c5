import { useMutation, useQueryClient } from '@tanstack/react-query'
import { formatCount, formatNumber } from '@x-automated/contract/format'
import { INVITATIONS_MAX } from '@x-automated/contract/overview/operator-limits'
import { Send } from 'lucide-react'
import { useRef, useState } from 'react'
import { api, client, errorText } from '../../../api'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Card } from '../../../ui/card'
import { useConfirm } from '../../../ui/confirm'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { NumberInput } from '../../../ui/number-input'

/** Invites the next members after a confirmation. */
export function InviteNext() {
  const queries = useQueryClient()
  const confirm = useConfirm()
  const [count, setCount] = useState<number | null>(10)
  const [problem, setProblem] = useState<string>()
  // After a lost response, a retry must reuse the key, so that it invites nobody else.
  const key = useRef('')
  const invite = useMutation({
    mutationFn: (count: number) => client.operator.invite({ count }, { context: { idempotencyKey: key.current } }),
    onSuccess: () => {
      key.current = ''
      return queries.invalidateQueries({ queryKey: api.operator.key() })
    },
  })
  const lastCount = useRef(0)
  const submit = async () => {
    const howMany = count ?? 0
    const isValid = howMany >= 1 && howMany <= INVITATIONS_MAX
    setProblem(isValid ? undefined : `Enter a whole number from 1 to ${formatNumber(INVITATIONS_MAX)}.`)
    if (!isValid) return
    const sure = await confirm({
      title: `Invite the next ${formatCount(howMany, 'member')}?`,
      body: "We'll email each of them a sign-up link. They keep their places. People already invited or unsubscribed are skipped. This can't be undone.",
      confirm: `Invite ${formatNumber(howMany)}`,
    })
    if (!sure) return
    if (key.current === '' || lastCount.current !== howMany) key.current = crypto.randomUUID()
    lastCount.current = howMany
    invite.mutate(howMany)
  }
  return (
    <Card title="Invite the next" description="By position. We'll email them a sign-up link. They keep their places.">
      <Form name="invite-next" onSubmit={submit}>
        <div className="flex flex-wrap items-start gap-3">
          <Field label="How many" hideLabel error={problem} className="w-32">
            <NumberInput value={count} onChange={setCount} />
          </Field>
          <Button type="submit" variant="primary" icon={<Send aria-hidden />} loading={invite.isPending}>
            {invite.isPending ? 'Inviting…' : 'Invite'}
          </Button>
        </div>
        {invite.isError && (
          <Callout tone="bad">{errorText(invite.error, 'Failed to invite. Please try again.')}</Callout>
        )}
        {invite.isSuccess && (
          <Callout tone={invite.data.invited > 0 ? 'good' : 'info'}>
            {invite.data.invited > 0
              ? `${formatCount(invite.data.invited, 'member')} invited. Their emails are on the way.`
              : 'Everyone eligible has already been invited.'}
          </Callout>
        )}
      </Form>
    </Card>
  )
}
