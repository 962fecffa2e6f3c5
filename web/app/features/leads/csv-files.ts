import type { ContactBasis, ImportResult, LeadFilter } from '@x-automated/contract/leads'
import { session } from '../../session'
import { errorOf, signedFetch } from '../../signed-fetch'
import { save } from '../../ui/save-file'
import { filterQuery } from './leads-url'

/** Largest file that an import takes: 64 MiB. */
export const IMPORT_BYTES_MAX = 64 * 1024 * 1024
/** Characters of a file's name that are remembered. */
const NAME_MAX = 255

/** Bytes of a file that are sent, and all of them. */
export interface Sent {
  done: number
  of: number
}

export interface ImportOrder {
  file: File
  /** What each column is, as the API names them. */
  columns: string[]
  basis: ContactBasis
  basisSource: string
}

/**
 * Sends a CSV file of leads. What then becomes of it goes on without this tab (GET /imports).
 * @param onSent called as it goes on
 * @returns the import's id
 * @throws ORPCError where it is refused, TypeError where the connection broke, AbortError where `signal` said to stop
 */
export async function sendImport(
  order: ImportOrder,
  onSent: (sent: Sent) => void,
  signal: AbortSignal,
): Promise<string> {
  let answer = await upload(order, await session.currentToken(), onSent, signal)
  if (answer.status === 401) {
    const fresh = await session.refresh()
    if (fresh) answer = await upload(order, fresh, onSent, signal)
  }
  if (answer.status !== 200) throw errorOf(answer.status, answer.body)
  const begun = firstLine(answer.body)
  if (begun?.failure) throw errorOf(begun.failure.status, JSON.stringify(begun.failure.body))
  if (!begun?.import) throw new TypeError('The connection broke.')
  return begun.import.id
}

/** With XMLHttpRequest, because fetch does not say how much of a body was sent. */
function upload(
  { file, columns, basis, basisSource }: ImportOrder,
  token: string | null,
  onSent: (sent: Sent) => void,
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  const query = new URLSearchParams({ columns: JSON.stringify(columns), fileName: file.name.slice(0, NAME_MAX) })
  if (basis !== 'none') query.set('basis', basis)
  if (basis !== 'none' && basisSource.trim()) query.set('basisSource', basisSource.trim())
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/api/leads/import?${query}`)
    request.setRequestHeader('content-type', 'text/csv; charset=utf-8')
    // Then its first line comes at once, and names the import.
    request.setRequestHeader('accept', 'application/x-ndjson')
    if (token) request.setRequestHeader('authorization', `Bearer ${token}`)
    const answer = () => resolve({ status: request.status, body: request.responseText })
    request.upload.onprogress = ({ loaded, total }) => onSent({ done: loaded, of: total })
    request.upload.onload = () => onSent({ done: file.size, of: file.size })
    request.onprogress = () => {
      if (request.status === 200 && firstLine(request.responseText)) answer()
    }
    request.onload = answer
    request.onerror = () => reject(new TypeError('The connection broke.'))
    request.onabort = () => reject(new DOMException('The import was stopped.', 'AbortError'))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
}

/** The first line of an answer, once it is there: which import it is, or why there is none. */
function firstLine(text: string): { import?: { id: string }; failure?: { status: number; body: unknown } } | null {
  const end = text.indexOf('\n')
  return end === -1 ? null : JSON.parse(text.slice(0, end))
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
