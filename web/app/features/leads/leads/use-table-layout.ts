import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import { parseLayout, type TableLayout } from './leads-columns'
import { type LeadsView, toLeadsParams } from './leads-url'
import { useStoredText } from './use-stored-text'

/** The table's layout, stored in this browser. While a column is dragged, its layout is displayed but not stored. */
export function useTableLayout({ filter, page, sort }: LeadsView) {
  const [text, keep] = useStoredText('leadsTable')
  const stored = useMemo(() => parseLayout(text), [text])
  const [dragged, setDragged] = useState<TableLayout | null>(null)
  const navigate = useNavigate()
  const layout = dragged ?? stored
  const changeLayout = async (next: TableLayout, isDragging = false) => {
    setDragged(isDragging ? next : null)
    if (isDragging) return
    // Opens the page of the new size that starts with the same leads, because the current page
    // number may not exist.
    if (next.pageSize !== layout.pageSize) {
      const search = toLeadsParams(filter, Math.floor(((page - 1) * layout.pageSize) / next.pageSize) + 1, sort)
      await navigate({ search: search.toString() }, { replace: true, preventScrollReset: true })
    }
    keep(JSON.stringify(next))
  }
  return { layout, changeLayout }
}
