import { Tooltip } from './tooltip'

interface InsertButtonProps {
  /** The text to insert at the cursor. */
  text: string
  /** The tooltip. */
  hint: string
  onInsert: (text: string) => void
}

/** Inserts a variable into a text field. */
export function InsertButton({ text, hint, onInsert }: InsertButtonProps) {
  return (
    <Tooltip text={hint}>
      <button
        type="button"
        onClick={() => onInsert(text)}
        className="min-h-7 shrink-0 rounded-md border border-line bg-sunken px-2 font-mono text-xs whitespace-nowrap transition-colors hover:bg-hover disabled:cursor-not-allowed disabled:text-faint disabled:hover:bg-sunken pointer-coarse:min-h-10"
      >
        {text}
      </button>
    </Tooltip>
  )
}
