import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { type SectionId, sections } from './sections'

/** Links to the page's sections and marks the current one. */
export function SectionNav() {
  const current = useCurrentSection()
  return (
    <nav
      aria-label="Sections of your account"
      className="-mx-4 overflow-x-auto px-4 pb-2 [scrollbar-width:none] lg:sticky lg:top-20 lg:mx-0 lg:w-48 lg:shrink-0 lg:self-start lg:px-0"
    >
      <ul className="flex w-max gap-1 lg:grid lg:w-auto">
        {sections.map(({ id, title }) => (
          <li key={id}>
            <Link
              to={{ hash: id }}
              replace
              aria-current={current === id ? 'location' : undefined}
              className="block rounded-md px-2.5 py-1.5 whitespace-nowrap text-muted transition-colors -outline-offset-2 hover:bg-hover hover:text-ink aria-[current=location]:bg-pressed aria-[current=location]:text-ink pointer-coarse:py-2.5"
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The topmost section in the upper half of the window. */
function useCurrentSection(): SectionId {
  const [current, setCurrent] = useState<SectionId>(sections[0].id)
  useEffect(() => {
    const visible = new Set<string>()
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) visible.add(target.id)
          else visible.delete(target.id)
        }
        const first = sections.find(({ id }) => visible.has(id))
        if (first) setCurrent(first.id)
      },
      { rootMargin: '-72px 0px -50% 0px' },
    )
    for (const { id } of sections) {
      const section = document.getElementById(id)
      if (section) observer.observe(section)
    }
    return () => observer.disconnect()
  }, [])
  return current
}
