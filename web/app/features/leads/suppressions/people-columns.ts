import {
  hasHeader as guessHeader,
  type SuppressionColumn,
  suppressionColumnOf,
} from '@x-automated/contract/leads/suppression-columns'
import { handleFault, handleIn } from '@x-automated/contract/x-handle'
import { readXUserId } from '@x-automated/contract/x-user-id'
import { handlesWarning, type Preview, SKIP } from '../leads/import-columns'

/** The fields that a suppression file's columns can map to. */
export const peopleLabels: Record<SuppressionColumn, string> = {
  twitter_handle: 'Handle',
  x_user_id: 'X user ID',
  reason: 'Reason',
  note: 'Note',
}

/** What the columns of a suppression file mean. */
export interface PeopleMapping {
  columns: string[]
  /** If false, the first row is a person. */
  hasHeader: boolean
}

/**
 * Guesses the mapping from the first row. Each field is used once. A single column is assumed to
 * contain the people.
 */
export function guessPeopleMapping({ headers }: Preview): PeopleMapping {
  const hasHeader = guessHeader(headers)
  const fields = headers.map((cell) =>
    hasHeader ? suppressionColumnOf(cell) : isPerson(cell) ? 'twitter_handle' : null,
  )
  if (headers.length === 1) return { columns: [fields[0] ?? 'twitter_handle'], hasHeader }
  return { columns: fields.map((field, index) => (field && fields.indexOf(field) === index ? field : SKIP)), hasHeader }
}

const isPerson = (cell: string) => handleFault(handleIn(cell)) === null || 'id' in readXUserId(cell)

/** The column names to display. Without a header, these are numbers. */
export function namesOf({ headers }: Preview, { hasHeader }: PeopleMapping): string[] {
  return hasHeader ? headers : headers.map((_, index) => `Column ${index + 1}`)
}

/** The rows to display as samples. */
export function samplesOf({ headers, rows }: Preview, { hasHeader }: PeopleMapping): string[][] {
  return hasHeader ? rows : [headers, ...rows]
}

/** What is wrong with the mapping, or null. */
export function peopleProblem({ columns }: PeopleMapping): string | null {
  if (!columns.includes('twitter_handle') && !columns.includes('x_user_id'))
    return 'Choose the column with the handles or the X user IDs.'
  const twice = columns.find((column, index) => column !== SKIP && columns.indexOf(column) !== index)
  return twice === undefined
    ? null
    : `Two columns map to “${peopleLabels[twice as SuppressionColumn]}”. Skip one of them.`
}

/** A warning about the first handle in the preview that X does not allow, or null if each row names someone. */
export function peopleWarning(preview: Preview, mapping: PeopleMapping): string | null {
  if (mapping.columns.includes('x_user_id')) return null
  const column = mapping.columns.indexOf('twitter_handle')
  const rows = samplesOf(preview, mapping).filter((row) => !('id' in readXUserId(row[column] ?? '')))
  return handlesWarning({ headers: preview.headers, rows }, mapping.columns)
}

/**
 * The mapping for the API. Omitted for a single column without a known name, because the server
 * recognizes both handles and ids in it.
 */
export function peopleQuery({ headers }: Preview, { columns, hasHeader }: PeopleMapping): URLSearchParams {
  const query = new URLSearchParams({ header: String(hasHeader) })
  const isRead = columns.length === 1 && columns[0] === 'twitter_handle'
  const isNamedOtherwise = hasHeader && suppressionColumnOf(headers[0] ?? '') !== null
  if (!isRead || isNamedOtherwise) query.set('columns', JSON.stringify(columns))
  return query
}
