import { useQuery } from '@tanstack/react-query'
import { formatNumber } from '@x-automated/contract/format'
import { Columns3, GripVertical, RotateCcw } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { api } from '../../../api'
import { Button } from '../../../ui/button'
import { Checkbox } from '../../../ui/choice'
import { Popover } from '../../../ui/popover'
import {
  columnChoices,
  columnLook,
  DEFAULT_LAYOUT,
  fieldOf,
  type TableLayout,
  widthOf,
  withColumn,
  withMoved,
  withWidth,
} from './leads-columns'

/** The height of a row in the menu. */
const ROW_PX = 36
const WIDTH_STEP = 16
const LEFT_OVER_PX = 320

interface ColumnsMenuProps {
  layout: TableLayout
  /** @param isDragging true if more layouts follow soon */
  onChange: (layout: TableLayout, isDragging?: boolean) => void
}

/** Which columns the table has, their order and their widths. */
export function ColumnsMenu({ layout, onChange }: ColumnsMenuProps) {
  const [open, setOpen] = useState(false)
  const fields = useQuery(api.leads.fields.queryOptions({ enabled: open })).data?.fields ?? []
  const choices = columnChoices(
    layout,
    fields.map(({ name }) => name),
  )
  const rest = choices.slice(layout.shown.length)
  const custom = rest.filter((id) => fieldOf(id) !== null)
  const row = (id: string) => (
    <ColumnRow
      key={id}
      id={id}
      layout={layout}
      count={fields.find(({ name }) => name === fieldOf(id))?.leads}
      onChange={onChange}
    />
  )
  return (
    <Popover
      label="Columns"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button size="sm" variant="ghost" icon={<Columns3 />} className="text-ui! font-normal!">
          Columns
        </Button>
      }
    >
      <div className="max-h-[min(30rem,70dvh)] overflow-y-auto overscroll-contain text-ui">
        <ul>{layout.shown.map(row)}</ul>
        <ul>{rest.filter((id) => fieldOf(id) === null).map(row)}</ul>
        {custom.length > 0 && (
          <>
            <h3 className="border-t border-hair px-2 pt-3 pb-1 text-xs font-normal text-muted">Custom fields</h3>
            <ul>{custom.map(row)}</ul>
          </>
        )}
      </div>
      <div className="border-t border-hair pt-1">
        <Button
          size="sm"
          variant="ghost"
          icon={<RotateCcw />}
          className="w-full justify-start! text-ui! font-normal!"
          onClick={() => onChange({ ...DEFAULT_LAYOUT, pageSize: layout.pageSize })}
        >
          Reset columns
        </Button>
      </div>
    </Popover>
  )
}

interface ColumnRowProps extends Pick<ColumnsMenuProps, 'layout' | 'onChange'> {
  id: string
  count: number | undefined
}

function ColumnRow({ id, layout, count, onChange }: ColumnRowProps) {
  const { name } = columnLook(id)
  const isShown = layout.shown.includes(id)
  return (
    <li className="flex min-h-9 items-center gap-1 rounded-md pe-2 hover:bg-hover">
      {isShown ? <Grip id={id} name={name} layout={layout} onChange={onChange} /> : <span className="w-6" />}
      <Checkbox
        className="min-w-0 flex-1 wrap-anywhere"
        label={<bdi>{name}</bdi>}
        checked={isShown}
        onChange={(event) => onChange(withColumn(layout, id, event.currentTarget.checked))}
      />
      {count !== undefined && (
        <span className="text-muted" data-numeric>
          {formatNumber(count)}
        </span>
      )}
    </li>
  )
}

/** Moves a column, by dragging or with ↑ and ↓. ← and → change its width. */
function Grip({ id, name, layout, onChange }: Omit<ColumnRowProps, 'count'> & { name: string }) {
  // Listens on the window, because React may move the pressed element.
  const startDrag = ({ clientY }: PointerEvent) => {
    const stop = new AbortController()
    const { signal } = stop
    let moved = 0
    const drag = (event: globalThis.PointerEvent) => {
      const by = Math.round((event.clientY - clientY) / ROW_PX)
      if (by === moved) return
      moved = by
      onChange(withMoved(layout, id, by), true)
    }
    const end = () => {
      stop.abort()
      onChange(withMoved(layout, id, moved))
    }
    addEventListener('pointermove', drag, { signal })
    for (const name of ['pointerup', 'pointercancel']) addEventListener(name, end, { signal })
  }
  const press = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    const wider = { ArrowLeft: -WIDTH_STEP, ArrowRight: WIDTH_STEP }[event.key]
    if (!by && !wider) return
    event.preventDefault()
    if (by) onChange(withMoved(layout, id, by))
    if (wider) onChange(withWidth(layout, id, (widthOf(id, layout) ?? LEFT_OVER_PX) + wider))
  }
  return (
    <button
      type="button"
      aria-label={`Move ${name}`}
      aria-description="Up and down move the column. Left and right change its width."
      title="Drag to move. ↑ and ↓ move the column, ← and → change its width."
      className="flex h-9 w-6 shrink-0 cursor-grab touch-none items-center justify-center rounded-sm text-faint active:cursor-grabbing"
      onPointerDown={startDrag}
      onKeyDown={press}
    >
      <GripVertical aria-hidden className="size-3.5" />
    </button>
  )
}
