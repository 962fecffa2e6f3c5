import type { ContactBasis, ImportResult, LeadFilter } from '@x-automated/contract/leads'
import { session } from '../../session'
import { errorOf, signedFetch } from '../../signed-fetch'
import { save } from '../../ui/save-file'
import { filterQuery } from './lead-address'

/** Largest file that an import takes: 64 MiB. */
export const IMPORT_BYTES_MAX = 64 * 1024 * 1024

/** How far an import is. */
export type ImportStep =
  | { stage: 'sending'; done: number; of: number }
  /** The server reads bytes of the file, then saves its lines. */
  | { stage: 'reading' | 'saving'; done: number; of: number }

export interface ImportOrder {
  file: File
  /** What each column is, as the API names them. */
  columns: string[]
  basis: ContactBasis
  basisSource: string
}

/**
 * Sends a CSV file of leads.
 * @param onStep called as it goes on
 * @throws ORPCError where it is refused, TypeError where the connection broke, AbortError where `signal` said to stop
 */
export async function importLeads(
  order: ImportOrder,
  onStep: (step: ImportStep) => void,
  signal: AbortSignal,
): Promise<ImportResult> {
  let answer = await upload(order, await session.currentToken(), onStep, signal)
  if (answer.status === 401) {
    const fresh = await session.refresh()
    if (fresh) answer = await upload(order, fresh, onStep, signal)
  }
  if (answer.status !== 200) throw errorOf(answer.status, answer.body)
  const last = JSON.parse(answer.body.trim().split('\n').at(-1) ?? '') as {
    result?: ImportResult
    failure?: { status: number; body: unknown }
  }
  if (last.failure) throw errorOf(last.failure.status, JSON.stringify(last.failure.body))
  if (!last.result) throw new TypeError('The connection broke.')
  return last.result
}

/** With XMLHttpRequest, because fetch does not say how much of a body was sent. */
function upload(
  { file, columns, basis, basisSource }: ImportOrder,
  token: string | null,
  onStep: (step: ImportStep) => void,
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  const query = new URLSearchParams({ columns: JSON.stringify(columns) })
  if (basis !== 'none') query.set('basis', basis)
  if (basis !== 'none' && basisSource.trim()) query.set('basisSource', basisSource.trim())
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/api/leads/import?${query}`)
    request.setRequestHeader('content-type', 'text/csv; charset=utf-8')
    // Then it says line by line how far it is.
    request.setRequestHeader('accept', 'application/x-ndjson')
    if (token) request.setRequestHeader('authorization', `Bearer ${token}`)
    request.upload.onprogress = ({ loaded, total }) => onStep({ stage: 'sending', done: loaded, of: total })
    request.upload.onload = () => onStep({ stage: 'sending', done: file.size, of: file.size })
    request.onprogress = () => {
      const step = lastStep(request.responseText)
      if (request.status === 200 && step) onStep(step)
    }
    request.onload = () => resolve({ status: request.status, body: request.responseText })
    request.onerror = () => reject(new TypeError('The connection broke.'))
    request.onabort = () => reject(new DOMException('The import was stopped.', 'AbortError'))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
}

/** The last whole line of an answer that is still coming, where it says how far the import is. */
function lastStep(text: string): ImportStep | null {
  const end = text.lastIndexOf('\n')
  if (end === -1) return null
  const line = text.slice(text.lastIndexOf('\n', end - 1) + 1, end)
  return (JSON.parse(line) as { progress?: ImportStep }).progress ?? null
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
