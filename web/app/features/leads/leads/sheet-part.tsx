import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { useStoredText } from './use-stored-text'

interface SheetPartProps {
  title: string
  aside?: ReactNode
  children: ReactNode
}

/** A collapsible part of the lead sheet. Remembers whether it is collapsed. */
export function SheetPart({ title, aside, children }: SheetPartProps) {
  const [folded, keepFolded] = useStoredText(`leadSheetFolded.${title}`)
  const id = useId()
  return (
    <section className="grid gap-2">
      <div className="flex min-h-8 items-center justify-between gap-3">
        <h3 className="font-strong">
          <button
            type="button"
            aria-expanded={!folded}
            aria-controls={id}
            className="group/fold inline-flex min-h-8 items-center gap-1 rounded-sm"
            onClick={() => keepFolded(folded ? null : 'folded')}
          >
            {title}
            <ChevronDown
              aria-hidden
              className="size-3.5 text-muted transition-transform group-aria-[expanded=false]/fold:-rotate-90"
            />
          </button>
        </h3>
        {!folded && aside}
      </div>
      <div id={id} hidden={folded !== null} className="grid gap-2 [&[hidden]]:hidden">
        {children}
      </div>
    </section>
  )
}
