import type { ImportResult, LeadFilter } from '@x-automated/contract/leads'
import { session } from '../../session'
import { errorOf, signedFetch } from '../../signed-fetch'
import { save } from '../../ui/save-file'
import { filterQuery } from './lead-address'

/** Largest file that an import takes: 64 MiB. */
export const IMPORT_BYTES_MAX = 64 * 1024 * 1024

/**
 * Sends a CSV file of leads.
 * @param onSent called with the share that is sent, 0 to 1
 * @throws ORPCError where it is refused, TypeError where the connection broke, AbortError where `signal` said to stop
 */
export async function importLeads(
  file: File,
  onSent: (share: number) => void,
  signal: AbortSignal,
): Promise<ImportResult> {
  let answer = await upload(file, await session.currentToken(), onSent, signal)
  if (answer.status === 401) {
    const fresh = await session.refresh()
    if (fresh) answer = await upload(file, fresh, onSent, signal)
  }
  if (answer.status !== 200) throw errorOf(answer.status, answer.body)
  return JSON.parse(answer.body) as ImportResult
}

/** With XMLHttpRequest, because fetch does not say how much of a body was sent. */
function upload(
  file: File,
  token: string | null,
  onSent: (share: number) => void,
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', '/api/leads/import')
    request.setRequestHeader('content-type', 'text/csv; charset=utf-8')
    if (token) request.setRequestHeader('authorization', `Bearer ${token}`)
    request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0)
    request.upload.onload = () => onSent(1)
    request.onload = () => resolve({ status: request.status, body: request.responseText })
    request.onerror = () => reject(new TypeError('The connection broke.'))
    request.onabort = () => reject(new DOMException('The import was stopped.', 'AbortError'))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
}

/** Downloads the leads that match as a CSV file. @throws as signedFetch */
export async function exportLeads(filter: LeadFilter): Promise<void> {
  const query = filterQuery(filter).toString()
  const answer = await signedFetch(`/api/leads/export${query && `?${query}`}`)
  save(await answer.blob(), `leads-${new Date().toISOString().slice(0, 10)}.csv`)
}

/** Lines that were refused, as a CSV file. */
export function refusedCsv(rejected: ImportResult['rejected']): Blob {
  const rows = rejected.map(({ line, problem }) => `${line},"${problem.replaceAll('"', '""')}"`)
  return new Blob([['line,problem', ...rows, ''].join('\r\n')], { type: 'text/csv;charset=utf-8' })
}
