import { Select } from '../../../ui/select'
import { shorten } from '../../../ui/shorten'
import { Table, Td, Tr } from '../../../ui/table'
import { SKIP } from './import-columns'

const CELL_SHOWN = 60
/** On phones, the sample is below the name. */
const SHORT_CELL = 30

interface ColumnTableProps {
  /** The names of the columns. A name may be blank. */
  names: readonly string[]
  rows: readonly string[][]
  chosen: readonly string[]
  /** The fields that a column can map to. */
  optionsOf: (name: string) => { value: string; label: string }[]
  onChange: (chosen: string[]) => void
}

/** Maps each column of a file to a field, next to sample values. */
export function ColumnTable({ names, rows, chosen, optionsOf, onChange }: ColumnTableProps) {
  return (
    <Table
      label="Columns of the file"
      narrow="rows"
      maxHeight="20rem"
      columns={['Column', 'Maps to', { name: 'Sample', className: 'max-md:hidden' }]}
    >
      {names.map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name, and columns never move
        <Tr key={index}>
          <Td className="max-w-40 wrap-anywhere">
            {name.trim() || <span className="text-faint">No name</span>}
            <span className="text-xs text-muted md:hidden">
              <br />
              {shorten(sampleOf(rows, index), SHORT_CELL)}
            </span>
          </Td>
          <Td>
            <Select
              aria-label={`${name.trim() || `Column ${index + 1}`} maps to`}
              className="w-44 max-sm:w-36"
              value={chosen[index] ?? SKIP}
              options={[...optionsOf(name), { value: SKIP, label: 'Skip' }]}
              onChange={({ currentTarget: { value } }) =>
                onChange(chosen.map((current, i) => (i === index ? value : current)))
              }
            />
          </Td>
          <Td className="min-w-40 text-muted wrap-anywhere max-md:hidden">
            {shorten(sampleOf(rows, index), CELL_SHOWN)}
          </Td>
        </Tr>
      ))}
    </Table>
  )
}

const sampleOf = (rows: readonly string[][], index: number) =>
  rows.flatMap((row) => row[index]?.trim() || []).join(' · ')
