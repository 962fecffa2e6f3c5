import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import type { SettingsTab } from './settings-tabs'

/** How long a section that was linked to stays in view while sections above it load. */
const FOLLOW_MS = 3_000

/** The sections of a tab, one below the other, with links to each. */
export function SettingsSections({ sections }: Pick<SettingsTab, 'sections'>) {
  const column = useRef<HTMLDivElement>(null)
  const { hash, search } = useLocation()
  useEffect(() => {
    const section = hash ? document.getElementById(hash.slice(1)) : null
    const content = column.current
    if (!section || !content?.contains(section)) return
    const observer = new ResizeObserver(() => section.scrollIntoView())
    observer.observe(content)
    const stop = () => observer.disconnect()
    const timer = setTimeout(stop, FOLLOW_MS)
    const gestures = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const
    for (const gesture of gestures) addEventListener(gesture, stop, { once: true, passive: true })
    return () => {
      stop()
      clearTimeout(timer)
      for (const gesture of gestures) removeEventListener(gesture, stop)
    }
  }, [hash])
  if (sections.length === 1) return <div className="max-w-3xl">{sections[0].content}</div>
  return (
    <div className="flex flex-col gap-4 lg:flex-row lg:gap-10">
      <nav
        aria-label="Sections"
        className="-mx-4 overflow-x-auto px-4 [scrollbar-width:none] lg:sticky lg:top-20 lg:mx-0 lg:w-40 lg:shrink-0 lg:self-start lg:px-0"
      >
        <ul className="flex w-max gap-1 lg:grid lg:w-auto">
          {sections.map(({ id, title }) => (
            <li key={id}>
              <Link
                to={{ search, hash: id }}
                replace
                aria-current={hash === `#${id}` ? 'location' : undefined}
                className="block rounded-md px-2.5 py-1.5 whitespace-nowrap text-muted transition-colors -outline-offset-2 hover:bg-hover hover:text-ink aria-[current=location]:bg-pressed aria-[current=location]:text-ink pointer-coarse:py-2.5"
              >
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div ref={column} className="grid min-w-0 max-w-3xl flex-1 grid-cols-1 gap-12">
        {sections.map(({ id, title, content }) => (
          <section key={id} id={id} aria-labelledby={`${id}-title`} className="grid scroll-mt-20 grid-cols-1 gap-4">
            <h2 id={`${id}-title`} className="text-lg">
              {title}
            </h2>
            {content}
          </section>
        ))}
      </div>
    </div>
  )
}
