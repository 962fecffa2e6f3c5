import { useQuery } from '@tanstack/react-query'
import { RELEASE } from '@x-automated/contract/platform/early-features'
import { BookOpen, Code, Keyboard, Mail, Sparkles } from 'lucide-react'
import { type ReactElement, useRef, useState } from 'react'
import { api } from '../../../api'
import { paths } from '../../../paths'
import { supportAddress } from '../../../product-address'
import { Kbd } from '../../../ui/kbd'
import { Menu, MenuItem, MenuLink, MenuNote } from '../../../ui/menu'
import { supportText } from '../../platform/billing/support-text'
import KeysDialog from './keys-dialog'

/** Links to documentation and support. Mounts as an open menu. */
export default function HelpMenu({ trigger }: { trigger: ReactElement }) {
  const [showsKeys, setShowsKeys] = useState(false)
  const support = useQuery(api.billing.overview.queryOptions()).data?.support
  const container = useRef<HTMLSpanElement>(null)
  return (
    <span ref={container} className="contents">
      <Menu defaultOpen trigger={trigger} align="start">
        <MenuLink to={paths.help} icon={<BookOpen aria-hidden />}>
          Help
        </MenuLink>
        <MenuItem onSelect={() => setShowsKeys(true)} icon={<Keyboard aria-hidden />}>
          Keyboard shortcuts
          <span className="ms-auto">
            <Kbd>?</Kbd>
          </span>
        </MenuItem>
        <MenuLink to={paths.changelog} icon={<Sparkles aria-hidden />}>
          Changelog
        </MenuLink>
        <MenuLink to="/api/docs" isOutside icon={<Code aria-hidden />}>
          API reference
        </MenuLink>
        <MenuLink to={`mailto:${support?.email ?? supportAddress()}`} isOutside icon={<Mail aria-hidden />}>
          <span className="grid py-1">
            Contact support
            {support && (
              <span className="text-xs wrap-anywhere text-muted">
                {supportText(support)} {support.email}
              </span>
            )}
          </span>
        </MenuLink>
        <MenuNote>Version {RELEASE}</MenuNote>
      </Menu>
      <KeysDialog
        open={showsKeys}
        onClose={() => setShowsKeys(false)}
        returnsTo={() => container.current?.querySelector('button')}
      />
    </span>
  )
}
