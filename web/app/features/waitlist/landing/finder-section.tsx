import { useEffect, useRef } from 'react'
import { NeedsScript } from '../../../ui/needs-script'

/** The finder on sample data. Its script loads when it scrolls into view (see `startup-script.ts`). */
export function FinderSection() {
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = container.current
    if (!element) return
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return
      observer.disconnect()
      document.head.append(Object.assign(document.createElement('script'), { src: '/finder-demo.js' }))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <section aria-labelledby="finder-demo" className="page-width grid gap-6 pb-16 md:pb-24">
      <div className="grid max-w-2xl gap-3">
        <h2 id="finder-demo" className="text-3xl">
          Aim before you write
        </h2>
        <p className="text-lg text-muted">
          Choose by followers and by words of the bio, and see each person’s message. Try it: these people are sample
          data.
        </p>
      </div>
      <div
        ref={container}
        data-finder-demo
        suppressHydrationWarning
        className="min-h-284 rounded-xl bg-sunken p-4 sm:min-h-252 md:p-6 lg:min-h-148"
      >
        <NeedsScript what="This demo" />
      </div>
    </section>
  )
}
