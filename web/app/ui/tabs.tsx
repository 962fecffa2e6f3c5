import { Tabs as Base } from '@base-ui/react/tabs'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { useHydrated } from './use-hydrated'

interface Tab {
  value: string
  label: ReactNode
  /** Rendered only while open. */
  content?: ReactNode
}

interface TabsProps {
  /** For screen readers. */
  label: string
  tabs: readonly Tab[]
  value: string
  onChange: (value: string) => void
  /** The page's PageHeader, on the same line as the tabs if there is room. */
  header?: ReactNode
}

/** Tabs. Use `useTabParam` to store the open one in the URL. */
export function Tabs({ label, tabs, value, onChange, header }: TabsProps) {
  const strip = useRef<HTMLDivElement>(null)
  // Set explicitly, so that tabs and panels are connected in prerendered pages, too.
  const id = useId()
  const idOf = (part: 'tab' | 'panel', tab: Tab) => `${id}-${part}-${tab.value}`

  // Scrolls the open tab to the center if the strip overflows.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the open tab is read from the document
  useEffect(() => {
    const frame = strip.current
    const open = frame?.querySelector('[aria-selected="true"]')
    if (!frame || !open) return
    const [outer, inner] = [frame.getBoundingClientRect(), open.getBoundingClientRect()]
    frame.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2)
  }, [value])

  const list = (
    <div ref={strip} data-tab-strip className="-mx-4 overflow-x-auto px-4 [scrollbar-width:none] md:mx-0 md:px-0">
      <Base.List aria-label={label} className="flex w-max min-w-full gap-1 border-b border-line">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            id={idOf('tab', tab)}
            aria-controls={tab.value === value && tab.content !== undefined ? idOf('panel', tab) : undefined}
            className="-mb-px flex min-h-10 items-center gap-2 rounded-t-md border-b-2 border-transparent px-3 whitespace-nowrap text-muted transition-colors -outline-offset-2 hover:text-ink data-active:border-ink data-active:font-strong data-active:text-ink pointer-coarse:min-h-11"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
    </div>
  )
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(String(next))}>
      {header ? (
        <div className="header-with-tabs">
          {header}
          {list}
        </div>
      ) : (
        list
      )}
      {tabs.map(
        (tab) =>
          tab.content !== undefined && (
            <Base.Panel
              key={tab.value}
              value={tab.value}
              id={idOf('panel', tab)}
              aria-labelledby={idOf('tab', tab)}
              className="pt-6 outline-offset-4"
            >
              {tab.content}
            </Base.Panel>
          ),
      )}
    </Base.Root>
  )
}

/** The open tab, stored in the URL (`?tab=…`). The first tab is the default, and not in the URL. */
export function useTabParam<T extends string>(
  values: readonly [T, ...T[]],
  name = 'tab',
): [T, (value: string) => void] {
  const [params, setParams] = useSearchParams()
  // Prerendered pages have no query string.
  const requested = useHydrated() ? params.get(name) : null
  const value = values.find((candidate) => candidate === requested) ?? values[0]
  const open = (next: string) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        if (next === values[0]) after.delete(name)
        else after.set(name, next)
        return after
      },
      { preventScrollReset: true },
    )
  return [value, open]
}
