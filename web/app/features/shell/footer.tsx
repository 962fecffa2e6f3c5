import { documents } from '../../paths'
import { type Brand, BrandSign } from '../../ui/brand-sign'
import { ThemeSwitch } from './theme-switch'

const social: { label: string; href: string; brand: Brand }[] = [
  { label: 'X-Automated on X', href: 'https://x.com/xautomated', brand: 'x' },
  { label: 'X-Automated on LinkedIn', href: 'https://www.linkedin.com/company/x-automated', brand: 'linkedin' },
  { label: 'X-Automated on YouTube', href: 'https://www.youtube.com/@x-automated', brand: 'youtube' },
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
            {social.map(({ label, href, brand }) => (
              <li key={href}>
                <a
                  href={href}
                  target="_blank"
                  rel="noreferrer"
                  className="flex size-8 items-center justify-center rounded-md hover:bg-hover hover:text-ink pointer-coarse:size-11"
                >
                  <BrandSign brand={brand} />
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
