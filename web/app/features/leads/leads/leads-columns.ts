import { formatNumber } from '@x-automated/contract/format'
import type { LeadSort, ListedLead } from '@x-automated/contract/leads/leads'

/** Columns of every workspace, in addition to the name. Custom fields are named 'field:company'. */
const COLUMNS = {
  bio: { name: 'Bio', width: null },
  followerCount: { name: 'Followers', width: 112, end: true },
  dmStatus: { name: 'Status', width: 124 },
  createdAt: { name: 'Added', width: 112 },
  followingCount: { name: 'Following', width: 112, end: true },
  basis: { name: 'Contact basis', width: 160 },
  location: { name: 'Location', width: 160 },
} satisfies Record<string, { name: string; width: number | null; end?: boolean }>

const FIELD = 'field:'
const FIELD_WIDTH = 160
const BIO_MIN_WIDTH = 180
const WIDTH_MIN = 72
export const WIDTH_MAX = 640
const LEAD_WIDTH = 304

/** Rows per page. The first is the default. */
export const PAGE_SIZES = [10, 25, 50, 100] as const

/** The layout of the user's table of leads. Stored in this browser. */
export interface TableLayout {
  /** Visible columns, in order. */
  shown: readonly string[]
  /** Widths in pixels, by column. */
  widths: Readonly<Record<string, number>>
  pageSize: number
}

export const DEFAULT_LAYOUT: TableLayout = {
  shown: ['bio', 'followerCount', 'dmStatus', 'createdAt'],
  widths: {},
  pageSize: PAGE_SIZES[0],
}

/** Columns that the server can sort by. */
const SORTED = ['bio', 'followerCount', 'dmStatus', 'createdAt'] satisfies LeadSort[]

/** Whether the server can sort by this column. */
export function isSortable(id: string): boolean {
  return id === 'name' || SORTED.some((sorted) => sorted === id)
}

/** A column's custom field, or null if it is another column. */
export function fieldOf(id: string): string | null {
  return id.startsWith(FIELD) ? id.slice(FIELD.length) : null
}

function fieldColumn(field: string): string {
  return FIELD + field
}

/** The choices in the menu: visible columns in order, then the others. */
export function columnChoices({ shown: visible }: TableLayout, fields: readonly string[]): string[] {
  return [...new Set([...visible, ...Object.keys(COLUMNS), ...fields.map(fieldColumn)])]
}

/** A column's heading and default width in pixels. A null width means the remaining width. */
export function columnLook(id: string): { name: string; width: number | null; end?: boolean } {
  if (id === 'name') return { name: 'Lead', width: LEAD_WIDTH }
  const field = fieldOf(id)
  if (field !== null) return { name: field, width: FIELD_WIDTH }
  return COLUMNS[id as keyof typeof COLUMNS]
}

/** A column's width in pixels; null means the remaining width. */
export function widthOf(id: string, { shown: visible, widths }: TableLayout): number | null {
  const own = widths[id]
  if (own !== undefined) return own
  // One column must take the remaining width.
  return id === 'name' && !visible.includes('bio') ? null : columnLook(id).width
}

/** The width below which the table scrolls. */
export function tableWidth(layout: TableLayout): number {
  return ['name', ...layout.shown].reduce((sum, id) => sum + (widthOf(id, layout) ?? BIO_MIN_WIDTH), 0)
}

/** Shows a column after the others, or hides it. */
export function withColumn(layout: TableLayout, id: string, isShown: boolean): TableLayout {
  const rest = layout.shown.filter((other) => other !== id)
  return { ...layout, shown: isShown ? [...rest, id] : rest }
}

/** Moves a visible column by a number of positions. */
export function withMoved(layout: TableLayout, id: string, by: number): TableLayout {
  const from = layout.shown.indexOf(id)
  const to = Math.min(Math.max(from + by, 0), layout.shown.length - 1)
  if (from < 0 || from === to) return layout
  const others = layout.shown.toSpliced(from, 1)
  return { ...layout, shown: others.toSpliced(to, 0, id) }
}

/** Sets a column's width in pixels, within the allowed range. */
export function withWidth(layout: TableLayout, id: string, width: number): TableLayout {
  const clamped = Math.round(Math.min(Math.max(width, WIDTH_MIN), WIDTH_MAX))
  return { ...layout, widths: { ...layout.widths, [id]: clamped } }
}

/** Parses a stored layout. Drops what this version doesn't know. */
export function parseLayout(text: string | null): TableLayout {
  try {
    const { shown: visible, widths, pageSize } = JSON.parse(text ?? '') as TableLayout
    const valid = visible.filter((id) => typeof id === 'string' && (Object.hasOwn(COLUMNS, id) || fieldOf(id)))
    const sizes = Object.entries(widths).filter(([, width]) => width >= WIDTH_MIN && width <= WIDTH_MAX)
    return {
      shown: [...new Set(valid)],
      widths: Object.fromEntries(sizes),
      pageSize: PAGE_SIZES.find((size) => size === pageSize) ?? DEFAULT_LAYOUT.pageSize,
    }
  } catch {
    return DEFAULT_LAYOUT
  }
}

/** A custom field's text, or null if it is empty. */
export function fieldText(lead: Pick<ListedLead, 'metadata'>, field: string): string | null {
  const value = Object.hasOwn(lead.metadata, field) ? lead.metadata[field] : null
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'number') return formatNumber(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}
