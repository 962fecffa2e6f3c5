import { BookOpen, Code, Keyboard, Mail, Sparkles } from 'lucide-react'
import { type ReactElement, useRef, useState } from 'react'
import { paths } from '../../../paths'
import { supportAddress } from '../../../product-address'
import { Kbd } from '../../../ui/kbd'
import { Menu, MenuItem, MenuLink } from '../../../ui/menu'
import KeysDialog from './keys-dialog'

/** Where to read more and whom to ask. Mounts open. */
export default function HelpMenu({ trigger }: { trigger: ReactElement }) {
  const [showsKeys, setShowsKeys] = useState(false)
  const place = useRef<HTMLSpanElement>(null)
  return (
    <span ref={place} className="contents">
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
        <MenuLink to={`mailto:${supportAddress()}`} isOutside icon={<Mail aria-hidden />}>
          Contact support
        </MenuLink>
      </Menu>
      <KeysDialog
        open={showsKeys}
        onClose={() => setShowsKeys(false)}
        returnsTo={() => place.current?.querySelector('button')}
      />
    </span>
  )
}
