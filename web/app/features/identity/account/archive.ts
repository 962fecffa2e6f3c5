import { formatCount, formatNumber } from '@x-automated/contract/format'
import { signedFetch } from '../../../signed-fetch'

/** Downloads the account's data as a ZIP. @throws ORPCError; TypeError; AbortError */
export async function fetchArchive(onReceived: (bytes: number) => void, signal: AbortSignal): Promise<Blob> {
  const response = await signedFetch('/api/auth/user/export', { signal })
  const pieces: BlobPart[] = []
  let received = 0
  const reader = response.body?.getReader()
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    pieces.push(next.value)
    received += next.value.byteLength
    onReceived(received)
  }
  return new Blob(pieces, { type: 'application/zip' })
}

/** Formats a size as '12 KB' or '3.4 MB'. */
export function downloadedText(bytes: number): string {
  if (bytes < 1_000) return formatCount(bytes, 'byte')
  if (bytes < 1_000_000) return `${formatNumber(Math.round(bytes / 1_000))} KB`
  return `${formatNumber(Math.round(bytes / 100_000) / 10)} MB`
}
