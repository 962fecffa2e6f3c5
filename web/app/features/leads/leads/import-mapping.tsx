import { BASIS_SOURCE_MAX } from '@x-automated/contract/leads/lead-limits'
import type { ContactBasis } from '@x-automated/contract/leads/leads'
import { LIST_NAME_MAX } from '@x-automated/contract/leads/lists'
import { Callout } from '../../../ui/callout'
import { Checkbox } from '../../../ui/choice'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'
import { lengthProps } from '../../../ui/length-props'
import { Select } from '../../../ui/select'
import { ColumnTable } from './column-table'
import { CUSTOM_FIELD, columnLabels, columnsProblem, handlesWarning, idsWarning, type Preview } from './import-columns'
import { basisLabels } from './leads-url'

/** What an import needs in addition to the file. */
export interface Mapping {
  columns: string[]
  basis: ContactBasis
  basisSource: string
  /** The list to put the leads on; null for none. */
  listName: string | null
}

interface ImportMappingProps {
  /** The suggested name of the list. */
  fileName: string
  preview: Preview
  mapping: Mapping
  onChange: (mapping: Mapping) => void
}

/** Maps each column of the file to a field, next to sample values. */
export function ImportMapping({ fileName, preview, mapping, onChange }: ImportMappingProps) {
  const { headers, rows } = preview
  const { columns } = mapping
  const problem = columnsProblem(headers, columns) ?? handlesWarning(preview, columns) ?? idsWarning(preview, columns)
  return (
    <div className="grid gap-4">
      {problem && <Callout tone="warn">{problem}</Callout>}
      <ColumnTable
        names={headers}
        rows={rows}
        chosen={columns}
        optionsOf={(name) => [
          ...Object.entries(columnLabels).map(([value, label]) => ({ value, label })),
          ...(name.trim() === '' ? [] : [{ value: CUSTOM_FIELD, label: 'Custom field' }]),
        ]}
        onChange={(chosen) => onChange({ ...mapping, columns: chosen })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Contact basis for these leads" hint="Used where the file has none">
          <Select
            value={mapping.basis}
            options={Object.entries(basisLabels).map(([value, label]) => ({ value, label }))}
            onChange={(event) => onChange({ ...mapping, basis: event.currentTarget.value as ContactBasis })}
          />
        </Field>
        {mapping.basis !== 'none' && (
          <Field label="How do you know?" {...lengthProps(mapping.basisSource, BASIS_SOURCE_MAX)}>
            <Input
              value={mapping.basisSource}
              placeholder="Signed up at our spring event"
              onChange={(event) => onChange({ ...mapping, basisSource: event.currentTarget.value })}
            />
          </Field>
        )}
      </div>
      <div className="grid gap-4 border-t border-hair pt-4">
        <Checkbox
          label="Put them on a list"
          hint="You can then write to everyone in this file."
          checked={mapping.listName !== null}
          onChange={(event) =>
            onChange({ ...mapping, listName: event.currentTarget.checked ? listNameOf(fileName) : null })
          }
        />
        {mapping.listName !== null && (
          <Field label="List name" error={listNameProblem(mapping.listName) ?? undefined} required>
            <Input
              autoComplete="off"
              value={mapping.listName}
              onChange={(event) => onChange({ ...mapping, listName: event.currentTarget.value })}
            />
          </Field>
        )}
      </div>
    </div>
  )
}

/** The name of a list for a file: 'prospects' for 'prospects.csv'. */
export function listNameOf(fileName: string): string {
  return (
    fileName
      .replace(/\.(csv|txt)$/i, '')
      .trim()
      .slice(0, LIST_NAME_MAX) || 'Imported leads'
  )
}

/** What is wrong with the name of the list, or null. */
export function listNameProblem(name: string): string | null {
  if (name.trim() === '') return 'List name cannot be empty.'
  return name.trim().length > LIST_NAME_MAX ? `At most ${LIST_NAME_MAX} characters.` : null
}
