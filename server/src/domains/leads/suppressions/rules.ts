import { SUPPRESSION_NOTE_MAX } from '@x-automated/contract/leads/suppression-limits'
import { SUPPRESSION_REASONS, type SuppressionReason } from '@x-automated/contract/leads/suppressions'
import { HANDLE_PROBLEMS, handleFault, handleIn } from '@x-automated/contract/x-handle'
import { readXUserId, X_USER_ID_PROBLEMS } from '@x-automated/contract/x-user-id'

/** A person to suppress, as a file row names them. */
interface Named {
  twitterHandle: string
  xUserId: string | null
  reason: SuppressionReason
  note: string | null
}

/** A person as a row of `incoming_suppressions`. */
export function stagedRow(line: number, named: Named): object {
  return {
    line,
    twitter_handle: named.twitterHandle,
    x_user_id: named.xUserId,
    reason: named.reason,
    note: named.note,
  }
}

type Field = 'twitter_handle' | 'x_user_id' | 'reason' | 'note'
/** The meaning of each column; null if ignored. */
export type Columns = (Field | null)[]

const KNOWN: Record<string, Field> = {
  twitter_handle: 'twitter_handle',
  handle: 'twitter_handle',
  username: 'twitter_handle',
  x_user_id: 'x_user_id',
  reason: 'reason',
  note: 'note',
}

/**
 * Reads the first row, which may be a header or the first handle of a single column.
 * @returns the columns, and whether the row is data; or its problem
 */
export function readHeader(fields: readonly string[]): { columns: Columns; isData: boolean } | { problem: string } {
  const columns = fields.map(
    (field) =>
      KNOWN[
        field
          .trim()
          .toLowerCase()
          .replaceAll(/[\s-]+/g, '_')
      ] ?? null,
  )
  const named = columns.filter((column) => column === 'twitter_handle').length
  if (named > 1) return { problem: 'The file has two columns of handles.' }
  if (named === 1) return { columns, isData: false }
  if (fields.length === 1 && handleFault(bareHandle(fields[0] ?? '')) === null)
    return { columns: ['twitter_handle'], isData: true }
  return { problem: 'The first line must name a column twitter_handle.' }
}

/** A handle as people write it, also with a spreadsheet's apostrophe. */
const bareHandle = (text: string): string => handleIn(text.trim().replace(/^'(?=@)/, ''))

/**
 * Reads one row. @returns the person, with a warning if their X id was left out; or the problem of the
 * row; both as texts to show
 */
export function readLine(
  columns: Columns,
  fields: readonly string[],
): { named: Named; warning: string | null } | { problem: string } {
  if (fields.every((field) => field.trim() === '')) return { problem: 'is empty' }
  const cell = (name: Field) => {
    const place = columns.indexOf(name)
    return place === -1 ? '' : (fields[place] ?? '').trim()
  }
  const read = cell('x_user_id') === '' ? null : readXUserId(cell('x_user_id'))
  const warning = read && 'fault' in read ? `x_user_id ${X_USER_ID_PROBLEMS[read.fault]}` : null
  const handle = bareHandle(cell('twitter_handle'))
  if (handle === '')
    return { problem: warning ? `twitter_handle is missing, and ${warning}` : 'twitter_handle is missing' }
  const fault = handleFault(handle)
  if (fault) return { problem: `twitter_handle ${HANDLE_PROBLEMS[fault]}` }
  const note = cell('note')
  if (note.length > SUPPRESSION_NOTE_MAX) return { problem: `note is longer than ${SUPPRESSION_NOTE_MAX} characters` }
  if (note.includes('\u0000')) return { problem: 'contains a NUL character' }
  const reason = cell('reason').toLowerCase()
  const known = SUPPRESSION_REASONS.find((one) => one === reason)
  if (reason !== '' && !known) return { problem: `reason must be one of ${SUPPRESSION_REASONS.join(', ')}` }
  const named = {
    twitterHandle: handle.toLowerCase(),
    xUserId: read && 'id' in read ? read.id : null,
    reason: known ?? ('import' as const),
    note: note || null,
  }
  return { named, warning: warning && `${warning}, so it was left out` }
}
