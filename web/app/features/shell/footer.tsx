import { documents } from '../../paths'
import { ThemeSwitch } from './theme-switch'

/** Brand signs are drawn here: the icon set has none. 24 × 24. */
const social = [
  {
    label: 'X-Automated on X',
    href: 'https://x.com/xautomated',
    sign: 'M14.1 10.3 21.2 2h-1.7l-6.2 7.2L8.4 2H2.7l7.5 10.9L2.7 21.6h1.7l6.5-7.6 5.2 7.6h5.7l-7.7-11.3Zm-2.3 2.7-.8-1.1-6-8.6h2.6l4.8 6.9.8 1.1 6.3 9h-2.6l-5.1-7.3Z',
  },
  {
    label: 'X-Automated on LinkedIn',
    href: 'https://www.linkedin.com/company/x-automated',
    sign: 'M20.4 3H3.6a.6.6 0 0 0-.6.6v16.8c0 .3.3.6.6.6h16.8c.3 0 .6-.3.6-.6V3.6a.6.6 0 0 0-.6-.6ZM8.3 18.3H5.7V9.8h2.7v8.5ZM7 8.6a1.5 1.5 0 1 1 0-3.1 1.5 1.5 0 0 1 0 3.1Zm11.3 9.7h-2.6v-4.1c0-1 0-2.3-1.4-2.3s-1.6 1.1-1.6 2.2v4.2H10V9.8h2.5V11c.4-.7 1.3-1.4 2.5-1.4 2.7 0 3.2 1.8 3.2 4.1v4.7Z',
  },
  {
    label: 'X-Automated on YouTube',
    href: 'https://www.youtube.com/@x-automated',
    sign: 'M22.5 7.2a2.7 2.7 0 0 0-1.9-1.9C18.9 4.9 12 4.9 12 4.9s-6.9 0-8.6.4a2.7 2.7 0 0 0-1.9 1.9A28 28 0 0 0 1 12c0 1.6.2 3.2.5 4.8a2.7 2.7 0 0 0 1.9 1.9c1.7.4 8.6.4 8.6.4s6.9 0 8.6-.4a2.7 2.7 0 0 0 1.9-1.9c.3-1.6.5-3.2.5-4.8s-.2-3.2-.5-4.8ZM9.8 15.1V8.9l5.7 3.1-5.7 3.1Z',
  },
]

export function Footer() {
  return (
    <footer className="mt-auto border-t border-line">
      <div className="page-width flex flex-wrap items-center gap-x-6 gap-y-4 py-8 text-muted">
        <p>© 2024 X-Automated</p>
        {(documents.privacy || documents.terms) && (
          <nav aria-label="Legal" className="flex gap-x-6">
            {documents.privacy && (
              <a href={documents.privacy} className="hover:text-ink">
                Privacy Policy
              </a>
            )}
            {documents.terms && (
              <a href={documents.terms} className="hover:text-ink">
                Terms of Service
              </a>
            )}
          </nav>
        )}
        <div className="ms-auto flex items-center gap-4 max-sm:w-full max-sm:justify-between">
          <ul className="flex gap-1 max-sm:-ms-2">
            {social.map(({ label, href, sign }) => (
              <li key={href}>
                <a
                  href={href}
                  target="_blank"
                  rel="noreferrer"
                  className="flex size-8 items-center justify-center rounded-md hover:bg-hover hover:text-ink pointer-coarse:size-11"
                >
                  <svg viewBox="0 0 24 24" aria-hidden="true" className="size-4 fill-current">
                    <path d={sign} />
                  </svg>
                  <span className="sr-only">{label}</span>
                </a>
              </li>
            ))}
          </ul>
          <ThemeSwitch />
        </div>
      </div>
    </footer>
  )
}
