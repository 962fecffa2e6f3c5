import type { UseQueryResult } from '@tanstack/react-query'
import type { Pairing } from '@x-automated/contract/outreach/extension-pairings'
import { Puzzle } from 'lucide-react'
import { api, client } from '../../../api'
import { QueryError } from '../../../query-error'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { DateTime } from '../../../ui/date-time'
import { Skeleton } from '../../../ui/skeleton'
import { useAction } from '../../../use-action'
import { Row, Rows } from '../../identity/account/rows'
import { statusKey } from './use-extension'

interface PairedExtensionsProps {
  pairings: UseQueryResult<{ pairings: Pairing[] }>
  latest: string | null
}

/** All browsers whose extension may send for the account. */
export function PairedExtensions({ pairings, latest }: PairedExtensionsProps) {
  return (
    <Card title="Paired browsers" description="Each browser has its own key until you unpair it.">
      {pairings.isPending ? (
        <Skeleton className="h-12" />
      ) : pairings.isError ? (
        <QueryError query={pairings} />
      ) : pairings.data.pairings.length === 0 ? (
        <p className="text-muted">No paired browsers yet. You can unpair them here from anywhere.</p>
      ) : (
        <Rows label="Paired browsers">
          {pairings.data.pairings.map((pairing) => (
            <PairingRow key={pairing.id} pairing={pairing} latest={latest} />
          ))}
        </Rows>
      )}
    </Card>
  )
}

function PairingRow({ pairing, latest }: { pairing: Pairing; latest: string | null }) {
  const { id, device, version, signedInAs, paused, pageChanged, sendsInBackground, lastSeenAt } = pairing
  const name = device ?? 'Unknown browser'
  const unpair = useAction(() => client.extension.remove({ id }), {
    question: {
      title: 'Unpair this browser?',
      body: `The extension in ${name} will stop sending. A message it is sending right now may still go out.`,
      confirm: 'Unpair',
      danger: true,
    },
    done: 'Unpaired. Its key no longer works.',
    refetches: [{ key: () => statusKey }, api.extension],
  })
  return (
    <Row
      icon={<Puzzle />}
      title={
        <>
          {name}
          {pageChanged !== null ? (
            <Badge tone="warn">X may have changed its page</Badge>
          ) : paused ? (
            <Badge tone="warn">Paused</Badge>
          ) : (
            sendsInBackground && <Badge tone="good">Sends in the background</Badge>
          )}
        </>
      }
      detail={
        <>
          {signedInAs ? `@${signedInAs} on X` : 'Not logged in to X'} · version {version}
          {latest !== null && latest !== version && ` (latest: ${latest})`} · last seen <DateTime value={lastSeenAt} />
        </>
      }
      action={
        <Button size="sm" loading={unpair.isPending} onClick={() => unpair.run()}>
          Unpair<span className="sr-only"> {name}</span>
        </Button>
      }
    />
  )
}
