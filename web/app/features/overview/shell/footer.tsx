import { Link } from 'react-router'
import { paths } from '../../../paths'
import { ORIGIN_PLACEHOLDER, supportAddress } from '../../../product-address'
import { type Brand, BrandIcon } from '../../../ui/brand-icon'
import { useHydrated } from '../../../ui/use-hydrated'
import { PRODUCT_TEXT, type ShareChannel, shareAddresses } from '../../waitlist/waitlist/referral-links'
import { ThemeSwitch } from './theme-switch'

/** Links for sharing the product. The product has no profiles on these networks. */
const social: { label: string; network: ShareChannel; brand: Brand }[] = [
  { label: 'Share X-Automated on X', network: 'twitter', brand: 'x' },
  { label: 'Share X-Automated on LinkedIn', network: 'linkedin', brand: 'linkedin' },
  { label: 'Share X-Automated on Facebook', network: 'facebook', brand: 'facebook' },
]

export function Footer() {
  // In prerendered pages, the server fills in the origin.
  const home = `${useHydrated() ? location.origin : ORIGIN_PLACEHOLDER}/`
  return (
    <footer className="mt-auto border-t border-line">
      <div className="page-width flex flex-wrap items-center gap-x-6 gap-y-4 py-8 text-muted">
        <p>© 2024 X-Automated</p>
        <nav aria-label="Legal and support" className="flex flex-wrap gap-x-6 gap-y-2">
          <Link to={paths.privacy} className="hover:text-ink">
            Privacy Policy
          </Link>
          <Link to={paths.terms} className="hover:text-ink">
            Terms of Service
          </Link>
          <a href={`mailto:${supportAddress()}`} className="hover:text-ink">
            Contact support
          </a>
        </nav>
        <div className="ms-auto flex items-center gap-4 max-sm:w-full max-sm:justify-between">
          <ul className="flex gap-1 max-sm:-ms-2">
            {social.map(({ label, network, brand }) => (
              <li key={network}>
                <a
                  href={shareAddresses[network](home, PRODUCT_TEXT)}
                  target="_blank"
                  rel="noreferrer"
                  className="flex size-8 items-center justify-center rounded-md hover:bg-hover hover:text-ink pointer-coarse:size-11"
                >
                  <BrandIcon brand={brand} />
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
