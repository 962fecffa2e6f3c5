import { BookOpen, Code, Mail, Sparkles } from 'lucide-react'
import type { ReactElement } from 'react'
import { paths } from '../../../paths'
import { supportAddress } from '../../../product-address'
import { Menu, MenuLink } from '../../../ui/menu'

/** Where to read more and whom to ask. Mounts open. */
export default function HelpMenu({ trigger }: { trigger: ReactElement }) {
  return (
    <Menu defaultOpen trigger={trigger} align="start">
      <MenuLink to={paths.help} icon={<BookOpen aria-hidden />}>
        Help
      </MenuLink>
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
  )
}
