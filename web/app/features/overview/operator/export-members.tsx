import { useMutation } from '@tanstack/react-query'
import { formatCount, formatPercent } from '@x-automated/contract/format'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '../../../api'
import { signedFetch } from '../../../signed-fetch'
import { Button } from '../../../ui/button'
import { save } from '../../../ui/save-file'
import { toast } from '../../../ui/toast'
import { exportPercent, utcDay } from './operator-text'

const LINE_FEED = 10

/** Exports all members as CSV, with progress. */
export function ExportMembers() {
  const [percent, setPercent] = useState<number | null>(null)
  const download = useMutation({
    mutationFn: async () => {
      setPercent(null)
      const response = await signedFetch('/api/operator/members/export')
      const total = Number(response.headers.get('x-total-count')) || null
      const pieces: BlobPart[] = []
      let lines = 0
      const reader = response.body?.getReader()
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
        pieces.push(piece.value)
        for (const byte of piece.value) if (byte === LINE_FEED) lines += 1
        setPercent(exportPercent(lines, total))
      }
      save(new Blob(pieces, { type: 'text/csv;charset=utf-8' }), `members-${utcDay(new Date())}.csv`)
      return lines - 1
    },
    onSuccess: (members) => toast.success(`${formatCount(members, 'member')} exported`),
    onError: (error) => toast.error(`Failed to export members: ${errorText(error)}`),
  })
  return (
    <Button icon={<Download aria-hidden />} loading={download.isPending} onClick={() => download.mutate()}>
      {download.isPending ? `Exporting…${percent === null ? '' : ` ${formatPercent(percent / 100)}`}` : 'Export CSV'}
    </Button>
  )
}
