import { Combobox as Base } from '@base-ui/react/combobox'
import { Check, ChevronsUpDown, X } from 'lucide-react'
import { useFieldWiring } from './field'

interface ComboboxOption {
  value: string
  label: string
}

interface ComboboxProps {
  options: readonly ComboboxOption[]
  value: string | null
  onChange: (value: string | null) => void
  /** Shown if nothing matches. */
  empty?: string
  disabled?: boolean
  id?: string
  'aria-label'?: string
}

const sign =
  'flex size-7 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink data-disabled:pointer-events-none'

/** A select with a search field, for long lists. */
export function Combobox({ options, value, onChange, empty = 'Nothing found.', ...own }: ComboboxProps) {
  const { disabled, ...wired } = useFieldWiring(own)
  return (
    <Base.Root
      items={options}
      value={options.find((option) => option.value === value) ?? null}
      onValueChange={(option) => onChange(option?.value ?? null)}
      disabled={disabled}
    >
      <Base.InputGroup className="control flex items-center gap-1 py-0! pe-1!">
        <Base.Input {...wired} className="w-0 min-w-0 flex-1 self-stretch bg-transparent outline-none" />
        <Base.Clear aria-label="Clear selection" className={sign}>
          <X aria-hidden className="size-4" />
        </Base.Clear>
        <Base.Trigger aria-label="Open the list" className={sign}>
          <ChevronsUpDown aria-hidden className="size-4" />
        </Base.Trigger>
      </Base.InputGroup>
      <Base.Portal>
        <Base.Positioner sideOffset={4} className="z-50">
          <Base.Popup className="popup w-(--anchor-width) rounded-lg">
            <Base.Empty>
              <p className="px-3 py-4 text-center text-muted">{empty}</p>
            </Base.Empty>
            <Base.List className="max-h-80 overflow-y-auto overscroll-contain p-1 data-empty:p-0">
              {(option: ComboboxOption) => (
                <Base.Item
                  key={option.value}
                  value={option}
                  className="flex min-h-8 items-center gap-2 rounded-md px-2 py-1 outline-none select-none data-highlighted:bg-hover pointer-coarse:min-h-11"
                >
                  <span className="min-w-0 flex-1 truncate">{option.label}</span>
                  <Base.ItemIndicator>
                    <Check aria-hidden className="size-4 text-accent-word" />
                  </Base.ItemIndicator>
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
