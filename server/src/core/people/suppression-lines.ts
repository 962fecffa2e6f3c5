import type { CsvRecord } from '@x-automated/contract/csv'
import {
  hasHeader as guessHeader,
  isTitle,
  namesPeople,
  SUPPRESSION_COLUMNS,
  type SuppressionColumn,
  suppressionColumnOf,
} from '@x-automated/contract/leads/suppression-columns'
import { SUPPRESSION_NOTE_MAX } from '@x-automated/contract/leads/suppression-limits'
import { SUPPRESSION_REASONS, type SuppressionReason } from '@x-automated/contract/leads/suppressions'
import { HANDLE_PROBLEMS, handleFault, handleIn } from '@x-automated/contract/x-handle'
import { readXUserId, X_USER_ID_PROBLEMS } from '@x-automated/contract/x-user-id'
import { invalidField, Refusal } from '../../refusal.ts'

/** The layout of a suppression file, for files whose first row does not show it. */
export interface SuppressionLayout {
  /** The meaning of each column, '' to skip it. */
  columns?: readonly string[] | undefined
  /** Whether the first row is a header rather than a person. */
  hasHeader?: boolean | undefined
}

/** How many lines are searched for the header. Titles may precede it. */
const TITLES_MAX = 10

/**
 * Reads a suppression file for the CSV thread: for each record its people, its problem, or null if
 * it is a header. @throws Refusal INVALID_INPUT if the first row has neither a header nor a person,
 * or contradicts the layout
 */
export function readSuppressionLines({ columns: named, hasHeader }: SuppressionLayout) {
  let columns: Columns | null = null
  let seen = 0
  /** Whether only titles have been read so far, so that the header may follow. */
  let isAboveHeader = named === undefined
  /**
   * Whether a row was read as a person. A one-word title looks like a handle, but the header after
   * it has more cells.
   */
  let hasPeople = false
  return (record: CsvRecord): { rows: object[]; warning: string | null } | { problem: string } | null => {
    seen += 1
    const cells = 'fields' in record ? record.fields : (record.cells ?? [])
    if (columns && isAboveHeader && namesPeople(cells) && (!hasPeople || cells.length > columns.length)) columns = null
    if (!columns) {
      if ('problem' in record && !record.isComplete)
        throw new Refusal('INVALID_INPUT', `The first line ${record.problem}.`)
      if (named && named.length !== cells.length)
        throw invalidField('columns', `must name the ${cells.length} columns of the file, not ${named.length}`)
      isAboveHeader &&= seen <= TITLES_MAX && isTitle(cells)
      const header = readHeader(cells, named, seen > 1 || hasHeader)
      if ('problem' in header) {
        if (isAboveHeader) return null
        throw new Refusal('INVALID_INPUT', header.problem)
      }
      columns = header.columns
      if (!header.isData) return null
    } else isAboveHeader &&= seen <= TITLES_MAX && isTitle(cells)
    const { line } = record
    if ('problem' in record && !(record.isComplete && cells.length <= columns.length)) {
      const people = readOverlong(columns, cells)
      if (people.length === 0) return { problem: record.problem }
      const warning = `${record.problem}, so only its handle and X user ID were read`
      return { rows: people.map((person) => stagedRow(line, person)), warning }
    }
    const read = readLine(columns, cells)
    if ('problem' in read) return read
    hasPeople = true
    return { rows: read.people.map((person) => stagedRow(line, person)), warning: read.warning }
  }
}

/** A person to suppress, as a row names them: by handle, X id or both. */
interface Named {
  twitterHandle: string | null
  xUserId: string | null
  reason: SuppressionReason
  note: string | null
}

/** A person as a row of `incoming_suppressions`. */
function stagedRow(line: number, named: Named): object {
  return {
    line,
    twitter_handle: named.twitterHandle ?? '',
    x_user_id: named.xUserId,
    reason: named.reason,
    note: named.note,
  }
}

/** The meaning of each column; null if ignored. `person`: handles or ids, in a column without a name. */
type Columns = (SuppressionColumn | 'person' | null)[]

/**
 * Reads the first row, which may be a header or a person. @param named the meaning of each column,
 * if the caller knows it; '' to skip one @param hasHeader whether the first row is a header
 * @returns the columns, and whether the row is data; or its problem
 */
export function readHeader(
  fields: readonly string[],
  named?: readonly string[],
  hasHeader: boolean = guessHeader(fields),
): { columns: Columns; isData: boolean } | { problem: string } {
  const unknown = named?.find((name) => name !== '' && !isColumn(name))
  if (unknown !== undefined)
    return { problem: `There is no column ${unknown}. Use twitter_handle, x_user_id, reason or note.` }
  const columns = named
    ? named.map((name) => (isColumn(name) ? name : null))
    : fields.map((field) => (hasHeader ? suppressionColumnOf(field) : null))
  if (named && columns.filter((column) => column === 'twitter_handle').length > 1)
    return { problem: 'The file has two columns of handles.' }
  if (columns.includes('twitter_handle') || columns.includes('x_user_id')) return { columns, isData: !hasHeader }
  if (named) return { problem: 'Choose a column of handles or X user IDs.' }
  if (fields.length === 1) return { columns: ['person'], isData: !hasHeader }
  return { problem: 'The first line must name a column twitter_handle or x_user_id.' }
}

