import { Select } from '../../../ui/select'
import { shorten } from '../../../ui/shorten'
import { Table, Td, Tr } from '../../../ui/table'
import { SKIP } from './import-columns'

const CELL_SHOWN = 60

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
    <Table label="Columns of the file" narrow="scroll" maxHeight="20rem" columns={['Column', 'Maps to', 'Sample']}>
      {names.map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name, and columns never move
        <Tr key={index}>
          <Td className="max-w-40 wrap-anywhere">{name.trim() || <span className="text-faint">No name</span>}</Td>
          <Td>
            <Select
              aria-label={`${name.trim() || `Column ${index + 1}`} maps to`}
              className="w-44"
              value={chosen[index] ?? SKIP}
              options={[...optionsOf(name), { value: SKIP, label: 'Skip' }]}
              onChange={({ currentTarget: { value } }) =>
                onChange(chosen.map((current, i) => (i === index ? value : current)))
              }
            />
          </Td>
          <Td className="min-w-40 text-muted wrap-anywhere">
            {shorten(rows.flatMap((row) => row[index]?.trim() || []).join(' · '), CELL_SHOWN)}
          </Td>
        </Tr>
      ))}
    </Table>
  )
}
