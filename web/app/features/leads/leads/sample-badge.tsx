import { Badge } from '../../../ui/badge'

/** Marks a lead as sample data. */
export function SampleBadge() {
  return <Badge>Sample</Badge>
}
