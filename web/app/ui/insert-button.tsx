import { Tooltip } from './tooltip'

export interface InsertButtonProps {
  /** What it puts where the cursor stands. */
  text: string
  /** What that means. */
  hint: string
  onInsert: (text: string) => void
}

/** Puts a placeholder into a text. It looks as it is written there. */
export function InsertButton({ text, hint, onInsert }: InsertButtonProps) {
  return (
    <Tooltip text={hint}>
      <button
        type="button"
        onClick={() => onInsert(text)}
        className="min-h-7 rounded-md border border-line bg-sunken px-2 font-mono text-xs transition-colors hover:bg-hover disabled:cursor-not-allowed disabled:text-faint disabled:hover:bg-sunken pointer-coarse:min-h-10"
      >
        {text}
      </button>
    </Tooltip>
  )
}
