import type { ContactBasis, ImportResult, LeadFilter } from '@x-automated/contract/leads/leads'
import { session } from '../../../session'
import { errorOf, signedFetch } from '../../../signed-fetch'
import { save } from '../../../ui/save-file'
import { filterQuery } from './leads-url'

/** The largest file that the server accepts: 64 MiB. */
export const IMPORT_BYTES_MAX = 64 * 1024 * 1024
const NAME_MAX = 255

/** The progress of an upload, in bytes: `done` so far, `of` in total. */
export interface UploadState {
  done: number
  of: number
}

export interface ImportOrder {
  file: File
  /** The API's name for each column. */
  columns: string[]
  basis: ContactBasis
  basisSource: string
  /** The list to create for the leads; '' for none. */
  listName: string
}

/** Uploads a CSV file to import. @returns the import's id @throws ORPCError; TypeError; AbortError */
export async function sendImport(
  order: ImportOrder,
  onProgress: (state: UploadState) => void,
  signal: AbortSignal,
): Promise<string> {
  let response = await upload(order, await session.currentToken(), onProgress, signal)
  if (response.status === 401) {
    const fresh = await session.refresh()
    if (fresh) response = await upload(order, fresh, onProgress, signal)
  }
  if (response.status !== 200) throw errorOf(response.status, response.body)
  const started = firstLine(response.body)
  if (started?.failure) throw errorOf(started.failure.status, JSON.stringify(started.failure.body))
  if (!started?.import) throw new TypeError('The connection was lost.')
  return started.import.id
}

/** Uploads the file with XMLHttpRequest, because fetch reports no upload progress. */
function upload(
  { file, columns, basis, basisSource, listName }: ImportOrder,
  token: string | null,
  onProgress: (state: UploadState) => void,
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  const query = new URLSearchParams({ columns: JSON.stringify(columns), fileName: file.name.slice(0, NAME_MAX) })
  if (basis !== 'none') query.set('basis', basis)
  if (basis !== 'none' && basisSource.trim()) query.set('basisSource', basisSource.trim())
  if (listName.trim()) query.set('listName', listName.trim())
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/api/leads/import?${query}`)
    request.setRequestHeader('content-type', 'text/csv; charset=utf-8')
    // With this header, the server immediately sends the import's id, as the first line.
    request.setRequestHeader('accept', 'application/x-ndjson')
    if (token) request.setRequestHeader('authorization', `Bearer ${token}`)
    const settle = () => resolve({ status: request.status, body: request.responseText })
    request.upload.onprogress = ({ loaded, total }) => onProgress({ done: loaded, of: total })
    request.upload.onload = () => onProgress({ done: file.size, of: file.size })
    request.onprogress = () => {
      if (request.status === 200 && firstLine(request.responseText)) settle()
    }
    request.onload = settle
    request.onerror = () => reject(new TypeError('The connection was lost.'))
    request.onabort = () => reject(new DOMException('The upload was canceled.', 'AbortError'))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(file)
  })
}

/** The first line of the response once it is complete: the import's id, or the failure. */
function firstLine(text: string): { import?: { id: string }; failure?: { status: number; body: unknown } } | null {
  const end = text.indexOf('\n')
  return end === -1 ? null : JSON.parse(text.slice(0, end))
}

/** Downloads matching leads as a CSV file. @throws ORPCError; TypeError */
export async function exportLeads(filter: LeadFilter): Promise<void> {
  const query = filterQuery(filter).toString()
  const response = await signedFetch(`/api/leads/export${query && `?${query}`}`)
  save(await response.blob(), `leads-${new Date().toISOString().slice(0, 10)}.csv`)
}

/** Creates a CSV file that lists the rows with problems. */
export function rowProblemsCsv(problems: ImportResult['rejected']): Blob {
  const rows = problems.map(({ line, problem }) => `${line},"${problem.replaceAll('"', '""')}"`)
  return new Blob([['line,problem', ...rows, ''].join('\r\n')], { type: 'text/csv;charset=utf-8' })
}