function isColumn(name: string): name is SuppressionColumn {
  return (SUPPRESSION_COLUMNS as readonly string[]).includes(name)
}

/** Returns a handle from a text as people write it, also with a spreadsheet's apostrophe or stray quotes around it. */
const bareHandle = (text: string): string => handleIn(text.trim().replace(/^'(?=@)|^"+|"+$/g, ''))

/**
 * Reads one row. A handle or an id is enough, whatever the other cells contain. @returns everyone
 * the row names, with a warning if a handle or id was left out; or the row's problem. Both are
 * texts to show
 */
export function readLine(
  columns: Columns,
  fields: readonly string[],
): { people: Named[]; warning: string | null } | { problem: string } {
  if (fields.every((field) => field.trim() === '')) return { problem: 'is empty' }
  const cells = (name: Columns[number]) =>
    columns.flatMap((column, index) => (column === name && fields[index]?.trim()) || [])
  const unnamed = cells('person')
  const written = [...cells('twitter_handle'), ...unnamed].filter((text) => bareHandle(text) !== '')
  const faults = written.map((text) => handleFault(bareHandle(text)))
  const handles = new Set(written.flatMap((text, at) => (faults[at] ? [] : bareHandle(text).toLowerCase())))
  const [fault] = faults
  const ids = cells('x_user_id').map(readXUserId)
  // Old ids look like handles; newer ones are too long for that.
  const maybeIds = written.filter((text, at) => faults[at] || (unnamed.includes(text) && /^\d+$/.test(text)))
  const xUserId = [...ids, ...maybeIds.map(readXUserId)].find((read) => 'id' in read)?.id ?? null
  const idFault = ids.find((read) => 'fault' in read)?.fault
  const idProblem = idFault && `x_user_id ${X_USER_ID_PROBLEMS[idFault]}`
  const handleProblem = fault ? HANDLE_PROBLEMS[fault] : 'is missing'
  const [handle, ...others] = handles
  if (handle === undefined && xUserId === null) {
    const subject =
      columns.includes('x_user_id') && !columns.includes('twitter_handle') ? 'x_user_id' : 'twitter_handle'
    if (subject === 'x_user_id') return { problem: idProblem ?? 'x_user_id is missing' }
    return { problem: `twitter_handle ${handleProblem}${idProblem ? `, and ${idProblem}` : ''}` }
  }
  const about = aboutOf(cells)
  const people = [
    { twitterHandle: handle ?? null, xUserId, ...about },
    ...others.map((other) => ({ twitterHandle: other, xUserId: null, ...about })),
  ]
  if (handle !== undefined)
    return { people, warning: xUserId === null && idProblem ? `${idProblem}, so it was left out` : null }
  const isIdInHandles = ids.every((read) => 'fault' in read)
  const isLeftOut = fault && !isIdInHandles
  return { people, warning: isLeftOut ? `twitter_handle ${handleProblem}, so only the X user ID is suppressed` : null }
}

/** Why a person is suppressed. Words that are not a reason become the note. */
function aboutOf(cells: (name: 'reason' | 'note') => string[]): Pick<Named, 'reason' | 'note'> {
  const [reasonText = ''] = cells('reason')
  const word = reasonText
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  const reason = SUPPRESSION_REASONS.find((candidate) => candidate === word)
  const note = [...(reason ? [] : [reasonText]), ...cells('note')]
    .map((text) => text.replaceAll('\u0000', '').trim())
    .filter((text) => text !== '')
    .join(': ')
  return { reason: reason ?? 'import', note: cut(note) || null }
}

/** The beginning of a note. Half a surrogate pair cannot be stored, so it is cut off, too. */
function cut(note: string): string {
  return note
    .slice(0, SUPPRESSION_NOTE_MAX)
    .replace(/[\ud800-\udbff]$/, '')
    .trim()
}

/**
 * The people in a row with more cells than columns. The surplus cells may precede or follow a
 * person, so everyone who may be meant is suppressed.
 * @param cells some may be fragments of a split cell
 */
function readOverlong(columns: Columns, cells: readonly string[]): Named[] {
  const onlyPeople = columns.map((column) => (column === 'reason' || column === 'note' ? null : column))
  const people = [cells, cells.slice(-columns.length)].flatMap((fields) => {
    const read = readLine(onlyPeople, fields)
    return 'people' in read ? read.people : []
  })
  const keyOf = ({ twitterHandle, xUserId }: Named) => `${twitterHandle} ${xUserId}`
  return [...new Map(people.map((person) => [keyOf(person), person])).values()]
}
