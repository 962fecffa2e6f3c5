import type { Factor } from '@x-automated/contract/identity/second-factors'
import { KeyRound, Smartphone } from 'lucide-react'
import { api, client } from '../../../api'
import { Button } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { useDialogs } from '../../../ui/use-dialogs'
import { useAction } from '../../../use-action'
import { RenameFactorDialog } from './rename-factor-dialog'
import { Row, Rows } from './rows'

/** The second factors of one kind. They can be renamed and removed. */
export function FactorRows({
  label,
  factors,
  all,
}: {
  label: string
  factors: readonly Factor[]
  all: readonly Factor[]
}) {
  if (factors.length === 0) return null
  return (
    <Rows label={label}>
      {factors.map((factor) => (
        <FactorRow key={factor.id} factor={factor} isLast={all.length === 1} />
      ))}
    </Rows>
  )
}

function FactorRow({ factor, isLast }: { factor: Factor; isLast: boolean }) {
  const { id, kind, name, createdAt, lastUsedAt } = factor
  const dialogs = useDialogs<'rename'>()
  const remove = useAction(() => client.secondFactors.remove({ id }), {
    question: {
      title: `Remove “${name}”?`,
      body: isLast
        ? "This is your only second factor. You'll log in with your password alone, and your recovery codes will stop working."
        : "You won't be asked for it at login.",
      confirm: 'Remove',
      danger: true,
    },
    done: `Removed “${name}”.`,
    refetches: [api.secondFactors],
  })
  return (
    <Row
      icon={kind === 'totp' ? <Smartphone aria-hidden /> : <KeyRound aria-hidden />}
      title={name}
      detail={
        <>
          Added <DateTime value={createdAt} precision="day" />
          {lastUsedAt ? (
            <>
              {' · '}last used <DateTime value={lastUsedAt} />
            </>
          ) : (
            ' · not used yet'
          )}
        </>
      }
      action={
        <div className="flex flex-wrap justify-end gap-2">
          <Button size="sm" onClick={() => dialogs.show('rename')}>
            Rename<span className="sr-only"> {name}</span>
          </Button>
          <Button size="sm" loading={remove.isPending} onClick={() => remove.run()}>
            Remove<span className="sr-only"> {name}</span>
          </Button>
          {dialogs.render((_, dialog) => (
            <RenameFactorDialog factor={factor} {...dialog} />
          ))}
        </div>
      }
    />
  )
}
